//! KL-8 to KL-11, KL-13, KL-14 and their rulings: boats, draws and weights. Monsters have a file of their own.

use super::super::{Action, Card, CardId, Depth, DrawCause, Event, Phase, Place};
use super::table::{
    MONSTER, Table, antiques, asked, faces, gold, goods, hoses, is_offered, play, play_all, play_with, refusal,
    trident, unshuffled, weight, wreck_faces,
};
use crate::Seat;

fn place(wreck: u32) -> Action {
    Action::PlaceBoat { wreck }
}

fn draw(diver: u32) -> Action {
    Action::DrawCard { diver }
}

fn use_weight(diver: u32) -> Action {
    Action::UseWeight { diver }
}

#[test]
fn kl_8_hoses_decide_which_wrecks_are_in_reach() {
    // With three players wrecks 0 to 2 are shallow, 3 to 6 medium, 7 to 10 deep.
    for (team, reach) in [
        (&[hoses(0)][..], 3),
        (&[hoses(1)], 7),
        (&[hoses(2)], 11),
        (&[hoses(0), hoses(1)], 7),
        (&[hoses(0), hoses(0), hoses(2)], 11),
    ] {
        let state = Table::of(3).divers(0, team).go(&[Place::Dive, Place::Bar, Place::Bar]);
        for wreck in 0..11 {
            if wreck < reach {
                assert_eq!(play(&state, 0, place(wreck)).next.players[0].boat, Some(wreck as u8));
            } else {
                assert_eq!(refusal(&state, 0, place(wreck)), ("KL-8", "OUT_OF_REACH"), "{team:?}, wreck {wreck}");
            }
        }
    }
}

#[test]
fn kl_8_a_wreck_needs_cards_and_no_other_boat() {
    let state = Table::of(3).wreck(1, &[]).go(&[Place::Dive, Place::Dive, Place::Bar]);
    assert_eq!(refusal(&state, 0, place(1)), ("KL-8", "WRECK_GONE"));
    let state = play(&state, 0, place(2)).next;
    assert_eq!(refusal(&state, 1, place(2)), ("KL-8", "BOAT_THERE"));
    assert_eq!(play(&state, 1, place(0)).next.players[1].boat, Some(0));
}

#[test]
fn kl_9_divers_who_cannot_reach_the_wreck_stay_aboard() {
    let state =
        Table::of(3).divers(0, &[hoses(0), hoses(1), weight(trident(hoses(0)))]).wreck(3, &[gold(2); 5]).dive_on(3);
    assert_eq!(refusal(&state, 0, draw(0)), ("KL-9", "STAYS_ABOARD"));
    assert_eq!(refusal(&state, 0, draw(2)), ("KL-9", "STAYS_ABOARD"));
    let state = play(&state, 0, draw(1)).next;
    assert_eq!(refusal(&state, 0, use_weight(2)), ("KL-9", "STAYS_ABOARD"));
    play(&state, 0, Action::Surface);
}

#[test]
fn kl_10_each_diver_draws_one_card_in_any_order() {
    let team = [hoses(0), hoses(0), hoses(0)];
    let state = Table::of(3).divers(0, &team).wreck(0, &[gold(1), gold(2), goods(3), gold(4), gold(5)]).dive_on(0);
    assert_eq!(refusal(&state, 0, Action::Surface), ("KL-R4", "NOT_ALL_HAVE_DRAWN"));
    let step = play(&state, 0, draw(2));
    let card = Card { depth: Depth::Shallow, face: Some(gold(1)), id: Some(CardId(0)) };
    let drawn = Event::CardDrawn { seat: Seat(0), diver: 2, wreck: 0, cause: DrawCause::Turn, card };
    assert_eq!(step.events, [drawn], "the top card");
    assert_eq!(refusal(&step.next, 0, draw(2)), ("KL-10", "HAS_DRAWN"));
    let state = play_all(&step.next, 0, [draw(0), draw(1)]);
    assert_eq!(faces(&state, 0), [gold(1), gold(2), goods(3)]);
    assert_eq!(wreck_faces(&state, 0), [gold(4), gold(5)]);
    play(&state, 0, Action::Surface);
}

#[test]
fn kl_10_a_diver_who_is_not_there_cannot_draw() {
    let state = Table::of(3).dive_on(0);
    assert_eq!(refusal(&state, 0, draw(1)), ("KL-R16", "NO_SUCH_DIVER"));
    assert_eq!(refusal(&state, 0, use_weight(2)), ("KL-R16", "NO_SUCH_DIVER"));
    assert_eq!(refusal(&state, 0, draw(3)), ("MALFORMED", "MALFORMED_ACTION"));
}

#[test]
fn kl_11_a_treasure_goes_into_the_hand() {
    let state = Table::of(3).wreck(0, &[antiques(3), gold(1)]).dive_on(0);
    let state = play(&state, 0, draw(0)).next;
    assert_eq!(faces(&state, 0), [antiques(3)]);
    assert_eq!(asked(&state), (Phase::Dive, [0].into()));
}

