//! KL-15 to KL-18: recruits, pickpockets and rounds.

use alloc::{format, vec::Vec};

use arrayvec::ArrayVec;

use super::pieces::TEAM;
use super::state::Look;
use super::tables::price;
use super::{Depth, Diver, Encounter, Event, Item, Phase, Place, State};
use crate::{Chance, Seat, Violation};

/// KL-18: what a round costs.
const ROUND: u32 = 20;
/// KL-E8: what recruiting costs with a novice diver.
const NOVICE: u32 = 60;
/// KL-E10: what a pickpocket costs with a cutpurse.
const CUTPURSE: u32 = 30;

impl State {
    /// Whether the player whose turn it is has played this encounter in this half-day.
    pub(super) fn has_played(&self, encounter: Encounter) -> bool {
        self.player(self.turn).played == Some(encounter)
    }

    /// KL-1
    pub(super) fn must_afford(&self, price: u32) -> Result<(), Violation> {
        let cash = self.player(self.turn).cash;
        if price > cash {
            let sentence = format!("that costs ${price}, and you have ${cash}");
            return Err(Violation::new("KL-1", "NOT_ENOUGH_MONEY", sentence));
        }
        Ok(())
    }

    pub(super) fn pay(&mut self, price: u32) {
        self.player_mut(self.turn).cash -= price;
    }

    fn diver_price(&self) -> u32 {
        let by_table = price(&self.tables.bar.diver, self.present(Place::Bar));
        if self.has_played(Encounter::NoviceDiver) { self.price_by_card(NOVICE, by_table) } else { by_table }
    }

    /// KL-R20: what is paid where an encounter card names a price.
    pub(super) fn price_by_card(&self, named: u32, by_table: u32) -> u32 {
        if self.rules.a_card_never_raises_a_price() { named.min(by_table) } else { named }
    }

    fn pickpocket_price(&self) -> u32 {
        let by_table = price(&self.tables.bar.pickpocket, self.present(Place::Bar));
        if self.has_played(Encounter::Cutpurse) { self.price_by_card(CUTPURSE, by_table) } else { by_table }
    }

    /// KL-15, KL-E11: one of each, and with the inseparable brothers two of one of them.
    fn may_hire(&self, hired: u8, of_the_others: u8) -> Result<(), Violation> {
        let brothers = self.has_played(Encounter::InseparableBrothers);
        if hired == 0 || brothers && hired == 1 && of_the_others < 2 {
            return Ok(());
        }
        if brothers {
            let sentence = "the inseparable brothers allow two divers or two pickpockets in a visit, not more";
            return Err(Violation::new("KL-E11", "TWO_OF_ONE", sentence));
        }
        Err(once("one diver and one pickpocket can be hired in a visit, not more"))
    }

    /// KL-16
    pub(super) fn may_recruit(&self) -> Result<(), Violation> {
        self.may_hire(self.visit.recruits, self.visit.pickpockets)?;
        if self.player(self.turn).divers.len() >= TEAM {
            let sentence = format!("you have {TEAM} divers, and nobody may have more");
            return Err(Violation::new("KL-16", "TEAM_FULL", sentence));
        }
        if self.reserve.divers == 0 {
            return Err(Violation::new("KL-16", "NO_DIVER_LEFT", "the reserve has no divers any more"));
        }
        self.must_afford(self.diver_price())
    }

    /// KL-16, KL-E9
    pub(super) fn recruit(&mut self, events: &mut Vec<Event>) {
        let (seat, price) = (self.turn, self.diver_price());
        self.pay(price);
        self.visit.recruits += 1;
        self.reserve.divers -= 1;
        let hoses = &mut self.reserve.items[Item::Hose.index()];
        let with_hose = self.players[seat.index()].played == Some(Encounter::ExpertDiver) && *hoses > 0;
        *hoses -= u8::from(with_hose);
        self.player_mut(seat).divers.push(Diver { hoses: u8::from(with_hose), ..Diver::default() });
        events.push(Event::Recruited { seat, price, with_hose });
    }

    /// KL-17, KL-R13
    pub(super) fn may_hire_pickpocket(&self, victim: Seat, depth: Depth) -> Result<(), Violation> {
        self.may_hire(self.visit.pickpockets, self.visit.recruits)?;
        if self.seat_count().seats().all(|seat| seat == self.turn || self.player(seat).hand.is_empty()) {
            let sentence = "no other player has a treasure card: there is nothing to steal";
            return Err(Violation::new("KL-R13", "NOTHING_TO_STEAL", sentence));
        }
        let refuse = |reason, sentence| Err(Violation::new("KL-17", reason, sentence));
        if victim == self.turn {
            return refuse("OWN_CARDS", "a pickpocket steals from another player".into());
        }
        let hand = self.player(victim).hand;
        if hand.is_empty() {
            return refuse("NO_CARDS", format!("{victim} has no treasure cards"));
        }
        if hand.of_depth(depth).is_empty() {
            let sentence = format!("none of the cards of {victim} has a {} back: name one that is there", depth.name());
            return refuse("NO_SUCH_BACK", sentence);
        }
        self.must_afford(self.pickpocket_price())
    }

