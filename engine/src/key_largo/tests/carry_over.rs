//! What version 1 of the rules is by the newest: games side by side.

use alloc::{vec, vec::Vec};

use super::super::{Action, BarPrices, Depth, Encounter, Event, Options, Place, Play, Rules, State};
use crate::{
    CarriedStep, CarryOver, Chance, Game, Offer as _, OlderStep, RulesVersion, Seat, SeatCount, SeededChance, SetUps,
    Violation,
};

/// A game of version 1 with its set-up, and the same one by the newest version beside it.
struct Beside {
    older: State,
    newer: State,
    set_ups: [Vec<Event>; 2],
    /// How many steps were done; each has chance of its own, as records have.
    steps: u16,
    seed: u8,
}

impl Beside {
    fn new(options: &Options, seats: usize, seed: u8) -> Beside {
        let set_up = |rules| {
            let mut chance = SeededChance::new([seed; 32]);
            State::setup(rules, options, SeatCount::new(seats).unwrap(), &mut chance).unwrap()
        };
        let (older, newer) = (set_up(Rules::V1), set_up(Rules::NEWEST));
        Beside { older: older.next, newer: newer.next, set_ups: [older.events, newer.events], steps: 0, seed }
    }

    fn set_ups(&self) -> SetUps<'_, Event> {
        SetUps { older: &self.set_ups[0], newer: &self.set_ups[1] }
    }

    /// The chance of the next step.
    fn chance(&self) -> SeededChance {
        let mut key = [self.seed; 32];
        key[..2].copy_from_slice(&self.steps.to_be_bytes());
        SeededChance::new(key)
    }

    /// Does an action on both: the events of version 1 as the newest would put them, and the newest's own.
    fn step(&mut self, seat: u8, action: &Action) -> Result<(Vec<Event>, CarriedStep<State>), Violation> {
        let [mut chance, mut same_chance] = [self.chance(), self.chance()];
        self.steps += 1;
        let older = self.older.act(Seat(seat), action, &mut chance).unwrap();
        let step = OlderStep { seat: Seat(seat), action, events: &older };
        let set_ups = SetUps { older: &self.set_ups[0], newer: &self.set_ups[1] };
        let carried = self.newer.carry_step(set_ups, step, &mut same_chance)?;
        Ok((self.newer.carry_events(self.set_ups(), older), carried))
    }

    /// Does an action on both, which must give the same.
    fn same(&mut self, seat: u8, action: &Action) -> CarriedStep<State> {
        let (older, carried) = self.step(seat, action).unwrap_or_else(|violation| panic!("{action:?}: {violation}"));
        assert_eq!(older, carried.events, "{action:?}");
        carried
    }

    /// Whether every seat may do the same by both.
    fn may_do_the_same(&self) -> bool {
        self.older.seats().seats().all(|seat| {
            let older = self.newer.carry_offers(self.set_ups(), self.older.legal_actions(seat));
            let newer = self.newer.legal_actions(seat);
            older.len() == newer.len() && newer.iter().all(|offer| older.contains(offer))
        })
    }

    fn any_choice(&self, chance: &mut dyn Chance) -> Option<(u8, Action)> {
        let asked: Vec<Seat> = self.older.to_act().iter().collect();
        let seat = asked.get(chance.below(asked.len().max(1) as u32) as usize)?;
        let offers = self.older.legal_actions(*seat);
        let offer = &offers[chance.below(offers.len() as u32) as usize];
        Some((seat.0, offer.nth(chance.below(u32::try_from(offer.count()).unwrap_or(u32::MAX)).into())))
    }
}

/// By the tables of the book no card makes anything more expensive, so nothing of what version 2 changed can make a difference
/// to what happens: whole games, with and without encounter cards, with thefts, rounds and every kind of sale.
#[test]
fn kl_r16_whole_games_of_version_1_are_the_same_but_for_ids_and_forms() {
    let (mut rounds, mut thefts, mut sales) = (0, 0, [0; 4]);
    for seed in 0..60 {
        let options = Options { encounters: seed % 3 > 0, ..Options::default() };
        let mut game = Beside::new(&options, 3 + usize::from(seed) % 3, seed);
        let begun = game.newer.carry_events(game.set_ups(), game.set_ups[0].clone());
        assert_eq!(begun, game.set_ups[1]);
        let mut choices = SeededChance::new([seed; 32]);
        while let Some((seat, action)) = game.any_choice(&mut choices) {
            assert!(game.may_do_the_same(), "seed {seed}: {:?}", game.older);
            let carried = game.same(seat, &action);
            let is_round = matches!(&action, Action::BuyRound { wrecks } if wrecks.len() == 2);
            assert_eq!(carried.actions.len(), if is_round { 2 } else { 1 }, "{action:?}");
            rounds += usize::from(is_round);
            for event in &carried.events {
                match event {
                    Event::CardStolen { .. } => thefts += 1,
                    Event::CardsSold { way, .. } => sales[*way as usize - 1] += 1,
                    _ => {}
                }
            }
        }
        assert_eq!(game.newer.outcome(), game.older.outcome());
        assert!(game.newer.outcome().is_some());
    }
    assert!(rounds > 20 && thefts > 20, "{rounds} rounds, {thefts} thefts");
    assert!(sales.iter().all(|sales| *sales > 0), "{sales:?} of each way to sell");
}

