//! The rows of the rule book's table *Who sees what*: views and events, for everybody.

use alloc::{vec, vec::Vec};

use super::super::ActionCard::{A2, A3, A4};
use super::super::{Action, Colour, Deck, Event, Half, Phase, PlayedView, State, VeiledIsland, View};
use super::table::{Table, act, act_with, fresh, island, islands, set, treasure, treasures};
use crate::{Game, Seat, Viewer};

const EVERYBODY: [Viewer; 6] = [
    Viewer::Seat(Seat(0)),
    Viewer::Seat(Seat(1)),
    Viewer::Seat(Seat(2)),
    Viewer::Seat(Seat(3)),
    Viewer::Spectator,
    Viewer::Auditor,
];

/// Whether a viewer is an auditor or one of these seats.
fn is_one_of(viewer: Viewer, seats: &[u8]) -> bool {
    viewer == Viewer::Auditor || seats.iter().any(|seat| viewer == Viewer::Seat(Seat(*seat)))
}

/// Four players with different hands, treasures and bonus cards; seat 1 is first.
fn table() -> Table {
    let hands = Table::of(4).hand(0, "r1 b5").hand(1, "r9 g2").hand(2, "p3 p4").hand(3, "g11 g12").more(0);
    hands.first(1).pile(0, "r2 g3 b4").pile(2, "p5").bonus(0, 4).bonus(3, 1).up("r5 p4").scores(3, &[7])
}

#[test]
fn own_hand() {
    let state = table().ready();
    for viewer in EVERYBODY {
        let view = state.view(viewer);
        for (seat, hand) in [(0, "r1 b5"), (1, "r9 g2"), (2, "p3 p4"), (3, "g11 g12")] {
            let player = &view.players[usize::from(seat)];
            assert_eq!(player.hand_size, 2);
            let seen = is_one_of(viewer, &[seat]).then(|| islands(hand));
            assert_eq!(player.hand, seen, "hand of {seat} for {viewer:?}");
        }
    }
    let step = fresh(4, 0);
    for viewer in EVERYBODY {
        for event in step.events.iter().filter(|event| matches!(event, Event::HandDealt { .. })) {
            let Some(Event::HandDealt { seat, count, islands }) = State::redact(State::NEWEST_RULES, event, viewer)
            else {
                panic!()
            };
            assert_eq!((count, islands.is_some()), (12, is_one_of(viewer, &[seat.0])));
        }
    }
}

#[test]
fn a_played_still_veiled_island() {
    for (show, open) in [
        (Half::Sea, VeiledIsland { colour: Some(Colour::Red), number: None }),
        (Half::Coast, VeiledIsland { colour: None, number: Some(9) }),
    ] {
        let state = table().bonus(1, 2).ready();
        let step = act(&state, 1, Action::Play { island: island("r9"), show, bonus: 2 });
        for viewer in EVERYBODY {
            let seen = if is_one_of(viewer, &[1]) { island("r9").whole() } else { open };
            let expected = PlayedView { island: seen, show, bonus: 2, veiled: true, taken: false };
            let view = step.next.view(viewer);
            assert_eq!(view.players[1].played, Some(expected), "{viewer:?}");
            assert_eq!((view.players[1].bonus, view.players[1].hand_size), (0, 1));
            assert!(view.colours_won.is_empty());
            let expected = Event::IslandPlayed { seat: Seat(1), island: seen, show, bonus: 2 };
            assert_eq!(State::redact(State::NEWEST_RULES, &step.events[0], viewer), Some(expected), "{viewer:?}");
        }
    }
}

#[test]
fn lifted_islands_are_open() {
    let step = table().plays("r8 b1 p1 p2").played();
    for viewer in EVERYBODY {
        let view = step.next.view(viewer);
        for (seat, text) in [(1, "r8"), (2, "b1"), (3, "p1"), (0, "p2")] {
            let played = view.players[seat].played.unwrap();
            assert_eq!((played.island, played.veiled), (island(text).whole(), false));
        }
        assert_eq!(view.colours_won, step.next.colours_won().to_vec());
        assert_eq!(view.prize_colours.iter().collect::<Vec<_>>(), [Colour::Red, Colour::Purple]);
    }
}

