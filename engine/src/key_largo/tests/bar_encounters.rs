//! KL-E6 to KL-E11, KL-R9 and KL-R11 at the bar.

use alloc::vec::Vec;

use super::super::{Action, BarPrices, Depth, Diver, Encounter, Event, Options, Place, Play, Rules, Tables};
use super::table::{
    Table, cash, faces, gold, goods, held, hoses, is_offered, plain, play, play_all, play_with, refusal, unshuffled,
};
use crate::Seat;

use Encounter::{BarTourist, Cutpurse, Drunkard, ExpertDiver, InseparableBrothers, NoviceDiver};
use Place::{Bar, Shop};

fn bar(encounter: Encounter) -> Table {
    Table::with_encounters(3).cash(0, 500).holds(0, &[encounter])
}

const PLACES: [Place; 3] = [Bar, Bar, Shop];

fn steal(seat: u32, depth: Depth) -> Action {
    Action::HirePickpocket { seat, depth }
}

fn played(encounter: Encounter) -> Event {
    Event::EncounterPlayed {
        seat: Seat(0),
        encounter,
        target_seat: None,
        diver: None,
        wreck: None,
        dupe: None,
        ware: None,
    }
}

#[test]
fn kl_e6_a_tourist_of_the_bar_has_no_effect_but_frees_a_place() {
    let state = bar(BarTourist).go(&PLACES);
    let step = play(&state, 0, plain(BarTourist));
    assert_eq!(step.events, [played(BarTourist)]);
    let next = step.next;
    assert!(next.players[0].encounters.is_empty());
    assert_eq!(next.encounters_played[..], [BarTourist]);
    assert_eq!((cash(&next, 0), next.visit), (500, state.visit));
    assert!(is_offered(&next, 0, &Action::Recruit), "the visit goes on");
}

#[test]
fn kl_e7_a_drunkard_shows_one_wreck_free_of_charge() {
    let table = bar(Drunkard).cash(0, 0).wreck(2, &[goods(2), gold(1)]).wreck(1, &[]);
    let state = table.go(&PLACES);
    let step = play_with(&state, 0, Action::PlayEncounter(Play::Drunkard { wreck: 2 }), [(2, 0)]);
    assert_eq!(cash(&step.next, 0), 0);
    assert!(matches!(step.events[0], Event::EncounterPlayed { wreck: Some(2), encounter: Drunkard, .. }));
    let Event::WreckSeen { wreck: 2, cards, .. } = &step.events[1] else { panic!("{:?}", step.events) };
    assert_eq!(cards.iter().map(|card| card.face.unwrap()).collect::<Vec<_>>(), [gold(1), goods(2)]);
    assert!(matches!(step.events[2], Event::WreckShuffled { wreck: 2, .. }));
    assert_eq!(step.next.look.unwrap().wrecks[..], [2]);
    assert!(!step.next.visit.round_bought, "a round can still be bought");
    assert_eq!(refusal(&state, 0, Action::PlayEncounter(Play::Drunkard { wreck: 1 })), ("KL-E7", "WRECK_GONE"));
    let malformed = [Action::PlayEncounter(Play::Drunkard { wreck: 11 }), plain(Drunkard)];
    for action in malformed {
        assert_eq!(refusal(&state, 0, action), ("MALFORMED", "MALFORMED_ACTION"));
    }
    play_with(&state, 0, Action::PlayEncounter(Play::Drunkard { wreck: 0 }), unshuffled(5));
}

#[test]
fn kl_e8_recruiting_costs_60_with_a_novice_diver() {
    let state = play(&bar(NoviceDiver).go(&PLACES), 0, plain(NoviceDiver)).next;
    let step = play(&state, 0, Action::Recruit);
    assert_eq!(step.events, [Event::Recruited { seat: Seat(0), price: 60, with_hose: false }]);
    assert_eq!(cash(&step.next, 0), 440);
    // Only the diver: a pickpocket costs what it always does.
    let table = bar(NoviceDiver).hand(1, Depth::Shallow, &[gold(1)]);
    let state = play(&table.go(&PLACES), 0, plain(NoviceDiver)).next;
    assert_eq!(cash(&play_with(&state, 0, steal(1, Depth::Shallow), [(1, 0)]).next, 0), 430);
}

#[test]
fn kl_r20_the_price_of_a_card_holds_whatever_the_tables_say_version_1() {
    assert_eq!(paid_with_a_card(Rules::V1, 10, 5), (60, 30));
    assert_eq!(paid_with_a_card(Rules::V1, 80, 60), (60, 30));
}

