//! KL-E1, KL-E2, KL-E3, KL-E5, KL-R8 and KL-R22: encounters while diving. The saboteur has a file of its own.

use alloc::{vec, vec::Vec};

use super::super::{Action, Depth, DrawCause, Encounter, Event, Phase, Play, SaleWay};
use super::table::{
    MONSTER, Table, antiques, asked, cash, diamond, faces, gold, goods, held, hoses, is_offered, only, plain, play,
    play_all, play_with, refusal, trident, unshuffled, weight, wreck_faces,
};

use Encounter::{AttentiveDiver, HastyBuyer, Regular, Volunteer};

fn draw(diver: u32) -> Action {
    Action::DrawCard { diver }
}

fn volunteer(diver: u32) -> Action {
    Action::PlayEncounter(Play::Volunteer { diver })
}

fn hasty(treasure: u32) -> Action {
    Action::PlayEncounter(Play::HastyBuyer { treasure })
}

fn diving(encounter: Encounter) -> Table {
    Table::with_encounters(3).holds(0, &[encounter])
}

fn causes(events: &[Event]) -> Vec<(u8, DrawCause)> {
    only(events, |event| match event {
        Event::CardDrawn { diver, cause, .. } => Some((*diver, *cause)),
        _ => None,
    })
}

#[test]
fn kl_e1_a_volunteer_draws_one_more_card_on_a_shallow_wreck() {
    let table = || diving(Volunteer).divers(0, &[hoses(0), hoses(0)]).wreck(0, &[gold(1), gold(2), goods(3)]);
    // Before the first card, between, and after the last.
    for moment in 0..3 {
        let mut actions = vec![draw(0), draw(1)];
        actions.insert(moment, volunteer(1));
        let state = play_all(&table().dive_on(0), 0, actions);
        assert_eq!(faces(&state, 0), [gold(1), gold(2), goods(3)]);
        assert_eq!(state.players[0].played, Some(Volunteer));
    }
    let step = play(&table().dive_on(0), 0, volunteer(1));
    assert_eq!(causes(&step.events), [(1, DrawCause::Volunteer)]);
    assert!(is_offered(&step.next, 0, &draw(1)), "their own card is still to come");
}

#[test]
fn kl_r22_a_card_by_weight_or_volunteer_is_not_the_divers_own() {
    let team = [hoses(0), weight(hoses(0))];
    let table = diving(Volunteer).divers(0, &team).wreck(0, &[gold(1); 5]);
    let state = play_all(&table.dive_on(0), 0, [volunteer(0), Action::UseWeight { diver: 1 }]);
    assert!(state.players[0].divers.iter().all(|diver| !diver.has_drawn));
    assert_eq!(refusal(&state, 0, Action::Surface), ("KL-R4", "NOT_ALL_HAVE_DRAWN"));
    let state = play_all(&state, 0, [draw(0), draw(1)]);
    assert_eq!(held(&state, 0).len(), 4);
}

#[test]
fn kl_e1_needs_a_shallow_wreck_with_cards_and_a_diver_on_it() {
    let state = diving(Volunteer).divers(0, &[hoses(1)]).wreck(3, &[gold(2); 5]).dive_on(3);
    assert_eq!(refusal(&state, 0, volunteer(0)), ("KL-E1", "NOT_SHALLOW"));
    let state = diving(Volunteer).wreck(0, &[gold(2)]).dive_on(0);
    assert_eq!(refusal(&state, 0, volunteer(1)), ("KL-R16", "NO_SUCH_DIVER"));
    assert_eq!(refusal(&state, 0, volunteer(3)), ("MALFORMED", "MALFORMED_ACTION"));
    assert_eq!(refusal(&state, 0, plain(Volunteer)), ("MALFORMED", "MALFORMED_ACTION"));
    let empty = play(&state, 0, draw(0)).next;
    assert_eq!(refusal(&empty, 0, volunteer(0)), ("KL-E1", "WRECK_EMPTY"));
}

#[test]
fn kl_r5_a_volunteers_card_can_be_a_monster() {
    let state = diving(Volunteer).wreck(0, &[gold(2), MONSTER, gold(1)]).dive_on(0);
    let state = play_all(&state, 0, [draw(0), volunteer(0)]);
    assert_eq!((state.phase, state.dive.last_diver), (Phase::Monster, Some(0)));
}