/// Day 1 of three players who are all at these places in the morning.
fn begun(options: &Options, seed: u8, places: [Place; 3]) -> Beside {
    let mut game = Beside::new(options, 3, seed);
    for (seat, morning) in (0..).zip(places) {
        let afternoon = if morning == Place::Dolphins { Place::Shop } else { Place::Dolphins };
        game.same(seat, &Action::Program { morning, afternoon });
    }
    game
}

#[test]
fn kl_18_a_round_of_version_1_is_its_first_and_then_its_second_wreck_version_2() {
    let mut game = begun(&Options::default(), 1, [Place::Bar, Place::Dolphins, Place::Dolphins]);
    let carried = game.same(0, &Action::BuyRound { wrecks: vec![4, 2] });
    assert_eq!(carried.actions, [Action::FirstWreck { wreck: 4 }, Action::SecondWreck { wreck: 2 }]);
    let named = Event::SecondWreckNamed { seat: Seat(0), wreck: 2 };
    assert_eq!(carried.events.iter().filter(|event| **event == named).count(), 1);
    game.same(0, &Action::Done);
}

#[test]
fn kl_18_a_round_with_the_last_wreck_stays_one_action_version_2() {
    let mut game = begun(&Options::default(), 1, [Place::Bar, Place::Dolphins, Place::Dolphins]);
    for state in [&mut game.older, &mut game.newer] {
        state.wrecks.iter_mut().skip(1).for_each(|wreck| wreck.cards.clear());
    }
    assert!(game.may_do_the_same());
    let carried = game.same(0, &Action::BuyRound { wrecks: vec![0] });
    assert_eq!(carried.actions, [Action::FirstWreck { wreck: 0 }]);
}

/// KL-R20: where a card names more than the tables, version 1 takes that, and version 2 what the tables say.
#[test]
fn kl_r20_a_price_that_version_2_lowers_is_the_difference_version_2() {
    let bar = BarPrices { diver: vec![10], pickpocket: vec![5] };
    let options = Options { encounters: true, bar: Some(bar), ..Options::default() };
    let mut game = begun(&options, 1, [Place::Bar, Place::Dolphins, Place::Dolphins]);
    for state in [&mut game.older, &mut game.newer] {
        state.players[0].encounters.push(Encounter::NoviceDiver);
    }
    game.same(0, &Action::PlayEncounter(Play::Plain(Encounter::NoviceDiver)));
    let (older, carried) = game.step(0, &Action::Recruit).unwrap();
    let recruited = |price| Event::Recruited { seat: Seat(0), price, with_hose: false };
    assert_eq!((older, carried.events), (vec![recruited(60)], vec![recruited(10)]));
}

/// What the newest rules refuse is refused as a whole.
#[test]
fn kl_18_a_step_that_is_refused_has_changed_nothing_version_2() {
    let mut game = begun(&Options::default(), 1, [Place::Bar, Place::Dolphins, Place::Dolphins]);
    game.newer.wrecks[2].cards.clear();
    let before = game.newer.clone();
    let violation = game.step(0, &Action::BuyRound { wrecks: vec![4, 2] }).unwrap_err();
    assert_eq!((violation.rule, violation.reason), ("KL-18", "WRECK_GONE"));
    assert_eq!(game.newer, before, "the first wreck was not looked into either");
}

/// The draw of a pickpocket counts the cards by their ids, so by itself it would take another card.
#[test]
fn kl_17_the_card_that_was_stolen_is_stolen_version_2() {
    let mut others = 0;
    for seed in 0..20 {
        let mut game = begun(&Options::default(), seed, [Place::Bar, Place::Dolphins, Place::Dolphins]);
        // The top wreck goes to the victim's hand.
        for state in [&mut game.older, &mut game.newer] {
            let cards = core::mem::take(&mut state.wrecks[0].cards);
            cards.into_iter().for_each(|card| state.players[1].hand.insert(card));
        }
        let steal = Action::HirePickpocket { seat: 1, depth: Depth::Shallow };
        let by_draw = game.newer.apply(Seat(0), &steal, &mut game.chance()).unwrap().events;
        others += usize::from(game.same(0, &steal).events != by_draw);
    }
    assert!(others > 0, "no draw took another card");
}
