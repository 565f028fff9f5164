//! Actions that are legal or nearly so, for the contract suite.

use alloc::{collections::BTreeSet, vec::Vec};

use super::super::{Action, CardId, Depth, Encounter, Item, Phase, Place, Play, Rules, State, Ware};
use super::table::Table;
use super::under_test::{one_in, pick};
use crate::{Chance, RulesVersion, Seat, SeededChance};

impl State {
    /// An action of any phase.
    pub(super) fn any_action(&self, chance: &mut dyn Chance) -> Action {
        match chance.below(10) {
            0 => Action::Program { morning: pick(&Place::ALL, chance), afternoon: pick(&Place::ALL, chance) },
            1 => Action::PlaceBoat { wreck: self.any_wreck(chance) },
            2 => pick_action(&[Action::Pass, Action::Surface, Action::Flee, Action::Recruit, Action::Done], chance),
            3 => Action::DrawCard { diver: any_diver(chance) },
            4 => Action::UseWeight { diver: any_diver(chance) },
            5 => Action::UseTrident { diver: any_diver(chance) },
            6 => Action::HirePickpocket { seat: self.any_seat(chance), depth: pick(&Depth::ALL, chance) },
            7 => self.any_round(chance),
            8 => Action::Buy { item: pick(&Item::ALL, chance), diver: any_diver(chance) },
            _ => Action::Sell { cards: (0..chance.below(3)).map(|_| chance.below(82)).collect() },
        }
    }

    /// An action that the phase could ask for, legal or nearly so.
    pub(super) fn action_of_phase(&self, seat: Seat, chance: &mut dyn Chance) -> Action {
        let diver = any_diver(chance);
        match (self.phase, chance.below(4)) {
            (_, 3) if self.encounters => Action::PlayEncounter(self.held_play(seat, chance)),
            (Phase::Program, _) => {
                Action::Program { morning: pick(&Place::ALL, chance), afternoon: pick(&Place::ALL, chance) }
            }
            (Phase::PlaceBoat, _) => Action::PlaceBoat { wreck: self.any_wreck(chance) },
            (Phase::Sabotage, _) => Action::Pass,
            (Phase::Dive, 0) => Action::Surface,
            (Phase::Dive, 1) => Action::UseWeight { diver },
            (Phase::Dive, _) => Action::DrawCard { diver },
            (Phase::Monster, 0) => Action::Flee,
            (Phase::Monster, _) => Action::UseTrident { diver },
            (Phase::Bar, 0) => Action::Recruit,
            (Phase::Bar, 1) => Action::HirePickpocket { seat: self.any_seat(chance), depth: pick(&Depth::ALL, chance) },
            (Phase::Bar | Phase::SecondWreck, _) => self.any_round(chance),
            (Phase::Shop, _) => Action::Buy { item: pick(&Item::ALL, chance), diver },
            (Phase::Market, 0) => Action::Done,
            (Phase::Market, _) => Action::Sell { cards: self.any_cards(seat, chance) },
            (Phase::Dolphins | Phase::Over, _) => Action::Done,
        }
    }

    /// KL-18: a round in a form of this version or, at times, of another one.
    fn any_round(&self, chance: &mut dyn Chance) -> Action {
        let of_another_version = one_in(4, chance);
        if self.rules.second_wreck_is_named_after_the_first() == of_another_version {
            return Action::BuyRound { wrecks: (0..chance.below(4)).map(|_| self.any_wreck(chance)).collect() };
        }
        let wreck = self.any_wreck(chance);
        match (self.phase, chance.below(4)) {
            (Phase::SecondWreck, 0) | (_, 1) => Action::NoSecondWreck,
            (Phase::SecondWreck, _) | (_, 0) => Action::SecondWreck { wreck },
            _ => Action::FirstWreck { wreck },
        }
    }

    fn any_wreck(&self, chance: &mut dyn Chance) -> u32 {
        if one_in(20, chance) { 256 } else { chance.below(self.wrecks.len() as u32 + 1) }
    }

    fn any_seat(&self, chance: &mut dyn Chance) -> u32 {
        if one_in(20, chance) { 256 } else { chance.below(self.players.len() as u32 + 1) }
    }