#[test]
fn kl_e2_a_hasty_buyer_pays_the_best_price() {
    for (face, income) in [(gold(2), 60), (goods(2), 80), (antiques(3), 120)] {
        let state = diving(HastyBuyer).wreck(0, &[face, gold(1)]).dive_on(0);
        let state = play(&state, 0, draw(0)).next;
        let step = play(&state, 0, hasty(0));
        let Event::CardsSold { way: SaleWay::HastyBuyer, ware, income: paid, .. } = &step.events[1] else {
            panic!("{:?}", step.events)
        };
        assert_eq!((*ware, *paid), (face.ware(), income));
        assert_eq!((cash(&step.next, 0), held(&step.next, 0)), (100 + income, vec![]));
        assert_eq!(asked(&step.next), (Phase::Dive, [0].into()), "the dive goes on");
    }
}

#[test]
fn kl_e2_takes_no_diamond() {
    let state = diving(HastyBuyer).wreck(0, &[diamond(100), gold(1)]).dive_on(0);
    let state = play(&state, 0, draw(0)).next;
    assert_eq!(refusal(&state, 0, hasty(0)), ("KL-E2", "DIAMOND"));
}

#[test]
fn kl_r8_any_card_drawn_in_this_dive_and_still_in_hand() {
    let team = [hoses(0), hoses(0)];
    let table = diving(HastyBuyer).divers(0, &team).wreck(0, &[gold(1), goods(3), gold(2)]);
    let state = table.hand(0, Depth::Deep, &[goods(7)]).dive_on(0);
    assert_eq!(refusal(&state, 0, hasty(79)), ("KL-R8", "NOT_DRAWN_NOW"), "from an earlier dive");
    assert_eq!(refusal(&state, 0, hasty(0)), ("KL-R8", "NOT_DRAWN_NOW"), "still in the wreck");
    assert_eq!(refusal(&state, 0, hasty(80)), ("MALFORMED", "MALFORMED_ACTION"));
    let state = play_all(&state, 0, [draw(0), draw(1)]);
    for (card, income) in [(0, 30), (1, 120)] {
        assert_eq!(cash(&play(&state, 0, hasty(card)).next, 0), 100 + income);
    }
    // A weight can still follow: the last card drawn was a treasure, wherever it is now.
    let weighted = diving(HastyBuyer).divers(0, &[weight(hoses(0))]).wreck(0, &[gold(1), goods(3)]).dive_on(0);
    play_all(&weighted, 0, [draw(0), hasty(0), Action::UseWeight { diver: 0 }]);
}

#[test]
fn kl_e3_a_regular_shuffles_the_monster_back_and_the_diver_draws_again() {
    let table = diving(Regular).divers(0, &[trident(hoses(1))]).wreck(3, &[MONSTER, gold(2), gold(3)]);
    let state = play(&table.dive_on(3), 0, draw(0)).next;
    // The monster, card 20, lies below 21 and 22; nothing moves, so 21 is drawn.
    let step = play_with(&state, 0, plain(Regular), unshuffled(3));
    assert_eq!(causes(&step.events), [(0, DrawCause::Regular)]);
    assert!(matches!(&step.events[1], Event::MonstersReturned { wreck: 3, cards } if cards.len() == 1));
    assert!(matches!(&step.events[2], Event::WreckShuffled { wreck: 3, cards } if cards.len() == 3));
    let state = step.next;
    assert_eq!((faces(&state, 0), wreck_faces(&state, 3)), (vec![gold(2)], vec![gold(3), MONSTER]));
    assert!(state.players[0].divers[0].trident, "no trident was needed");
    assert!(state.dive.set_aside.is_empty() && state.dive.monster.is_none());
}

#[test]
fn kl_e3_the_same_monster_can_be_met_again() {
    let state = diving(Regular).divers(0, &[hoses(1)]).wreck(3, &[MONSTER]).dive_on(3);
    let state = play(&state, 0, draw(0)).next;
    let state = play(&state, 0, plain(Regular)).next;
    assert_eq!(asked(&state), (Phase::Monster, [0].into()));
    assert_eq!(refusal(&state, 0, plain(Regular)), ("KL-26", "NOT_IN_HAND"));
    play(&state, 0, Action::Flee);
}

