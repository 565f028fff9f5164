//! What the board offers is what the rules allow: games are played at random, and at every position both are compared,
//! action by action.

use std::collections::BTreeSet;

use divelog_ledger::{GameId, NewGame, Position, SECRET_BYTES, Secret, Stamp, Status, convert};
use divelog_proto::{
    games::veiled_isles::v1::{ActionCard, Options, Phase, View},
    v1::{self, GameKind, Viewer, game_options, game_view, viewer::Role},
};

use super::{board, island_word, prompt};
use crate::{Screen, Seating, action_words, parse_action};

const GAMES: u8 = 40;

/// Every so many positions all boards are drawn, which takes longer than to play.
const BOARDS: u64 = 10;

/// A number and the bonus cards with it are this at most (VI-7).
const HIGHEST: u32 = 12;

const STAMP: Stamp<'static> = Stamp { time_ms: 0, request_id: "" };

/// Every pair of action cards in turn.
fn options(game: u8) -> v1::GameOptions {
    use ActionCard::{A1, A2, A3, A4};
    let (red_blue, green_purple) = [(A1, A3), (A2, A4), (A3, A2), (A4, A1)][usize::from(game % 4)];
    let options = Options {
        red_blue_action: red_blue.into(),
        green_purple_action: green_purple.into(),
        treasure_values: Vec::new(),
    };
    v1::GameOptions { options: Some(game_options::Options::VeiledIsles(options)) }
}

fn new_game(game: u8) -> Position {
    let new = NewGame {
        game_id: GameId([game; 16]),
        rules_version: 1,
        options: convert::options_from_proto(Some(&options(game))).unwrap(),
        players: vec![v1::Player::default(); usize::from(3 + game % 3)],
        labels: Default::default(),
        fork: None,
        request: None,
    };
    Position::create(new, &Secret([game; SECRET_BYTES]), STAMP).unwrap().position
}

fn seen(position: &Position, role: Role, seat: u32) -> View {
    let viewer = Viewer { role: role.into(), seat };
    let viewer = convert::viewer_from_proto(Some(&viewer), position.game().seats()).unwrap();
    match convert::view_to_proto(&position.game().view(viewer)).view {
        Some(game_view::View::VeiledIsles(view)) => view,
        other => panic!("{other:?}"),
    }
}

/// The single actions that a line such as `play ISLAND sea|coast [0-2] (...)` stands for, with this hand.
fn spread(line: &str, seat: u32, hand: &[(String, u32)]) -> Vec<String> {
    // What stands in brackets is an explanation.
    let words = line.trim().split(" (").next().unwrap();
    // In the phase in which everybody chooses, each line says whose it is.
    let words = words.strip_prefix(&format!("#{seat}: ")).unwrap_or(words);
    let islands = || hand.iter().map(|(island, _)| island.clone());
    match words.split(' ').collect::<Vec<_>>().as_slice() {
        ["play", "ISLAND", "sea|coast", bonus @ ..] => {
            let most = bonus.first().map_or(0, |range| range[3..range.len() - 1].parse().unwrap());
            let plays = |(island, number): &(String, u32)| {
                let each = move |bonus: u32| if bonus == 0 { String::new() } else { format!(" {bonus}") };
                let bonuses = 0..=most.min(HIGHEST - number);
                let island = island.clone();
                bonuses
                    .flat_map(move |bonus| ["sea", "coast"].map(|half| format!("play {island} {half}{}", each(bonus))))
            };
            hand.iter().flat_map(plays).collect()
        }
        ["give", "ISLAND"] => islands().map(|island| format!("give {island}")).collect(),
        ["give", "ISLAND", "ISLAND"] => {
            let pairs = islands().flat_map(|first| islands().map(move |second| (first.clone(), second)));
            pairs
                .filter(|(first, second)| first != second)
                .map(|(first, second)| format!("give {first} {second}"))
                .collect()
        }
        ["discard", "ISLAND"] => islands().map(|island| format!("discard {island}")).collect(),
        ["reorder", places @ ..] => {
            permutations(places).iter().map(|order| format!("reorder {}", order.join(" "))).collect()
        }
        _ => words.split(" or ").map(str::to_owned).collect(),
    }
}