#[test]
fn kl_r20_the_price_of_a_card_holds_only_where_it_is_lower_version_2() {
    for (diver, pickpocket, paid) in [(10, 5, (10, 5)), (60, 30, (60, 30)), (61, 31, (60, 30)), (0, 10_000, (0, 30))] {
        assert_eq!(paid_with_a_card(Rules::V2, diver, pickpocket), paid, "{diver}, {pickpocket}");
    }
}

#[test]
fn kl_e8_a_recruit_costs_60_or_less_with_a_novice_diver_version_2() {
    for (by_table, paid) in [(120, 60), (61, 60), (59, 59), (0, 0)] {
        assert_eq!(paid_with_a_card(Rules::V2, by_table, 30).0, paid, "{by_table}");
    }
}

#[test]
fn kl_e10_a_pickpocket_costs_30_or_less_with_a_cutpurse_version_2() {
    for (by_table, paid) in [(80, 30), (31, 30), (29, 29), (0, 0)] {
        assert_eq!(paid_with_a_card(Rules::V2, 60, by_table).1, paid, "{by_table}");
    }
}

/// What a diver costs with a novice diver, and a pickpocket with a cutpurse, where the tables have these prices.
fn paid_with_a_card(rules: Rules, diver: u32, pickpocket: u32) -> (u32, u32) {
    let row = BarPrices { diver: [diver].into(), pickpocket: [pickpocket].into() };
    let options = Options { encounters: true, bar: Some(row), ..Options::default() };
    let tables = Tables::of(rules, &options).unwrap();
    let table = |encounter| {
        let table = Table::with_encounters_by(rules, 3).cash(0, 500).holds(0, &[encounter]);
        table.with(|state| state.tables = tables.clone().into())
    };
    let recruited = play_all(&table(NoviceDiver).go(&PLACES), 0, [plain(NoviceDiver), Action::Recruit]);
    let state = table(Cutpurse).hand(1, Depth::Shallow, &[gold(1)]).go(&PLACES);
    let state = play(&state, 0, plain(Cutpurse)).next;
    let stolen = play_with(&state, 0, steal(1, Depth::Shallow), [(1, 0)]).next;
    (500 - cash(&recruited, 0), 500 - cash(&stolen, 0))
}

#[test]
fn kl_e9_the_recruit_comes_with_a_hose_from_the_reserve_if_it_has_one() {
    let state = play(&bar(ExpertDiver).go(&PLACES), 0, plain(ExpertDiver)).next;
    let step = play(&state, 0, Action::Recruit);
    assert_eq!(step.events, [Event::Recruited { seat: Seat(0), price: 100, with_hose: true }]);
    assert_eq!(step.next.players[0].divers[..], [hoses(0), hoses(1)]);
    assert_eq!(step.next.reserve.items, [19, 10, 10]);
    let bare = bar(ExpertDiver).with(|state| state.reserve.items[0] = 0).go(&PLACES);
    let step = play(&play(&bare, 0, plain(ExpertDiver)).next, 0, Action::Recruit);
    assert_eq!(step.events, [Event::Recruited { seat: Seat(0), price: 100, with_hose: false }]);
    assert_eq!(step.next.players[0].divers[1], Diver::default());
}

#[test]
fn kl_e10_a_pickpocket_costs_30_with_a_cutpurse() {
    let state = bar(Cutpurse).hand(1, Depth::Shallow, &[gold(1)]).go(&PLACES);
    let state = play(&state, 0, plain(Cutpurse)).next;
    let next = play_with(&state, 0, steal(1, Depth::Shallow), [(1, 0)]).next;
    assert_eq!((cash(&next, 0), faces(&next, 0)), (470, [gold(1)].into()));
    assert_eq!(cash(&play(&state, 0, Action::Recruit).next, 0), 400);
}