#[test]
fn kl_e3_only_the_monster_just_met_goes_back() {
    let team = [hoses(1), hoses(1)];
    let state = diving(Regular).divers(0, &team).wreck(3, &[MONSTER, MONSTER, gold(3)]).dive_on(3);
    let state = play_all(&state, 0, [draw(0), Action::Flee, draw(0)]);
    let state = play_with(&state, 0, plain(Regular), unshuffled(2)).next;
    assert_eq!(state.dive.set_aside.len(), 1);
    assert_eq!((faces(&state, 0), wreck_faces(&state, 3)), (vec![gold(3)], vec![MONSTER]));
}

#[test]
fn kl_e3_only_on_meeting_a_monster_and_nothing_else_then() {
    let table = || diving(Regular).holds(0, &[Regular, AttentiveDiver]).divers(0, &[hoses(1)]);
    let state = table().wreck(3, &[gold(2), MONSTER]).dive_on(3);
    assert_eq!(refusal(&state, 0, plain(Regular)), ("KL-E3", "NO_MONSTER"));
    let state = table().wreck(3, &[MONSTER, gold(2)]).dive_on(3);
    let state = play(&state, 0, draw(0)).next;
    assert_eq!(refusal(&state, 0, plain(AttentiveDiver)), ("KL-26", "MONSTER_WAITS"));
}

#[test]
fn kl_e5_the_last_diver_draws_the_last_card_too() {
    let table = diving(AttentiveDiver).divers(0, &[hoses(0), hoses(0)]).wreck(0, &[gold(1), gold(2), goods(3)]);
    let state = play_all(&table.dive_on(0), 0, [draw(1), draw(0)]);
    let step = play(&state, 0, plain(AttentiveDiver));
    assert_eq!(causes(&step.events), [(0, DrawCause::AttentiveDiver)]);
    assert_eq!(faces(&step.next, 0), [gold(1), gold(2), goods(3)]);
    let step = play(&step.next, 0, Action::Surface);
    assert!(step.events.contains(&Event::WreckGone { wreck: 0 }));
}

#[test]
fn kl_e5_when_every_diver_has_drawn_and_exactly_one_card_is_left() {
    let table = |cards: &[_]| diving(AttentiveDiver).divers(0, &[hoses(0), hoses(0)]).wreck(0, cards);
    let state = table(&[gold(1), gold(2)]).dive_on(0);
    let one_drew = play(&state, 0, draw(0)).next;
    assert_eq!(refusal(&one_drew, 0, plain(AttentiveDiver)), ("KL-E5", "NOT_ALL_HAVE_DRAWN"));
    let none_left = play(&one_drew, 0, draw(1)).next;
    assert_eq!(refusal(&none_left, 0, plain(AttentiveDiver)), ("KL-E5", "NOT_ONE_CARD"));
    let two_left = play_all(&table(&[gold(1); 4]).dive_on(0), 0, [draw(0), draw(1)]);
    assert_eq!(refusal(&two_left, 0, plain(AttentiveDiver)), ("KL-E5", "NOT_ONE_CARD"));
}

#[test]
fn kl_e5_not_with_a_monster_set_aside() {
    let table = diving(AttentiveDiver).divers(0, &[hoses(1), hoses(1)]).wreck(3, &[MONSTER, gold(2), goods(3)]);
    let state = play_all(&table.dive_on(3), 0, [draw(0), Action::Flee, draw(0)]);
    assert_eq!(refusal(&state, 0, plain(AttentiveDiver)), ("KL-E5", "MONSTER_SET_ASIDE"));
}

#[test]
fn kl_r22_the_last_diver_to_draw_may_be_one_with_a_weight_and_may_meet_a_monster() {
    let team = [hoses(1), weight(hoses(1))];
    let table = diving(AttentiveDiver).divers(0, &team).wreck(3, &[gold(1), gold(2), goods(3), MONSTER]);
    let state = play_all(&table.dive_on(3), 0, [draw(1), draw(0), Action::UseWeight { diver: 1 }]);
    let state = play(&state, 0, plain(AttentiveDiver)).next;
    assert_eq!((state.phase, state.dive.last_diver), (Phase::Monster, Some(1)));
    let state = play(&state, 0, Action::Flee).next;
    assert_eq!((state.players[0].divers.len(), faces(&state, 0).len()), (1, 3));
}