/// What everybody sees alike.
fn open_information(view: &View) {
    assert_eq!((view.round, view.trick, view.phase), (1, 1, Phase::Play));
    assert_eq!((view.turn, view.first_seat), (Some(Seat(1)), Seat(1)));
    let tops: Vec<_> = view.decks.iter().map(|deck| (deck.deck, deck.turned_up, deck.face_down_size)).collect();
    assert_eq!(tops, [(Deck::RedBlue, Some(treasure("r5")), 8), (Deck::GreenPurple, Some(treasure("p4")), 8)]);
    let piles: Vec<_> = view.players.iter().map(|player| player.treasures.clone()).collect();
    assert_eq!(piles, [treasures("r2 g3 b4"), vec![], treasures("p5"), vec![]], "also below the top");
    assert_eq!(view.players.iter().map(|player| player.bonus).collect::<Vec<_>>(), [4, 0, 0, 1]);
    assert_eq!(view.players.iter().map(|player| player.points).collect::<Vec<_>>(), [11, 0, 5, 0]);
    assert_eq!(view.players[3].scores, [7]);
    assert_eq!((view.supply, view.set_aside_size), (17, 40));
    assert_eq!(view.discarded, []);
    assert_eq!(view.treasure_values, [1, 2, 2, 3, 3, 4, 4, 5]);
}

#[test]
fn treasures_counts_and_first_player() {
    let state = table().ready();
    for viewer in EVERYBODY {
        open_information(&state.view(viewer));
    }
}

#[test]
fn order_of_the_decks_and_islands_set_aside() {
    for over in [false, true] {
        let mut state = table().ready();
        if over {
            (state.phase, state.turn) = (Phase::Over, None);
        }
        for viewer in EVERYBODY {
            let view = state.view(viewer);
            let sees = over || viewer == Viewer::Auditor;
            assert_eq!(view.set_aside, sees.then(|| state.set_aside.iter().collect()));
            for (seen, deck) in view.decks.iter().zip(&state.decks) {
                assert_eq!(seen.face_down, sees.then(|| deck.face_down.to_vec()));
            }
            assert_eq!(view.players.iter().all(|player| player.hand.is_some()), sees, "all is open at the end");
        }
    }
    let step = fresh(5, 0);
    for viewer in EVERYBODY {
        let sees = viewer == Viewer::Auditor;
        let mut hidden = 0;
        for event in step.events.iter().filter_map(|event| State::redact(State::NEWEST_RULES, event, viewer)) {
            match event {
                Event::DeckShuffled { size, order, .. } => {
                    assert_eq!((size, order.is_some()), (16, sees));
                    hidden += 1;
                }
                Event::IslandsShuffled { order } => {
                    assert_eq!(order.is_some(), sees);
                    hidden += 1;
                }
                Event::IslandsSetAside { count, islands } => {
                    assert_eq!((count, islands.is_some()), (3, sees));
                    hidden += 1;
                }
                _ => {}
            }
        }
        assert_eq!(hidden, 4);
    }
}

#[test]
fn treasures_seen_by_a3() {
    let state = Table::of(4).cards(A3, A2).up("r1 g1").face_down(0, "r2 b3 r4 b5").plays("b9 b2 p9 p2").played().next;
    let peeked = act(&state, 0, Action::PeekDeck { deck: Deck::RedBlue });
    let back = act(&peeked.next, 0, Action::Reorder { order: vec![2, 0, 1] });
    for viewer in EVERYBODY {
        let sees = is_one_of(viewer, &[0]);
        let seen = sees.then(|| treasures("r2 b3 r4"));
        let view = peeked.next.view(viewer);
        assert_eq!((view.phase, view.turn), (Phase::Reorder { deck: Deck::RedBlue }, Some(Seat(0))));
        assert_eq!(view.peeked, seen, "{viewer:?}");
        assert_eq!(view.decks[0].face_down.is_some(), viewer == Viewer::Auditor, "the rest stays hidden");
        let expected = Event::DeckPeeked { seat: Seat(0), deck: Deck::RedBlue, treasures: seen };
        assert_eq!(State::redact(State::NEWEST_RULES, &peeked.events[0], viewer), Some(expected));
        assert_eq!(back.next.view(viewer).peeked, None, "only while the choice is open");
        let expected = Event::DeckReordered { seat: Seat(0), deck: Deck::RedBlue, order: sees.then(|| vec![2, 0, 1]) };
        assert_eq!(State::redact(State::NEWEST_RULES, &back.events[0], viewer), Some(expected));
    }
}