    /// A card of the seat's hand, or one beside it.
    fn any_card(&self, seat: Seat, chance: &mut dyn Chance) -> u32 {
        let hand: Vec<CardId> = self.player(seat).hand.iter().collect();
        if hand.is_empty() || one_in(8, chance) {
            return pick(&[chance.below(81), 256, u32::MAX], chance);
        }
        u32::from(pick(&hand, chance).0)
    }

    /// Cards of the seat's hand: of one kind, of several, one twice, none, too many.
    fn any_cards(&self, seat: Seat, chance: &mut dyn Chance) -> Vec<u32> {
        let mut cards: Vec<u32> = (0..chance.below(7)).map(|_| self.any_card(seat, chance)).collect();
        if !one_in(4, chance) {
            cards.sort_unstable();
            cards.dedup();
        }
        if !one_in(3, chance)
            && let Some(first) = cards.first().and_then(|card| CardId::of(*card))
        {
            let ware = self.sells_as(first);
            cards.retain(|card| CardId::of(*card).is_some_and(|card| self.sells_as(card) == ware));
        }
        cards
    }

    /// One of the seat's own encounter cards, with needs that may be wrong.
    fn held_play(&self, seat: Seat, chance: &mut dyn Chance) -> Play {
        let held: Vec<Encounter> = self.player(seat).encounters.to_vec();
        if held.is_empty() {
            return self.any_play(seat, chance);
        }
        let encounter = pick(&held, chance);
        self.play_of(encounter, seat, chance)
    }

    pub(super) fn any_play(&self, seat: Seat, chance: &mut dyn Chance) -> Play {
        let encounter = pick(&Encounter::ALL, chance);
        if one_in(8, chance) { Play::Plain(encounter) } else { self.play_of(encounter, seat, chance) }
    }

    fn play_of(&self, encounter: Encounter, seat: Seat, chance: &mut dyn Chance) -> Play {
        match encounter {
            Encounter::Volunteer => Play::Volunteer { diver: any_diver(chance) },
            Encounter::HastyBuyer => Play::HastyBuyer { treasure: self.any_card(seat, chance) },
            Encounter::Saboteur => Play::Saboteur { seat: self.any_seat(chance), diver: any_diver(chance) },
            Encounter::Drunkard => Play::Drunkard { wreck: self.any_wreck(chance) },
            Encounter::Dupe => Play::Dupe { treasure: self.any_card(seat, chance), ware: pick(&Ware::ALL, chance) },
            Encounter::Trafficker => Play::Trafficker { treasures: self.any_cards(seat, chance) },
            Encounter::Jeweller => Play::Jeweller { diamond: self.any_card(seat, chance) },
            _ => Play::Plain(encounter),
        }
    }
}

/// Mostly one that a team can have.
fn any_diver(chance: &mut dyn Chance) -> u32 {
    if one_in(20, chance) { 256 } else { chance.below(4) }
}

fn pick_action(from: &[Action], chance: &mut dyn Chance) -> Action {
    from[chance.below(from.len() as u32) as usize].clone()
}

/// What the contract suite tries of rounds, in every version: each form, with the numbers of wrecks that are right and wrong.
#[test]
fn kl_18_near_misses_have_the_rounds_of_every_version() {
    for rules in Rules::ALL {
        let mut tried = BTreeSet::new();
        for phase in [Phase::Bar, Phase::SecondWreck] {
            let state = Table::by(*rules, 3).with(|state| state.phase = phase).ready();
            let mut chance = SeededChance::new([1; 32]);
            for action in (0..400).map(|_| state.any_round(&mut chance)) {
                tried.insert(match action {
                    Action::BuyRound { wrecks } => {
                        ["no wreck", "one wreck", "two wrecks", "three wrecks"][wrecks.len()]
                    }
                    Action::FirstWreck { .. } => "first wreck",
                    Action::SecondWreck { .. } => "second wreck",
                    Action::NoSecondWreck => "no second wreck",
                    other => panic!("{other:?} is no round"),
                });
            }
        }
        assert_eq!(tried.len(), 7, "{rules:?}: {tried:?}");
    }
}