#[test]
fn kl_13_a_weight_draws_one_card_more_after_a_treasure() {
    let team = [weight(hoses(0)), weight(hoses(0))];
    let state = Table::of(3).divers(0, &team).wreck(0, &[gold(1), gold(2), goods(3), gold(4), gold(5)]).dive_on(0);
    assert_eq!(refusal(&state, 0, use_weight(0)), ("KL-13", "NO_TREASURE"), "nothing is drawn yet");
    let state = play(&state, 0, draw(0)).next;
    let step = play(&state, 0, use_weight(1));
    let card = Card { depth: Depth::Shallow, face: Some(gold(2)), id: Some(CardId(1)) };
    let drawn = Event::CardDrawn { seat: Seat(0), diver: 1, wreck: 0, cause: DrawCause::Weight, card };
    assert_eq!(step.events, [Event::WeightUsed { seat: Seat(0), diver: 1 }, drawn]);
    let state = step.next;
    assert_eq!((state.gone.items, state.reserve.items), ([0, 0, 1], [20, 10, 10]), "it leaves the game");
    assert_eq!(refusal(&state, 0, use_weight(1)), ("KL-13", "NO_WEIGHT"));
    assert!(is_offered(&state, 0, &draw(1)), "their own card is still to come");
    let state = play_all(&state, 0, [use_weight(0), draw(1)]);
    assert_eq!(faces(&state, 0), [gold(1), gold(2), goods(3), gold(4)]);
}

#[test]
fn kl_13_a_weight_may_be_used_after_the_last_diver_has_drawn() {
    let state = Table::of(3).divers(0, &[weight(hoses(0))]).dive_on(0);
    let state = play(&state, 0, draw(0)).next;
    assert!(is_offered(&state, 0, &Action::Surface), "and need not be");
    assert_eq!(play(&state, 0, use_weight(0)).next.players[0].hand.len(), 2);
}

#[test]
fn kl_14_an_empty_wreck_stops_the_drawing_and_is_gone() {
    let team = [weight(hoses(0)), hoses(0), hoses(0)];
    let state = Table::of(3).divers(0, &team).wreck(0, &[gold(1), gold(2)]).dive_on(0);
    let state = play_all(&state, 0, [draw(0), draw(1)]);
    assert_eq!(refusal(&state, 0, draw(2)), ("KL-14", "WRECK_EMPTY"));
    assert_eq!(refusal(&state, 0, use_weight(0)), ("KL-14", "WRECK_EMPTY"));
    let step = play(&state, 0, Action::Surface);
    assert_eq!(step.events[..2], [Event::Surfaced { seat: Seat(0), wreck: 0 }, Event::WreckGone { wreck: 0 }]);
    assert!(step.next.wrecks[0].cards.is_empty());
}

#[test]
fn kl_14_without_monsters_set_aside_the_order_stays() {
    let state = Table::of(3).wreck(0, &[gold(1), gold(2), goods(3)]).dive_on(0);
    let state = play(&state, 0, draw(0)).next;
    let step = play(&state, 0, Action::Surface);
    assert_eq!(wreck_faces(&step.next, 0), [gold(2), goods(3)]);
    assert!(!step.events.iter().any(|event| matches!(event, Event::WreckShuffled { .. } | Event::WreckGone { .. })));
}

#[test]
fn kl_14_monsters_go_back_to_the_bottom_and_the_wreck_is_shuffled() {
    let state = Table::of(3).divers(0, &[hoses(1)]).wreck(3, &[MONSTER, gold(2), goods(3)]).dive_on(3);
    let state = play_all(&state, 0, [draw(0), Action::Flee]);
    let ids =
        |state: &super::super::State| state.wrecks[3].cards.iter().map(|card| card.0).collect::<alloc::vec::Vec<_>>();
    assert_eq!(ids(&state), [21, 22]);
    // The monster, card 20, lies below 21 and 22; the draw swaps it with the top.
    let step = play_with(&state, 0, Action::Surface, [(3, 0), (2, 1)]);
    assert_eq!(ids(&step.next), [20, 22, 21]);
    let card = |id| Card { depth: Depth::Medium, face: Some(step.next.face(CardId(id))), id: Some(CardId(id)) };
    assert_eq!(
        step.events[..3],
        [
            Event::Surfaced { seat: Seat(0), wreck: 3 },
            Event::MonstersReturned { wreck: 3, cards: [card(20)].into() },
            Event::WreckShuffled { wreck: 3, cards: [card(20), card(22), card(21)].into() },
        ]
    );
}

#[test]
fn kl_r4_every_diver_draws_while_nobody_was_chased_off() {
    let state = Table::of(3).divers(0, &[hoses(1), hoses(1)]).wreck(3, &[gold(2), MONSTER, gold(3)]).dive_on(3);
    assert_eq!(refusal(&state, 0, Action::Surface), ("KL-R4", "NOT_ALL_HAVE_DRAWN"));
    let state = play(&state, 0, draw(0)).next;
    assert_eq!(refusal(&state, 0, Action::Surface), ("KL-R4", "NOT_ALL_HAVE_DRAWN"));
    let chased = Table::of(3).divers(0, &[hoses(1), hoses(1)]).wreck(3, &[MONSTER, gold(3)]).dive_on(3);
    let chased = play_all(&chased, 0, [draw(1), Action::Flee]);
    assert!(is_offered(&chased, 0, &draw(0)) && is_offered(&chased, 0, &Action::Surface));
}

