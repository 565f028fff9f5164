//! The table "who sees what", row by row: views and events for the acting seat, other seats, spectators and auditors.

use alloc::{vec, vec::Vec};

use arrayvec::ArrayVec;

use super::super::cards::Hold;
use super::super::state::Player;
use super::super::{
    Action, Card, Diver, Event, ExploredCard, GameEnd, OpenNet, Phase, Skip, Source, State, Suit, Variant, View,
};
use super::table::{Table, card, cards, draw, fresh, play_with, unshuffled};
use crate::{Game, Seat, SeatSet, Viewer};

const ACTING: Viewer = Viewer::Seat(Seat(0));
const OTHER: Viewer = Viewer::Seat(Seat(1));
const EVERYBODY: [Viewer; 4] = [ACTING, OTHER, Viewer::Spectator, Viewer::Auditor];

fn everything() -> Table {
    Table::of(2)
        .variant(Variant::BottomFeeder)
        .saboteuse(1, 0)
        .diver(0, Diver::Mystic)
        .row("drone 3")
        .row_from(Source::OwnHold, "map 4")
        .demand(1)
        .open_net("net 5", 1)
        .hold(0, "siren 4, siren 9, key 3")
        .hold(1, "anchor 2, anchor 7")
        .pile("siren 6, chest 7, key 7, net 3")
        .graveyard("squid 2, key 2, anchor 3, net 2")
        .drone_shows(3)
        .map_shows(3)
}

#[test]
fn the_open_information_is_for_everybody() {
    for viewer in EVERYBODY {
        let view = everything().ready().view(viewer);
        let explored = [(card("drone 3"), Source::DrawPile), (card("map 4"), Source::OwnHold)];
        assert_eq!(view.exploration, explored.map(|(card, source)| ExploredCard { card, source }));
        assert_eq!(view.players[0].hold, cards("key 3, siren 9, siren 4"), "the highest of a suit first");
        assert_eq!(view.players[1].hold, cards("anchor 7, anchor 2"));
        assert_eq!([view.players[0].points, view.players[1].points], [12, 7]);
        assert_eq!([view.players[0].seat, view.players[1].seat], [Seat(0), Seat(1)]);
        assert_eq!([view.players[0].diver, view.players[1].diver], [Some(Diver::Mystic), Some(Diver::Saboteuse)]);
        assert_eq!([view.players[0].victim, view.players[1].victim], [None, Some(Seat(0))]);
        assert_eq!((view.draw_pile_size, view.graveyard_size), (4, 4), "cards shown by a map still count");
        assert_eq!((view.squid_demand, view.turned_up), (1, true));
        assert_eq!(view.open_nets, [OpenNet { card: card("net 5"), catches: 1 }]);
        assert_eq!(
            (view.phase, view.to_act, view.turn, view.first_seat),
            (Phase::Map, Some(Seat(0)), Seat(0), Seat(0))
        );
        assert_eq!(view.variant, Some(Variant::BottomFeeder));
        assert_eq!((view.drone_count, view.map_count, view.plunder_count), (3, 3, 0), "how many are shown is open");
    }
}

#[test]
fn cards_shown_by_drone_or_map_are_for_the_acting_seat_and_auditors() {
    for viewer in EVERYBODY {
        let sees = matches!(viewer, ACTING | Viewer::Auditor);
        let view = everything().ready().view(viewer);
        let shown = |names: &str| if sees { cards(names) } else { Vec::new() };
        assert_eq!(view.drone_cards, shown("siren 6, chest 7, key 7"), "{viewer:?}");
        assert_eq!(view.map_cards, shown("anchor 3, squid 2, key 2"), "{viewer:?}");
    }
}

#[test]
fn the_next_player_sees_nothing_of_what_the_last_one_saw() {
    let state = Table::of(2).row("drone 3").drone_shows(1).ready();
    assert_eq!(state.view(ACTING).drone_cards, cards("siren 6"));
    let next = play_with(&state, Action::Surface, &[]).next;
    for viewer in [ACTING, OTHER, Viewer::Spectator] {
        let view = next.view(viewer);
        assert!(view.drone_cards.is_empty() && view.drone_count == 0, "{viewer:?}");
    }
}

#[test]
fn the_piles_are_for_auditors_and_after_the_end_for_all() {
    for over in [false, true] {
        for viewer in EVERYBODY {
            let state = if over { everything().over().ready() } else { everything().ready() };
            let view = state.view(viewer);
            let sees = over || viewer == Viewer::Auditor;
            let shown = |names: &str| if sees { cards(names) } else { Vec::new() };
            assert_eq!(view.draw_pile, shown("siren 6, chest 7, key 7, net 3"), "{viewer:?}");
            assert_eq!(view.graveyard, shown("squid 2, key 2, anchor 3, net 2"), "{viewer:?}");
            assert_eq!(view.to_act.is_none(), over);
        }
    }
}

#[test]
fn a_navigator_does_not_learn_the_order_of_the_graveyard() {
    let table = |graveyard| Table::of(2).diver(0, Diver::Navigator).pile("map 3, siren 7").graveyard(graveyard);
    let one = draw(&table("siren 4, net 2, key 2, chest 2").ready());
    let two = draw(&table("key 2, siren 4, chest 2, net 2").ready());
    assert_eq!(one.next.view(ACTING), two.next.view(ACTING));
    assert_eq!(one.events, two.events);
    assert_eq!(one.next.legal_actions(Seat(0)), two.next.legal_actions(Seat(0)));
}

