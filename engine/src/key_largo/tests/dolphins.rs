//! KL-19, KL-25, KL-26, KL-E12, KL-E13 and KL-R12: the dolphins and the encounter cards met there.

use super::super::{Action, Encounter, Event, Half, Options, Phase, Place};
use super::table::{Table, asked, cash, fresh, is_offered, only, plain, play, refusal};
use crate::{Game, Seat};

use Encounter::{DolphinsTourist, Drunkard, Family, Regular, Saboteur, Volunteer};
use Place::{Bar, Dolphins, Market, Shop};

fn drawn(events: &[Event]) -> alloc::vec::Vec<(u8, Option<Encounter>)> {
    only(events, |event| match event {
        Event::EncounterDrawn { seat, encounter } => Some((seat.0, *encounter)),
        _ => None,
    })
}

#[test]
fn kl_19_the_pay_of_the_day() {
    for (day, amount) in (1..).zip([40, 50, 60, 20, 20, 20, 20, 40, 50, 60]) {
        for half in [Half::Morning, Half::Afternoon] {
            let mut table = Table::of(3).day(day);
            if half == Half::Afternoon {
                table = table.afternoon();
            }
            let step = table.go_step(&[Dolphins, Bar, Dolphins]);
            assert!(step.events.contains(&Event::DolphinsPaid { seat: Seat(0), amount }));
            assert_eq!(cash(&step.next, 0), 100 + amount);
            assert_eq!(asked(&step.next), (Phase::Bar, [1].into()), "no decision");
        }
    }
}

#[test]
fn kl_25_each_of_the_24_cards_exists_once() {
    let options = Options { encounters: true, ..Options::default() };
    let deck = fresh(&options, 3, 0).next.encounter_deck;
    assert_eq!(deck[..], Encounter::ALL);
    let count = |place| Encounter::ALL.iter().filter(|card| card.place() == place).count();
    assert_eq!([Place::Dive, Bar, Dolphins, Shop, Market].map(count), [5, 6, 2, 6, 5]);
    assert!(Encounter::ALL.iter().zip(1..).all(|(card, number)| *card as u8 == number));
}

#[test]
fn kl_25_without_cards_the_player_is_paid_and_draws_without_being_asked() {
    let step = Table::with_encounters(3).go_step(&[Dolphins, Bar, Bar]);
    assert_eq!(
        step.events[1..],
        [
            Event::DolphinsPaid { seat: Seat(0), amount: 40 },
            Event::EncounterDrawn { seat: Seat(0), encounter: Some(Volunteer) },
        ]
    );
    assert_eq!(step.next.players[0].encounters[..], [Volunteer], "the top of the deck");
    assert_eq!(step.next.encounter_deck.len(), 23);
}

#[test]
fn kl_25_with_a_card_the_player_is_paid_on_arrival_and_draws_when_done() {
    let step = Table::with_encounters(3).holds(0, &[Drunkard]).go_step(&[Dolphins, Bar, Bar]);
    assert_eq!(asked(&step.next), (Phase::Dolphins, [0].into()), "also where no card can be played here");
    assert_eq!((cash(&step.next, 0), drawn(&step.events)), (140, [].into()));
    let step = play(&step.next, 0, Action::Done);
    assert_eq!(
        step.events[..2],
        [
            Event::VisitEnded { seat: Seat(0), place: Dolphins },
            Event::EncounterDrawn { seat: Seat(0), encounter: Some(Volunteer) },
        ]
    );
    assert_eq!(step.next.players[0].encounters[..], [Drunkard, Volunteer]);
}

#[test]
fn kl_25_an_empty_deck_gives_nothing() {
    let table = || Table::with_encounters(3).with(|state| state.encounter_deck.clear());
    let step = table().go_step(&[Dolphins, Bar, Bar]);
    assert_eq!(drawn(&step.events), []);
    let state = table().holds(0, &[Drunkard]).go(&[Dolphins, Bar, Bar]);
    assert_eq!(drawn(&play(&state, 0, Action::Done).events), []);
}

#[test]
fn kl_r12_with_two_cards_nothing_is_drawn_and_a_card_played_first_makes_room() {
    let state = Table::with_encounters(3).holds(0, &[Family, Drunkard]).go(&[Dolphins, Bar, Bar]);
    assert_eq!(drawn(&play(&state, 0, Action::Done).events), []);
    let state = play(&state, 0, plain(Family)).next;
    assert_eq!(drawn(&play(&state, 0, Action::Done).events), [(0, Some(Volunteer))]);
}