#[test]
fn kl_e11_two_divers_or_two_pickpockets_each_paid() {
    let table = || bar(InseparableBrothers).hand(1, Depth::Shallow, &[gold(1); 3]).hand(2, Depth::Deep, &[gold(6)]);
    let state = play(&table().go(&PLACES), 0, plain(InseparableBrothers)).next;
    let divers = play_all(&state, 0, [Action::Recruit, Action::Recruit]);
    assert_eq!((cash(&divers, 0), divers.players[0].divers.len()), (300, 3));
    let one = play_with(&divers, 0, steal(1, Depth::Shallow), [(3, 0)]).next;
    assert_eq!(refusal(&one, 0, steal(1, Depth::Shallow)), ("KL-E11", "TWO_OF_ONE"), "two of one, one of the other");
    assert_eq!(refusal(&one, 0, Action::Recruit), ("KL-E11", "TWO_OF_ONE"));
    let thieves = play_with(&state, 0, steal(1, Depth::Shallow), [(3, 0)]).next;
    let thieves = play_with(&thieves, 0, steal(1, Depth::Shallow), [(2, 0)]).next;
    assert_eq!((cash(&thieves, 0), held(&thieves, 0).len()), (360, 2));
    assert_eq!(refusal(&thieves, 0, steal(1, Depth::Shallow)), ("KL-E11", "TWO_OF_ONE"));
    let one = play(&thieves, 0, Action::Recruit).next;
    assert_eq!(refusal(&one, 0, Action::Recruit), ("KL-E11", "TWO_OF_ONE"));
}

#[test]
fn kl_e11_at_any_time_in_the_visit() {
    let state = bar(InseparableBrothers).go(&PLACES);
    let state = play(&state, 0, Action::Recruit).next;
    assert_eq!(refusal(&state, 0, Action::Recruit), ("KL-15", "ONCE_PER_VISIT"));
    let state = play(&state, 0, plain(InseparableBrothers)).next;
    assert_eq!(play(&state, 0, Action::Recruit).next.players[0].divers.len(), 3);
}

#[test]
fn kl_r9_the_second_diver_needs_a_free_place_and_the_second_pickpocket_may_have_another_victim() {
    let table = bar(InseparableBrothers).divers(0, &[hoses(0), hoses(0)]);
    let table = table.hand(1, Depth::Shallow, &[gold(1)]).hand(2, Depth::Deep, &[gold(6)]);
    let state = play(&table.go(&PLACES), 0, plain(InseparableBrothers)).next;
    let full = play(&state, 0, Action::Recruit).next;
    assert_eq!(refusal(&full, 0, Action::Recruit), ("KL-16", "TEAM_FULL"));
    let state = play_with(&state, 0, steal(1, Depth::Shallow), [(1, 0)]).next;
    let state = play_with(&state, 0, steal(2, Depth::Deep), [(1, 0)]).next;
    assert_eq!(faces(&state, 0), [gold(1), gold(6)]);
}

#[test]
fn kl_r9_two_encounters_cannot_meet_in_a_half_day() {
    let state = bar(NoviceDiver).holds(0, &[NoviceDiver, InseparableBrothers]).go(&PLACES);
    let state = play(&state, 0, plain(NoviceDiver)).next;
    assert_eq!(refusal(&state, 0, plain(InseparableBrothers)), ("KL-26", "ONE_PER_HALF_DAY"));
}

#[test]
fn kl_r11_at_the_bar_a_card_comes_before_what_it_changes() {
    let table = |encounter| bar(encounter).hand(1, Depth::Shallow, &[gold(1), gold(2)]);
    for (encounter, hire, other) in [
        (NoviceDiver, Action::Recruit, steal(1, Depth::Shallow)),
        (ExpertDiver, Action::Recruit, steal(1, Depth::Shallow)),
        (Cutpurse, steal(1, Depth::Shallow), Action::Recruit),
    ] {
        let draws = |action: &Action| matches!(action, Action::HirePickpocket { .. }).then_some((2, 0));
        let state = table(encounter).go(&PLACES);
        let late = play_with(&state, 0, hire.clone(), draws(&hire)).next;
        assert_eq!(refusal(&late, 0, plain(encounter)), ("KL-R11", "TOO_LATE"), "{encounter:?}");
        // The other purchase does not matter.
        let state = play_with(&state, 0, other.clone(), draws(&other)).next;
        play(&state, 0, plain(encounter));
    }
}

#[test]
fn kl_26_a_card_may_be_played_without_benefit() {
    // A full team, no money, nothing to steal.
    for encounter in [NoviceDiver, ExpertDiver, Cutpurse, InseparableBrothers, BarTourist] {
        let state = bar(encounter).cash(0, 0).divers(0, &[hoses(0); 3]).go(&PLACES);
        let next = play(&state, 0, plain(encounter)).next;
        assert!(next.players[0].encounters.is_empty());
    }
}
