//! What the board offers is what the rules allow: games are played at random, and at every position both are compared.

use std::collections::BTreeSet;

use divelog_ledger::{Advance, GameId, NewGame, Position, SECRET_BYTES, Secret, Stamp, convert};
use divelog_proto::{
    games::captain_carcass::v1::{self as pb, Phase, View},
    v1::{self, GameKind, LegalAction, Viewer, game_options, game_view, viewer::Role},
};

use super::{board, prompt::prompt};
use crate::{Lang, Screen, Seating, action_words, event_sentence, legal_words, parse_action};

const GAMES: u8 = 40;

/// CC-V1 to CC-V7, and none.
const VARIANTS: u8 = 8;

const STAMP: Stamp<'static> = Stamp { time_ms: 0, request_id: "" };

fn new_game(game: u8) -> Advance {
    let divers = (!game.is_multiple_of(5)).then_some(pb::options::Divers::Dealt(pb::DealtDivers {}));
    let options = game_options::Options::CaptainCarcass(pb::Options { divers, variant: (game % VARIANTS).into() });
    let new = NewGame {
        game_id: GameId([game; 16]),
        rules_version: 1,
        options: convert::options_from_proto(Some(&v1::GameOptions { options: Some(options) })).unwrap(),
        players: vec![v1::Player::default(); usize::from(2 + game % 3)],
        labels: Default::default(),
        fork: None,
        request: None,
    };
    Position::create(new, &Secret([game; SECRET_BYTES]), STAMP).unwrap()
}

fn seen(position: &Position, role: Role, seat: u32) -> View {
    let viewer = Viewer { role: role.into(), seat };
    let viewer = convert::viewer_from_proto(Some(&viewer), position.game().seats()).unwrap();
    match convert::view_to_proto(&position.game().view(viewer)).view {
        Some(game_view::View::CaptainCarcass(view)) => view,
        other => panic!("{other:?}"),
    }
}

/// The single actions that lines such as `knife 1: any of anchor key` and `draw or surface` stand for.
fn spread<'a>(lines: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let mut actions = BTreeSet::new();
    for line in lines {
        match line.trim().split_once(": any of ") {
            Some((start, ends)) => actions.extend(ends.split(' ').map(|end| format!("{start} {end}"))),
            None => actions.extend(line.trim().split(" or ").map(str::to_owned)),
        }
    }
    actions
}

/// Every viewer's board fits its screen, wherever a game gets.
fn draw_all(position: &Position) {
    for (role, width) in [(Role::Seat, 100), (Role::Spectator, 40), (Role::Auditor, 60)] {
        let drawn = board::draw(&seen(position, role, 1), false, &Seating::default(), Screen::plain(width));
        assert!(drawn.lines().all(|line| line.chars().count() <= width), "{drawn}");
    }
}

/// Every event has a whole sentence, in which nothing is unknown.
fn describe_all(advance: &Advance) {
    for event in &advance.events {
        let sentence = event_sentence(&convert::event_to_proto(event), &Seating::default(), Lang::En);
        assert!(sentence.ends_with('.') && !sentence.contains("unknown") && !sentence.contains('?'), "{sentence}");
    }
}

/// Plays a game, and returns which phases it had.
fn play(game: u8) -> BTreeSet<i32> {
    let mut advance = new_game(game);
    let mut phases = BTreeSet::new();
    let mut luck = u64::from(game);
    // A generator of numbers that is good enough to choose actions.
    let mut below = |limit: u64| {
        luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (luck >> 33) % limit
    };
    loop {
        draw_all(&advance.position);
        describe_all(&advance);
        let position = &advance.position;
        let Some(seat) = position.to_act().iter().next() else { break };
        let offers = position.game().legal_actions(seat);
        let legal: Vec<LegalAction> = offers.iter().map(convert::offer_to_proto).collect();
        let allowed: Vec<String> = legal.iter().map(legal_words).collect();
        let view = seen(position, Role::Seat, seat.0.into());
        phases.insert(view.phase);
        let offered = prompt(&view, &Seating::default(), Screen::plain(usize::MAX));
        let (offered, allowed) = (spread(offered.lines().skip(1)), spread(allowed.iter().map(String::as_str)));
        assert_eq!(offered, allowed, "game {game}, revision {}: {view:#?}", position.revision());
        let offer = &offers[below(offers.len() as u64) as usize];
        let words = action_words(&convert::action_to_proto(&offer.nth(below(offer.count()))));
        let typed = parse_action(GameKind::CaptainCarcass, &[words]).unwrap();
        let action = convert::action_from_proto(position.kind(), Some(&typed)).unwrap();
        advance = position.act(seat, &action, STAMP).unwrap();
    }
    let over = prompt(&seen(&advance.position, Role::Spectator, 0), &Seating::default(), Screen::plain(80));
    assert_eq!(over, "The game is over.");
    phases
}

#[test]
fn the_board_offers_what_the_rules_allow() {
    let phases: BTreeSet<i32> = (0..GAMES).flat_map(play).collect();
    let all: BTreeSet<i32> = (Phase::NameVictim.into()..Phase::Over.into()).collect();
    assert_eq!(phases, all, "every decision of the game was asked");
}