#[test]
fn kl_r4_a_weight_needs_that_the_last_card_was_a_treasure() {
    let team = [weight(hoses(1)), hoses(1), hoses(1)];
    let state = Table::of(3).divers(0, &team).wreck(3, &[gold(2), MONSTER, gold(3), gold(4)]).dive_on(3);
    let state = play_all(&state, 0, [draw(0), draw(1), Action::Flee]);
    assert_eq!(refusal(&state, 0, use_weight(0)), ("KL-13", "NO_TREASURE"), "the last card was a monster");
    let state = play(&state, 0, draw(1)).next;
    play(&state, 0, use_weight(0));
}

#[test]
fn kl_r5_extra_and_replacement_cards_can_be_monsters() {
    // By weight: the diver who used it meets the monster.
    let team = [hoses(1), weight(hoses(1))];
    let state = Table::of(3).divers(0, &team).wreck(3, &[gold(2), MONSTER, gold(4)]).dive_on(3);
    let state = play_all(&state, 0, [draw(0), use_weight(1)]);
    assert_eq!((state.phase, state.dive.last_diver), (Phase::Monster, Some(1)));
    let step = play(&state, 0, Action::Flee);
    assert_eq!(step.events, [Event::DiverFled { seat: Seat(0), diver: 1, hoses: 1, weight: false }]);
    assert_eq!(faces(&step.next, 0), [gold(2)], "the treasure stays");
    // By trident: the replacement is a monster too.
    let team = [trident(hoses(1)), trident(hoses(1))];
    let state = Table::of(3).divers(0, &team).wreck(3, &[MONSTER, MONSTER, gold(4)]).dive_on(3);
    let state = play_all(&state, 0, [draw(0), Action::UseTrident { diver: 0 }]);
    assert_eq!((state.phase, state.dive.last_diver), (Phase::Monster, Some(0)));
    let state = play(&state, 0, Action::UseTrident { diver: 1 }).next;
    assert_eq!((faces(&state, 0), state.killed.len()), ([gold(4)].into(), 2));
}

#[test]
fn kl_r6_several_monsters_set_aside_all_go_back() {
    let state = Table::of(3).divers(0, &[hoses(1), hoses(1)]).wreck(3, &[MONSTER, MONSTER, gold(4)]).dive_on(3);
    let state = play_all(&state, 0, [draw(0), Action::Flee, draw(0), Action::Flee]);
    assert!(state.players[0].divers.is_empty());
    let step = play_with(&state, 0, Action::Surface, unshuffled(3));
    assert_eq!(wreck_faces(&step.next, 3), [gold(4), MONSTER, MONSTER]);
    let returned: alloc::vec::Vec<_> = step.next.wrecks[3].cards.iter().map(|card| card.0).collect();
    assert_eq!(returned, [22, 20, 21], "in the order of meeting");
}

#[test]
fn kl_r15_the_diver_who_carries_the_weight_draws() {
    let team = [hoses(1), weight(hoses(1))];
    let state = Table::of(3).divers(0, &team).wreck(3, &[gold(2), gold(3), gold(4)]).dive_on(3);
    let state = play(&state, 0, draw(0)).next;
    assert_eq!(refusal(&state, 0, use_weight(0)), ("KL-13", "NO_WEIGHT"));
    assert_eq!(play(&state, 0, use_weight(1)).next.dive.last_diver, Some(1));
}

#[test]
fn kl_r16_when_a_diver_leaves_those_after_move_up() {
    let team = [hoses(1), hoses(2), weight(hoses(1))];
    let state = Table::of(3).divers(0, &team).wreck(3, &[MONSTER, gold(3), gold(4), gold(1)]).dive_on(3);
    let state = play_all(&state, 0, [draw(0), Action::Flee]);
    assert_eq!(state.players[0].divers[..], [hoses(2), weight(hoses(1))]);
    let state = play_all(&state, 0, [draw(1), draw(0)]);
    assert_eq!(refusal(&state, 0, draw(2)), ("KL-R16", "NO_SUCH_DIVER"));
}

#[test]
fn kl_r16_a_one_card_wreck_is_still_shuffled() {
    let state = Table::of(3).divers(0, &[hoses(1)]).wreck(3, &[MONSTER]).dive_on(3);
    let state = play_all(&state, 0, [draw(0), Action::Flee]);
    let step = play_with(&state, 0, Action::Surface, unshuffled(1));
    assert!(
        step.events.iter().any(|event| matches!(event, Event::WreckShuffled { wreck: 3, cards } if cards.len() == 1))
    );
}