fn permutations<'a>(places: &[&'a str]) -> Vec<Vec<&'a str>> {
    if places.is_empty() {
        return vec![Vec::new()];
    }
    let starting_with = |at: usize| {
        let mut rest = places.to_vec();
        let first = rest.remove(at);
        permutations(&rest).into_iter().map(move |tail| [vec![first], tail].concat())
    };
    (0..places.len()).flat_map(starting_with).collect()
}

/// Islands to give back may be named in any order.
fn in_order(words: &str) -> String {
    let mut parts: Vec<&str> = words.split(' ').collect();
    if parts[0] == "give" {
        parts[1..].sort_unstable();
    }
    parts.join(" ")
}

fn offered(view: &View, seat: u32) -> BTreeSet<String> {
    let own = view.players.iter().find(|player| player.seat == seat).unwrap();
    let hand: Vec<(String, u32)> = own.hand.iter().map(|island| (island_word(island), island.number)).collect();
    let question = prompt::question(view, false, &Seating::default(), Screen::plain(usize::MAX));
    question.lines().skip(1).flat_map(|line| spread(line, seat, &hand)).map(|words| in_order(&words)).collect()
}

/// Every viewer's board can be drawn, wherever a game gets.
fn draw_all(position: &Position) {
    for (role, width) in [(Role::Seat, 100), (Role::Spectator, 60), (Role::Auditor, 80)] {
        let drawn = board::draw(&seen(position, role, 1), false, &Seating::default(), Screen::plain(width));
        assert!(!drawn.contains('?'), "{drawn}");
    }
}

/// Plays a game, and returns which phases it had.
fn play(game: u8) -> BTreeSet<i32> {
    let mut position = new_game(game);
    let mut luck = u64::from(game);
    // A generator of numbers that is good enough to choose actions.
    let mut below = |limit: usize| {
        luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (luck >> 33) as usize % limit
    };
    let mut phases = BTreeSet::new();
    while position.status() == Status::Running {
        let seats: Vec<_> = position.to_act().iter().collect();
        let seat = seats[below(seats.len())];
        let offers = position.game().legal_actions(seat);
        let actions: Vec<_> = offers.iter().flat_map(|offer| (0..offer.count()).map(|at| offer.nth(at))).collect();
        let words: Vec<String> = actions.iter().map(|action| action_words(&convert::action_to_proto(action))).collect();
        let view = seen(&position, Role::Seat, seat.0.into());
        phases.insert(view.phase);
        let allowed: BTreeSet<String> = words.iter().map(|words| in_order(words)).collect();
        assert_eq!(offered(&view, seat.0.into()), allowed, "game {game}, revision {}: {view:#?}", position.revision());
        let chosen = words[below(words.len())].clone();
        let typed = parse_action(GameKind::VeiledIsles, &[chosen]).unwrap();
        let action = convert::action_from_proto(position.kind(), Some(&typed)).unwrap();
        position = position.act(seat, &action, STAMP).unwrap().position;
        if position.revision().is_multiple_of(BOARDS) {
            draw_all(&position);
        }
    }
    let over = prompt::question(&seen(&position, Role::Spectator, 0), false, &Seating::default(), Screen::plain(80));
    assert_eq!(over, "The game is over.");
    phases
}

#[test]
fn the_board_offers_what_the_rules_allow() {
    let phases: BTreeSet<i32> = (0..GAMES).flat_map(play).collect();
    let all: BTreeSet<i32> = (Phase::Pass.into()..Phase::Over.into()).collect();
    assert_eq!(phases, all, "every decision of the game was asked");
}
