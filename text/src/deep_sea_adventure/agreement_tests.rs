//! What the board offers is what the rules allow: games are played at random, and at every position both are compared.

use std::collections::BTreeSet;

use divelog_ledger::{GameId, NewGame, Position, SECRET_BYTES, Secret, Stamp, convert};
use divelog_proto::{
    games::deep_sea_adventure::v1::{Options, Phase, View},
    v1::{self, GameKind, Viewer, game_options, game_view, viewer::Role},
};

use super::board;
use crate::{Screen, Seating, action_words, parse_action};

const GAMES: u8 = 40;

const STAMP: Stamp<'static> = Stamp { time_ms: 0, request_id: "" };

fn new_game(game: u8) -> Position {
    let options = v1::GameOptions { options: Some(game_options::Options::DeepSeaAdventure(Options {})) };
    let new = NewGame {
        game_id: GameId([game; 16]),
        rules_version: 1,
        options: convert::options_from_proto(Some(&options)).unwrap(),
        players: vec![v1::Player::default(); usize::from(2 + game % 5)],
        labels: Default::default(),
        fork: None,
        request: None,
    };
    Position::create(new, &Secret([game; SECRET_BYTES]), STAMP).unwrap().position
}

fn seen(position: &Position, seat: u32) -> View {
    let viewer = Viewer { role: Role::Seat.into(), seat };
    let viewer = convert::viewer_from_proto(Some(&viewer), position.game().seats()).unwrap();
    match convert::view_to_proto(&position.game().view(viewer)).view {
        Some(game_view::View::DeepSeaAdventure(view)) => view,
        other => panic!("{other:?}"),
    }
}

/// The single actions of the line that asks, such as `seat 0 is to search space 3: leave or put-down INDEX`.
fn offered(view: &View) -> BTreeSet<String> {
    let drawn = board::draw(view, false, &Seating::default(), Screen::plain(200));
    let asks = drawn.lines().find(|line| line.contains(" is to ")).unwrap_or_else(|| panic!("{drawn}"));
    let (_, words) = asks.split_once(": ").unwrap();
    // What stands in brackets is an explanation.
    let words = words.split(" (").next().unwrap();
    let load = view.explorers.iter().find(|explorer| Some(explorer.seat) == view.turn).unwrap().load.len();
    let one = |word: &str| match word.strip_suffix(" INDEX") {
        Some(start) => (0..load).map(|index| format!("{start} {index}")).collect(),
        None => vec![word.to_owned()],
    };
    words.split(" or ").flat_map(one).collect()
}

/// Plays a game, and returns which actions were done.
fn play(game: u8) -> BTreeSet<String> {
    let mut position = new_game(game);
    let mut luck = u64::from(game);
    // A generator of numbers that is good enough to choose actions.
    let mut below = |limit: u64| {
        luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (luck >> 33) % limit
    };
    let mut done = BTreeSet::new();
    while let Some(seat) = position.to_act().iter().next() {
        let offers = position.game().legal_actions(seat);
        let actions: Vec<_> = offers.iter().flat_map(|offer| (0..offer.count()).map(|at| offer.nth(at))).collect();
        let allowed: BTreeSet<String> =
            actions.iter().map(|action| action_words(&convert::action_to_proto(action))).collect();
        let view = seen(&position, seat.0.into());
        assert_ne!(view.phase(), Phase::Over);
        assert_eq!(offered(&view), allowed, "game {game}, revision {}: {view:#?}", position.revision());
        let words = action_words(&convert::action_to_proto(&actions[below(actions.len() as u64) as usize]));
        let typed = parse_action(GameKind::DeepSeaAdventure, std::slice::from_ref(&words)).unwrap();
        let action = convert::action_from_proto(position.kind(), Some(&typed)).unwrap();
        done.insert(words.split(' ').next().unwrap().to_owned());
        position = position.act(seat, &action, STAMP).unwrap().position;
    }
    let over = board::draw(&seen(&position, 0), false, &Seating::default(), Screen::plain(80));
    assert!(over.contains("The game is over.") && !over.contains(" is to "), "{over}");
    done
}

#[test]
fn the_board_offers_what_the_rules_allow() {
    let done: BTreeSet<String> = (0..GAMES).flat_map(play).collect();
    let every: BTreeSet<String> = ["dive", "turn-back", "leave", "pick-up", "put-down"].map(str::to_owned).into();
    assert_eq!(done, every, "every action was done");
}