#[test]
fn kl_e12_a_tourist_of_the_dolphins_has_no_effect() {
    let state = Table::with_encounters(3).holds(0, &[DolphinsTourist]).go(&[Dolphins, Bar, Bar]);
    let next = play(&state, 0, plain(DolphinsTourist)).next;
    assert_eq!((cash(&next, 0), next.players[0].encounters.len()), (140, 0));
    assert_eq!(asked(&next), (Phase::Dolphins, [0].into()), "until they are done");
}

#[test]
fn kl_e13_a_family_pays_once_more() {
    for (day, pay) in [(1, 40), (3, 60), (4, 20)] {
        let state = Table::with_encounters(3).day(day).holds(0, &[Family]).go(&[Dolphins, Bar, Bar]);
        let step = play(&state, 0, plain(Family));
        assert_eq!(step.events[1], Event::DolphinsPaid { seat: Seat(0), amount: pay });
        assert_eq!(cash(&step.next, 0), 100 + 2 * pay);
    }
}

#[test]
fn kl_26_at_most_one_card_per_player_and_half_day() {
    let state = Table::with_encounters(3).holds(0, &[Family, DolphinsTourist]).go(&[Dolphins, Dolphins, Bar]);
    let state = play(&state, 0, plain(Family)).next;
    assert_eq!(refusal(&state, 0, plain(DolphinsTourist)), ("KL-26", "ONE_PER_HALF_DAY"));
    assert_eq!(state.players[0].played, Some(Family));
    // The next half-day is another one.
    let state = play(&play(&state, 0, Action::Done).next, 2, Action::Done).next;
    assert_eq!((state.half, state.players[0].played), (Half::Afternoon, None));
}

#[test]
fn kl_26_a_card_is_played_at_its_place_by_its_holder() {
    let state =
        Table::with_encounters(3).holds(0, &[Family, Drunkard]).holds(1, &[DolphinsTourist]).go(&[Dolphins, Bar, Bar]);
    let drunkard = Action::PlayEncounter(super::super::Play::Drunkard { wreck: 0 });
    assert_eq!(refusal(&state, 0, drunkard), ("KL-26", "OTHER_PLACE"));
    assert_eq!(refusal(&state, 0, plain(DolphinsTourist)), ("KL-26", "NOT_IN_HAND"));
    let state = Table::with_encounters(3).holds(0, &[Family]).go(&[Bar, Dolphins, Bar]);
    assert_eq!(refusal(&state, 0, plain(Family)), ("KL-26", "OTHER_PLACE"));
}

#[test]
fn kl_26_a_card_drawn_in_this_half_day_cannot_be_played_in_it() {
    // The draw ends the visit, and nobody is asked a second time in a half-day.
    let state = Table::with_encounters(3).holds(0, &[Drunkard]).go(&[Dolphins, Dolphins, Bar]);
    let next = play(&state, 0, Action::Done).next;
    assert_eq!(next.players[0].encounters.len(), 2);
    assert_eq!(asked(&next), (Phase::Bar, [2].into()));
    assert_eq!(refusal(&next, 0, plain(Family)), ("TURN", "NOT_ASKED"));
}

#[test]
fn kl_26_a_game_without_encounters_has_no_such_cards() {
    let state = Table::of(3).go(&[Bar, Bar, Bar]);
    for action in [plain(Encounter::BarTourist), Action::PlayEncounter(super::super::Play::Drunkard { wreck: 0 })] {
        assert_eq!(refusal(&state, 0, action), ("MALFORMED", "MALFORMED_ACTION"));
    }
}

#[test]
fn kl_r17_the_four_tourists_are_different_cards() {
    let tourists = [Encounter::BarTourist, DolphinsTourist, Encounter::ShopTourist, Encounter::MarketTourist];
    assert_eq!(tourists.map(Encounter::place), [Bar, Dolphins, Shop, Market]);
    for (place, own) in [(Bar, tourists[0]), (Dolphins, tourists[1]), (Shop, tourists[2]), (Market, tourists[3])] {
        for card in tourists {
            let state = Table::with_encounters(3).holds(0, &[card]).go(&[place, Bar, Bar]);
            assert_eq!(is_offered(&state, 0, &plain(card)), card == own, "{card:?} at {place:?}");
        }
    }
}

#[test]
fn kl_25_being_asked_hangs_on_the_number_of_cards_alone() {
    for card in [Family, Drunkard, Saboteur, Regular] {
        let state = Table::with_encounters(3).holds(0, &[card]).go(&[Dolphins, Bar, Bar]);
        assert_eq!(state.to_act().bits(), 1, "{card:?}");
    }
}
