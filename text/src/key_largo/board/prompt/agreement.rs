//! What the board offers is what the rules allow: games are played at random, and at every position both are compared.

use std::collections::{BTreeMap, BTreeSet};

use divelog_ledger::{GameId, NewGame, Position, SECRET_BYTES, Secret, Stamp, Status, convert};
use divelog_proto::{
    games::key_largo::v1::{BarPrices, DolphinsPay, Options, ShopPrices, View, legal_action::LegalAction as Legal},
    v1::{self, game_options, game_view, legal_action},
};

use super::{super::super::words, *};
use crate::{Screen, Seating};

const GAMES: u8 = 60;

/// Every so many positions all boards are drawn, which takes longer than to play.
const BOARDS: u64 = 10;

/// What is typed first, and everything that can follow it.
type Choices = BTreeMap<String, BTreeSet<String>>;

fn add(choices: &mut Choices, head: &str, items: impl IntoIterator<Item = String>) {
    choices.entry(head.to_owned()).or_default().extend(items);
}

fn list(numbers: &[u32]) -> String {
    super::super::super::numbers(numbers.iter().copied())
}

/// The choices of the rules.
fn allowed(offers: &[v1::LegalAction]) -> Choices {
    let mut choices = Choices::new();
    for offer in offers {
        let Some(legal_action::LegalAction::KeyLargo(legal)) = &offer.legal_action else { panic!("{offer:?}") };
        match legal.legal_action.as_ref().unwrap() {
            Legal::Action(action) => {
                let text = words::of(action);
                let number = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
                add(&mut choices, text[..number].trim_end(), [text[number..].to_owned()]);
            }
            Legal::BuyRound(family) => add(&mut choices, "round", [format!("two of {}", list(&family.wrecks))]),
            Legal::Sell(family) => {
                let (ware, cards) = (names::word(&names::WARES, family.ware()), list(&family.cards));
                let required = family.required.map(|card| card.to_string());
                let any = (!cards.is_empty()).then(|| format!("any of {cards}"));
                let parts: Vec<String> = [required, any].into_iter().flatten().collect();
                add(&mut choices, "sell", [format!("{ware} {}", parts.join(", and "))]);
            }
            Legal::Dupe(family) => add(&mut choices, "play dupe", family.treasures.iter().map(u32::to_string)),
            Legal::Trafficker(family) => {
                let item = format!("up to {} of {}", family.most, list(&family.treasures));
                add(&mut choices, "play trafficker", [item]);
            }
            Legal::Jeweller(family) => add(&mut choices, "play jeweller", family.diamonds.iter().map(u32::to_string)),
        }
    }
    choices
}

/// The choices that the board offers, and the prices it names.
fn offered(rows: &[Words]) -> (Choices, BTreeMap<String, u32>) {
    let (mut choices, mut prices) = (Choices::new(), BTreeMap::new());
    for (typed, about) in rows {
        let is_head = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
        let head: Vec<&str> = typed.split(' ').take_while(is_head).collect();
        let head = head.join(" ");
        let priced = about.strip_prefix('$').and_then(|about| about.split_once(": "));
        if let Some((price, _)) = priced {
            prices.insert(head.clone(), price.parse().unwrap());
        }
        let listed = priced.map_or_else(|| about.split(": ").next().unwrap(), |(_, listed)| listed);
        let items: Vec<String> = match head.as_str() {
            "sell" => {
                let (ware, rest) = about.split_once(" at $").unwrap();
                vec![format!("{ware} {}", rest.split_once(": ").unwrap().1)]
            }
            "round" | "play trafficker" => vec![listed.to_owned()],
            "pickpocket" | "play saboteur" => listed.split(", ").map(str::to_owned).collect(),
            _ if !typed.contains(' ') || typed.ends_with(&head) => vec![String::new()],
            _ => listed.split(' ').map(str::to_owned).collect(),
        };
        add(&mut choices, &head, items);
    }
    (choices, prices)
}

/// A generator of numbers that is good enough to choose actions.
struct Luck(u64);