#[test]
fn discarded_islands_and_an_island_taken_by_a4() {
    let state = Table::of(4).cards(A4, A3).up("r1 g1").plays("b9 b2 p9 p2").played().next;
    let taken = act(&state, 0, Action::TakePlayed { seat: Seat(2) });
    let discarded = act(&taken.next, 0, Action::DiscardIsland { island: island("p9") });
    for viewer in EVERYBODY {
        let played = taken.next.view(viewer).players[2].played.unwrap();
        assert_eq!((played.island, played.taken), (island("p9").whole(), true));
        assert_eq!(State::redact(State::NEWEST_RULES, &taken.events[0], viewer).as_ref(), Some(&taken.events[0]));
        assert_eq!(discarded.next.view(viewer).discarded, islands("p9"));
        assert_eq!(
            State::redact(State::NEWEST_RULES, &discarded.events[0], viewer).as_ref(),
            Some(&discarded.events[0])
        );
    }
}

#[test]
fn islands_passed() {
    let mut state = Table::of(4).passing().hand(0, "r1 r2").hand(1, "b1 b2").hand(2, "g1 g2").hand(3, "p1 p2").ready();
    let mut last = Vec::new();
    for (seat, text) in [(2, "g2"), (0, "r2"), (3, "p2"), (1, "b2")] {
        let step = act(&state, seat, Action::Pass { island: island(text) });
        (state, last) = (step.next, step.events);
        for viewer in EVERYBODY {
            let seen = is_one_of(viewer, &[seat]).then(|| island(text));
            let expected = Event::PassChosen { seat: Seat(seat), island: seen };
            assert_eq!(State::redact(State::NEWEST_RULES, &last[0], viewer), Some(expected), "{viewer:?}");
            if state.phase == Phase::Pass {
                let player = &state.view(viewer).players[usize::from(seat)];
                assert_eq!((player.has_passed, player.hand_size, player.passing), (true, 1, seen), "{viewer:?}");
            }
        }
    }
    let passed = [(0, 3, "r2"), (1, 0, "b2"), (2, 1, "g2"), (3, 2, "p2")];
    for viewer in EVERYBODY {
        let view = state.view(viewer);
        assert!(view.players.iter().all(|player| !player.has_passed && player.passing.is_none()));
        for (event, (from, to, text)) in last[1..].iter().zip(passed) {
            let seen = is_one_of(viewer, &[from, to]).then(|| island(text));
            let expected = Event::IslandPassed { from: Seat(from), to: Seat(to), island: seen };
            assert_eq!(State::redact(State::NEWEST_RULES, event, viewer), Some(expected), "{viewer:?}");
        }
    }
}

#[test]
fn islands_swapped() {
    let hands = Table::of(4).hand(0, "r1 r2").hand(1, "r3 r4").hand(2, "r5 r6").hand(3, "r7 r8").more(0);
    let state = hands.cards(A2, A3).up("r1 g1").plays("b9 b2 p9 p2").played().next;
    let taken = act_with(&state, 0, Action::SwapWith { seat: Seat(3) }, &[(2, 0), (1, 0)]);
    let given = act(&taken.next, 0, Action::GiveBack { islands: islands("r8 r1") });
    for viewer in EVERYBODY {
        let both = is_one_of(viewer, &[0, 3]);
        let expected =
            Event::IslandsTaken { seat: Seat(0), from: Seat(3), count: 2, islands: both.then(|| islands("r7 r8")) };
        assert_eq!(State::redact(State::NEWEST_RULES, &taken.events[0], viewer), Some(expected), "{viewer:?}");
        let sizes: Vec<u8> = taken.next.view(viewer).players.iter().map(|player| player.hand_size).collect();
        assert_eq!(sizes, [4, 2, 2, 0]);
        assert_eq!(taken.next.view(viewer).phase, Phase::GiveBack { to: Seat(3), count: 2 });
        let expected =
            Event::IslandsGivenBack { seat: Seat(0), to: Seat(3), count: 2, islands: both.then(|| islands("r1 r8")) };
        assert_eq!(State::redact(State::NEWEST_RULES, &given.events[0], viewer), Some(expected), "{viewer:?}");
    }
    assert_eq!(given.next.player(Seat(3)).hand, set("r1 r8"));
}

#[test]
fn all_other_events_are_the_same_for_everybody() {
    // A trick with treasure, bonus cards, actions and its clearing up.
    let step = table().cards(A2, A4).plays("r8 b1 p1 p2").played();
    let taken = act(&step.next, 1, Action::TakeTreasure);
    for event in step.events.iter().chain(&taken.events) {
        for viewer in EVERYBODY {
            assert_eq!(State::redact(State::NEWEST_RULES, event, viewer).as_ref(), Some(event));
        }
    }
}