#[test]
fn set_up_and_shuffles_are_shown_to_auditors_alone() {
    let laid = fresh(2, 0, &Default::default()).events[0].clone();
    let hidden = Event::PilesLaid { draw_pile_size: 50, graveyard_size: 10, draw_pile: vec![], graveyard: vec![] };
    let order = cards("key 2, net 2");
    let shuffled = Event::GraveyardShuffled { size: 2, order };
    let shuffled_hidden = Event::GraveyardShuffled { size: 2, order: vec![] };
    for (event, hidden) in [(laid, hidden), (shuffled, shuffled_hidden)] {
        for viewer in EVERYBODY {
            let expected = if viewer == Viewer::Auditor { &event } else { &hidden };
            assert_eq!(State::redact(State::NEWEST_RULES, &event, viewer).as_ref(), Some(expected), "{viewer:?}");
        }
    }
}

#[test]
fn looks_are_shown_to_who_looks_and_to_auditors() {
    let seat = Seat(0);
    let shown = cards("key 2, net 2");
    let map = |cards| Event::MapShowed { seat, count: 2, cards };
    let drone = |cards| Event::DroneShowed { seat, count: 2, cards };
    for (event, hidden) in [(map(shown.clone()), map(vec![])), (drone(shown), drone(vec![]))] {
        for viewer in EVERYBODY {
            let expected = if matches!(viewer, ACTING | Viewer::Auditor) { &event } else { &hidden };
            assert_eq!(State::redact(State::NEWEST_RULES, &event, viewer).as_ref(), Some(expected), "{viewer:?}");
        }
    }
}

#[test]
fn all_other_events_are_open() {
    let (seat, other, one) = (Seat(0), Seat(1), card("key 2"));
    let cards = vec![one];
    let events = [
        Event::DiversGiven { divers: vec![Diver::Miser], dealt: true },
        Event::FirstSeatDrawn { seat },
        Event::VictimNamed { seat, victim: other },
        Event::TurnStarted { seat },
        Event::Drew { seat, card: one, draw_pile_size: 3 },
        Event::DemandVoided { seat, squid_demand: 1 },
        Event::WentStraightToHold { seat, card: one },
        Event::Entered { seat, card: one, source: Source::DrawPile, squid_demand: 0 },
        Event::SquidAsked { seat, asks: 2, squid_demand: 2 },
        Event::EffectSkipped { seat, suit: Suit::Map, skip: Skip::EmptyGraveyard },
        Event::PlacedFromMap { seat, card: one },
        Event::Knifed { seat, victim: other, cards: cards.clone(), to_hold_of: None },
        Event::Misfired { seat, owner: other, card: one },
        Event::Netted { seat, card: one, second: false },
        Event::Harpooned { seat, victim: other, card: one },
        Event::HarpoonParried { seat, owner: other, card: one },
        Event::IncidentCaused { seat, card: one },
        Event::Saved { seat, cards: cards.clone() },
        Event::Lost { seat, cards: cards.clone(), to_hold_of: None },
        Event::Surfaced { seat, cards: cards.clone() },
        Event::BonusEarned { seat, count: 2 },
        Event::BonusTaken { seat, cards: cards.clone() },
        Event::Plundered { seat, victim: other, cards },
        Event::GameEnded { cause: GameEnd::DrawPileEmpty, points: vec![1, 2], winners: SeatSet::only(other) },
    ];
    for event in events {
        for viewer in EVERYBODY {
            assert_eq!(State::redact(State::NEWEST_RULES, &event, viewer).as_ref(), Some(&event));
        }
    }
}

#[test]
fn other_seats_learn_of_a_map_only_what_is_placed() {
    let state = Table::of(2).pile("map 3, siren 7").graveyard("net 2, key 2, siren 4, chest 2").ready();
    let step = play_with(&state, Action::Draw, &unshuffled(4));
    for viewer in [OTHER, Viewer::Spectator] {
        let view = step.next.view(viewer);
        assert_eq!((view.map_count, view.map_cards.len(), view.graveyard.len()), (3, 0, 0));
        let expected: Vec<Event> =
            step.events.iter().filter_map(|event| State::redact(State::NEWEST_RULES, event, viewer)).collect();
        assert_eq!(expected[3], Event::MapShowed { seat: Seat(0), count: 3, cards: vec![] });
    }
}

/// The state that an auditor's view describes.
fn rebuilt(view: &View) -> State {
    let hold = |cards: &[Card]| {
        let mut hold = Hold::default();
        cards.iter().for_each(|card| hold.insert(*card));
        hold
    };
    let player = |player: &super::super::PlayerView| Player {
        diver: player.diver,
        victim: player.victim,
        hold: hold(&player.hold),
    };
    State {
        rules: State::NEWEST_RULES,
        variant: view.variant,
        phase: view.phase,
        turn: view.turn,
        first_seat: view.first_seat,
        players: view.players.iter().map(player).collect(),
        exploration: view.exploration.iter().copied().collect(),
        turned_up: view.turned_up,
        squid_demand: view.squid_demand,
        open_nets: view.open_nets.iter().copied().collect::<ArrayVec<_, 6>>(),
        draw_pile: view.draw_pile.iter().copied().collect(),
        graveyard: view.graveyard.iter().copied().collect(),
        drone_count: view.drone_count,
        map_count: view.map_count,
        plunder_count: view.plunder_count,
    }
}

#[test]
fn an_auditors_view_is_the_whole_state() {
    for state in [everything().ready(), everything().over().ready(), everything().plunder(4).ready()] {
        assert_eq!(rebuilt(&state.view(Viewer::Auditor)), state);
    }
}