    /// KL-17
    pub(super) fn hire_pickpocket(
        &mut self,
        victim: Seat,
        depth: Depth,
        chance: &mut dyn Chance,
        events: &mut Vec<Event>,
    ) {
        let (thief, price) = (self.turn, self.pickpocket_price());
        self.pay(price);
        self.visit.pickpockets += 1;
        events.push(Event::PickpocketHired { seat: thief, victim, depth, price });
        let candidates = self.player(victim).hand.of_depth(depth);
        let drawn = chance.below(candidates.len() as u32) as usize;
        let card = candidates.iter().nth(drawn).expect("a draw is below the number of cards");
        self.player_mut(victim).hand.remove(card);
        self.player_mut(thief).hand.insert(card);
        events.push(Event::CardStolen { thief, victim, card: self.card(card) });
    }

    /// The wrecks that are not gone.
    pub(super) fn wrecks_left(&self) -> impl Iterator<Item = u8> {
        (0..self.wrecks.len() as u8).filter(|wreck| !self.wrecks[usize::from(*wreck)].cards.is_empty())
    }

    /// KL-15, KL-18: the first round of the visit, and a wreck to ask about.
    fn may_buy_any_round(&self) -> Result<(), Violation> {
        if self.visit.round_bought {
            return Err(once("one round can be bought in a visit, not more"));
        }
        if self.wrecks_left().next().is_none() {
            return Err(Violation::new("KL-18", "NO_WRECK_LEFT", "no wreck is left to ask about"));
        }
        Ok(())
    }

    /// KL-18
    fn wreck_must_be_left(&self, wreck: u32) -> Result<(), Violation> {
        if self.wrecks[wreck as usize].cards.is_empty() {
            let sentence = format!("wreck {wreck} has no cards any more: name one that has");
            return Err(Violation::new("KL-18", "WRECK_GONE", sentence));
        }
        Ok(())
    }

    /// KL-18, version 1
    pub(super) fn may_buy_round(&self, wrecks: &[u32]) -> Result<(), Violation> {
        self.may_buy_any_round()?;
        wrecks.iter().try_for_each(|wreck| self.wreck_must_be_left(*wreck))?;
        let right = self.wrecks_left().count().min(2);
        if wrecks.len() != right {
            let sentence = match right {
                1 => format!("only one wreck is left: name that one, not {}", wrecks.len()),
                _ => format!("name two different wrecks, not {}", wrecks.len()),
            };
            return Err(Violation::new("KL-18", "NUMBER_OF_WRECKS", sentence));
        }
        self.must_afford(ROUND)
    }

    /// KL-18, version 2
    pub(super) fn may_name_first_wreck(&self, wreck: u32) -> Result<(), Violation> {
        self.may_buy_any_round()?;
        self.wreck_must_be_left(wreck)?;
        self.must_afford(ROUND)
    }

    /// KL-18, version 2
    pub(super) fn may_name_second_wreck(&self, wreck: u32) -> Result<(), Violation> {
        // The last action named the first wreck, so what was looked into then is that one.
        if self.look.as_ref().is_some_and(|look| look.wrecks.iter().any(|first| u32::from(*first) == wreck)) {
            let sentence = format!("wreck {wreck} is the first one of this round: name another one, or none");
            return Err(Violation::new("KL-18", "SAME_WRECK", sentence));
        }
        self.wreck_must_be_left(wreck)
    }

    /// KL-18: the wrecks of version 1, or the first of version 2.
    pub(super) fn buy_round(&mut self, wrecks: &[u32], chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let seat = self.turn;
        let wrecks: ArrayVec<u8, 2> = wrecks.iter().map(|wreck| *wreck as u8).collect();
        self.pay(ROUND);
        self.visit.round_bought = true;
        events.push(Event::RoundBought { seat, wrecks: wrecks.to_vec(), price: ROUND });
        self.look_into(wrecks, chance, events);
        if self.rules.second_wreck_is_named_after_the_first() && self.wrecks_left().nth(1).is_some() {
            self.phase = Phase::SecondWreck;
        }
    }

    /// KL-18, version 2: the round ends with its second wreck, or without one.
    pub(super) fn end_round(&mut self, second: Option<u8>, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let seat = self.turn;
        self.phase = Phase::Bar;
        match second {
            Some(wreck) => {
                events.push(Event::SecondWreckNamed { seat, wreck });
                self.look_into([wreck].into_iter().collect(), chance, events);
            }
            None => events.push(Event::SecondWreckDeclined { seat }),
        }
    }

    /// KL-18, KL-E7: each wreck is looked at and shuffled.
    pub(super) fn look_into(&mut self, wrecks: ArrayVec<u8, 2>, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let seat = self.turn;
        for wreck in &wrecks {
            events.push(Event::WreckSeen { seat, wreck: *wreck, cards: self.seen_in(*wreck) });
            self.shuffle_wreck(*wreck, chance, events);
        }
        self.look = Some(Look { seat, wrecks });
    }
}

fn once(sentence: &str) -> Violation {
    Violation::new("KL-15", "ONCE_PER_VISIT", sentence)
}