impl Luck {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Money for everybody, so that the shop and the bar have something to do.
fn options(game: u8) -> v1::GameOptions {
    let options = Options {
        encounters: !game.is_multiple_of(4),
        dolphins: game.is_multiple_of(2).then(|| DolphinsPay { days: vec![150; 10] }),
        bar: game.is_multiple_of(3).then(|| BarPrices { diver: vec![10, 40], pickpocket: vec![0, 20, 30, 40, 50] }),
        shop: game.is_multiple_of(3).then(|| ShopPrices { hose: vec![10], trident: vec![20, 30], weight: vec![0, 5] }),
        ..Default::default()
    };
    v1::GameOptions { options: Some(game_options::Options::KeyLargo(options)) }
}

fn new_game(game: u8) -> Position {
    let new = NewGame {
        game_id: GameId([game; 16]),
        rules_version: 1,
        options: convert::options_from_proto(Some(&options(game))).unwrap(),
        players: vec![v1::Player::default(); usize::from(3 + game % 3)],
        labels: BTreeMap::new(),
        fork: None,
        request: None,
    };
    Position::create(new, &Secret([game; SECRET_BYTES]), stamp()).unwrap().position
}

fn stamp() -> Stamp<'static> {
    Stamp { time_ms: 0, request_id: "" }
}

fn seen(position: &Position, viewer: v1::viewer::Role, seat: u32) -> View {
    let viewer = v1::Viewer { role: viewer.into(), seat };
    let viewer = convert::viewer_from_proto(Some(&viewer), position.game().seats()).unwrap();
    match convert::view_to_proto(&position.game().view(viewer)).view {
        Some(game_view::View::KeyLargo(view)) => view,
        other => panic!("{other:?}"),
    }
}

/// Every viewer's board can be drawn, wherever a game gets.
fn draw_all(position: &Position) {
    for role in [v1::viewer::Role::Spectator, v1::viewer::Role::Auditor, v1::viewer::Role::Seat] {
        let view = seen(position, role, 1);
        super::super::draw(&view, false, &Seating::default(), Screen::plain(80));
    }
}

fn play(game: u8) {
    let (mut position, mut luck) = (new_game(game), Luck(game.into()));
    while position.status() == Status::Running {
        let seats: Vec<_> = position.to_act().iter().collect();
        let seat = seats[luck.below(seats.len() as u64) as usize];
        let offers = position.game().legal_actions(seat);
        let wire: Vec<v1::LegalAction> = offers.iter().map(convert::offer_to_proto).collect();
        let view = seen(&position, v1::viewer::Role::Seat, seat.0.into());
        let mut named_prices = BTreeMap::new();
        if view.phase() != Phase::Program {
            let tables = view.tables.clone().unwrap_or_default();
            let (seating, screen) = (Seating::default(), Screen::plain(80));
            let scene = Scene { view: &view, tables: &tables, abandoned: false, seating: &seating, screen };
            let rows = turn_words(scene, view.phase(), scene.acting().unwrap());
            let (choices, prices) = offered(&rows);
            assert_eq!(choices, allowed(&wire), "game {game}, revision {}: {view:#?}", position.revision());
            named_prices = prices;
        }
        let offer = &offers[luck.below(offers.len() as u64) as usize];
        let action = offer.nth(luck.below(offer.count()));
        let text = crate::action_words(&convert::action_to_proto(&action));
        let advance = position.act(seat, &action, stamp()).unwrap();
        position = advance.position;
        if position.revision().is_multiple_of(BOARDS) {
            draw_all(&position);
        }
        if let Some((_, price)) = named_prices.iter().find(|(head, _)| text.starts_with(head.as_str())) {
            let cash = |view: &View| view.players[usize::from(seat.0)].cash;
            let after = seen(&position, v1::viewer::Role::Seat, seat.0.into());
            assert_eq!(cash(&view) - cash(&after), *price, "game {game}: {text}");
        }
    }
}

#[test]
fn the_board_offers_what_the_rules_allow() {
    (0..GAMES).for_each(play);
}
