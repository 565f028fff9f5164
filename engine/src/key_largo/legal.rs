//! What a seat may do, listed: the few actions that could be legal, each tried, and families where they would be many.

use alloc::{vec, vec::Vec};

use super::pieces::TEAM;
use super::{Action, CardSet, Depth, Encounter, Item, Offer, Phase, Place, Play, State, Ware};
use crate::Seat;

impl State {
    /// Exactly what `check` accepts of the seat that is asked.
    pub(super) fn offers(&self, seat: Seat) -> Vec<Offer> {
        let allowed = |action: &Action| self.check(seat, action).is_ok();
        let mut offers: Vec<Offer> = self.candidates(seat).into_iter().filter(&allowed).map(Offer::Single).collect();
        let families = self.families(seat).into_iter();
        // What holds of one action of a family holds of all.
        offers.extend(families.filter(|family| allowed(&crate::Offer::nth(family, 0))));
        offers
    }

    /// The actions of the phase that are listed by themselves, legal or not.
    fn candidates(&self, seat: Seat) -> Vec<Action> {
        let divers = 0..TEAM as u32;
        let mut actions: Vec<Action> = match self.phase {
            Phase::Program => programmes(),
            Phase::PlaceBoat => self.wreck_numbers().map(|wreck| Action::PlaceBoat { wreck }).collect(),
            Phase::Sabotage => vec![Action::Pass],
            Phase::Dive => {
                let draws = divers.clone().map(|diver| Action::DrawCard { diver });
                let weights = divers.map(|diver| Action::UseWeight { diver });
                draws.chain(weights).chain([Action::Surface]).collect()
            }
            Phase::Monster => divers.map(|diver| Action::UseTrident { diver }).chain([Action::Flee]).collect(),
            Phase::Bar => self.bar_candidates(),
            Phase::SecondWreck => {
                let named = self.wreck_numbers().map(|wreck| Action::SecondWreck { wreck });
                named.chain([Action::NoSecondWreck]).collect()
            }
            Phase::Shop => {
                let buy = |item| (0..TEAM as u32).map(move |diver| Action::Buy { item, diver });
                Item::ALL.into_iter().flat_map(buy).chain([Action::Done]).collect()
            }
            Phase::Dolphins | Phase::Market => vec![Action::Done],
            Phase::Over => Vec::new(),
        };
        let held = self.player(seat).encounters.iter();
        actions.extend(held.flat_map(|encounter| self.plays(*encounter)).map(Action::PlayEncounter));
        actions
    }

    fn bar_candidates(&self) -> Vec<Action> {
        let steal = |seat| Depth::ALL.into_iter().map(move |depth| Action::HirePickpocket { seat, depth });
        let mut actions = vec![Action::Recruit, Action::Done];
        actions.extend(self.seat_numbers().flat_map(steal));
        if self.rules.second_wreck_is_named_after_the_first() {
            actions.extend(self.wrecks_left().map(|wreck| Action::FirstWreck { wreck: wreck.into() }));
            return actions;
        }
        let left: Vec<u32> = self.wrecks_left().map(u32::from).collect();
        if left.len() == 1 {
            actions.push(Action::BuyRound { wrecks: left });
        }
        actions
    }

    /// The ways to play a card that are listed by themselves.
    fn plays(&self, encounter: Encounter) -> Vec<Play> {
        let divers = 0..TEAM as u32;
        match encounter {
            Encounter::Volunteer => divers.map(|diver| Play::Volunteer { diver }).collect(),
            Encounter::HastyBuyer => {
                self.dive.drawn.iter().map(|card| Play::HastyBuyer { treasure: card.0.into() }).collect()
            }
            Encounter::Saboteur => {
                let of_seat = |seat| (0..TEAM as u32).map(move |diver| Play::Saboteur { seat, diver });
                self.seat_numbers().flat_map(of_seat).collect()
            }
            Encounter::Drunkard => self.wreck_numbers().map(|wreck| Play::Drunkard { wreck }).collect(),
            Encounter::Dupe | Encounter::Trafficker | Encounter::Jeweller => Vec::new(),
            _ => vec![Play::Plain(encounter)],
        }
    }

    /// The families of the phase that have an action at all, legal or not.
    fn families(&self, seat: Seat) -> Vec<Offer> {
        match self.phase {
            Phase::Bar if !self.rules.second_wreck_is_named_after_the_first() => {
                let wrecks: Vec<u8> = self.wrecks_left().collect();
                if wrecks.len() < 2 { Vec::new() } else { vec![Offer::BuyRound { wrecks }] }
            }
            Phase::Market => self.sales().into_iter().chain(self.market_plays(seat)).collect(),
            _ => Vec::new(),
        }
    }

    /// KL-22, KL-E21: a family for each kind in hand, or the one of the dupe.
    fn sales(&self) -> Vec<Offer> {
        let hand = self.player(self.turn).hand;
        let of = |ware| hand.iter().filter(move |card| self.sells_as(*card) == Some(ware)).collect::<CardSet>();
        if let Some((dupe, ware)) = self.visit.dupe {
            let mut cards = of(ware);
            cards.remove(dupe);
            return vec![Offer::Sell { ware, required: Some(dupe), cards }];
        }
        let wares = Ware::ALL.into_iter().map(|ware| Offer::Sell { ware, required: None, cards: of(ware) });
        wares.filter(|offer| crate::Offer::count(offer) > 0).collect()
    }

    fn market_plays(&self, seat: Seat) -> Vec<Offer> {
        let saleable = self.saleable(seat);
        let mut diamonds = self.player(seat).hand;
        diamonds.remove_all(saleable);
        let kinds = saleable.iter().filter_map(|card| Some((card, self.face(card).ware()?))).collect();
        let families = [
            (Encounter::Dupe, Offer::Dupe { treasures: kinds }),
            (Encounter::Trafficker, Offer::Trafficker { treasures: saleable, most: self.most_trafficked() as u8 }),
            (Encounter::Jeweller, Offer::Jeweller { diamonds }),
        ];
        let held = |encounter| self.player(seat).encounters.contains(&encounter);
        let possible =
            families.into_iter().filter(|(encounter, offer)| held(*encounter) && crate::Offer::count(offer) > 0);
        possible.map(|(_, offer)| offer).collect()
    }

    fn wreck_numbers(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.wrecks.len() as u32
    }

    fn seat_numbers(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.players.len() as u32
    }
}

/// KL-4
fn programmes() -> Vec<Action> {
    let pairs = |morning| Place::ALL.into_iter().map(move |afternoon| Action::Program { morning, afternoon });
    Place::ALL.into_iter().flat_map(pairs).collect()
}
