//! KL-8 to KL-14: boats on wrecks, draws, monsters, weights.

use alloc::{format, vec, vec::Vec};

use super::{CardId, DrawCause, Event, Item, Phase, State};
use crate::{Chance, Seat, Violation, shuffle};

impl State {
    /// KL-8
    pub(super) fn may_place_boat(&self, seat: Seat, wreck: usize) -> Result<(), Violation> {
        let refuse = |reason, sentence| Err(Violation::new("KL-8", reason, sentence));
        let depth = self.wrecks[wreck].depth;
        if self.wrecks[wreck].cards.is_empty() {
            return refuse("WRECK_GONE", format!("wreck {wreck} has no cards any more: choose one that has"));
        }
        if let Some(other) = self.boat_on(wreck) {
            return refuse("BOAT_THERE", format!("the boat of {other} lies on wreck {wreck}: choose a free one"));
        }
        if !self.player(seat).divers.iter().any(|diver| diver.reaches(depth)) {
            let hoses = ["no hose", "a hose", "two hoses"][usize::from(depth.hoses())];
            let sentence = format!("wreck {wreck} is {}: it takes a diver with {hoses}", depth.name());
            return refuse("OUT_OF_REACH", sentence);
        }
        Ok(())
    }

    pub(super) fn boat_on(&self, wreck: usize) -> Option<Seat> {
        self.seat_count().seats().find(|seat| self.player(*seat).boat.map(usize::from) == Some(wreck))
    }

    pub(super) fn place_boat(&mut self, wreck: u8, events: &mut Vec<Event>) {
        let seat = self.turn;
        self.player_mut(seat).boat = Some(wreck);
        events.push(Event::BoatPlaced { seat, wreck });
        self.go_on_placing(Some(seat), events);
    }

    /// The wreck on which the diving player's boat lies.
    pub(super) fn dive_wreck(&self) -> usize {
        self.player(self.turn).boat.map_or(0, usize::from)
    }

    fn wreck_is_empty(&self) -> bool {
        self.wrecks[self.dive_wreck()].cards.is_empty()
    }

    /// KL-9, KL-R7: whether a diver of a player on a wreck takes part in the dive.
    pub(super) fn takes_part(&self, seat: Seat, diver: usize) -> bool {
        let (player, diver) = (self.player(seat), self.player(seat).divers.get(diver));
        let depth = player.boat.map(|wreck| self.wrecks[usize::from(wreck)].depth);
        depth.zip(diver).is_some_and(|(depth, diver)| diver.reaches(depth) && !diver.sabotaged)
    }

    /// Whether one of the diving player's own divers is on the wreck; the refusal says why not.
    pub(super) fn must_be_on_wreck(&self, diver: u32) -> Result<usize, Violation> {
        let (team, place) = (&self.player(self.turn).divers, diver as usize);
        let Some(own) = team.get(place) else { return Err(no_such_diver(team.len(), diver)) };
        if own.sabotaged {
            let sentence = format!("diver {diver} is kept from this dive by a saboteur");
            return Err(Violation::new("KL-E4", "SABOTAGED", sentence));
        }
        if !self.takes_part(self.turn, place) {
            let sentence = format!("diver {diver} stays aboard: the wreck is out of reach with {} hoses", own.hoses);
            return Err(Violation::new("KL-9", "STAYS_ABOARD", sentence));
        }
        Ok(place)
    }

    /// KL-10
    pub(super) fn may_draw_card(&self, diver: u32) -> Result<(), Violation> {
        let place = self.must_be_on_wreck(diver)?;
        if self.player(self.turn).divers[place].has_drawn {
            let sentence = format!("diver {diver} has drawn already: each draws one card");
            return Err(Violation::new("KL-10", "HAS_DRAWN", sentence));
        }
        self.wreck_must_have_cards()
    }

    fn wreck_must_have_cards(&self) -> Result<(), Violation> {
        if self.wreck_is_empty() {
            return Err(Violation::new("KL-14", "WRECK_EMPTY", "the wreck has no cards any more: surface"));
        }
        Ok(())
    }

    /// KL-13, KL-R4, KL-R15
    pub(super) fn may_use_weight(&self, diver: u32) -> Result<(), Violation> {
        let place = self.must_be_on_wreck(diver)?;
        if !self.player(self.turn).divers[place].weight {
            return Err(Violation::new("KL-13", "NO_WEIGHT", format!("diver {diver} carries no weight")));
        }
        if !self.dive.last_was_treasure {
            let sentence = "a weight can be used only after a treasure was drawn";
            return Err(Violation::new("KL-13", "NO_TREASURE", sentence));
        }
        self.wreck_must_have_cards()
    }

    /// KL-R4
    pub(super) fn may_surface(&self) -> Result<(), Violation> {
        if self.all_have_drawn() || self.dive.diver_fled || self.wreck_is_empty() {
            return Ok(());
        }
        let sentence = "a diver on the wreck has not drawn yet: all draw before the dive ends";
        Err(Violation::new("KL-R4", "NOT_ALL_HAVE_DRAWN", sentence))
    }

    /// Whether every diver who takes part has drawn.
    pub(super) fn all_have_drawn(&self) -> bool {
        let team = &self.player(self.turn).divers;
        (0..team.len()).all(|diver| team[diver].has_drawn || !self.takes_part(self.turn, diver))
    }

    /// KL-10
    pub(super) fn draw_card(&mut self, diver: u8, events: &mut Vec<Event>) {
        self.player_mut(self.turn).divers[usize::from(diver)].has_drawn = true;
        self.draw(diver, DrawCause::Turn, events);
    }

    /// KL-13
    pub(super) fn use_weight(&mut self, diver: u8, events: &mut Vec<Event>) {
        let seat = self.turn;
        self.player_mut(seat).divers[usize::from(diver)].weight = false;
        self.gone.items[Item::Weight.index()] += 1;
        events.push(Event::WeightUsed { seat, diver });
        self.draw(diver, DrawCause::Weight, events);
    }

    /// KL-11, KL-12: the top card goes into the hand, or is met.
    pub(super) fn draw(&mut self, diver: u8, cause: DrawCause, events: &mut Vec<Event>) {
        let (seat, wreck) = (self.turn, self.dive_wreck());
        let id = self.wrecks[wreck].cards.remove(0);
        let is_treasure = self.face(id).is_treasure();
        self.dive.last_diver = Some(diver);
        self.dive.last_was_treasure = is_treasure;
        events.push(Event::CardDrawn { seat, diver, wreck: wreck as u8, cause, card: self.card(id) });
        if is_treasure {
            self.player_mut(seat).hand.insert(id);
            self.dive.drawn.insert(id);
            self.phase = Phase::Dive;
        } else {
            self.dive.monster = Some(id);
            self.phase = Phase::Monster;
        }
    }

    /// KL-12: whose tridents can kill the monster.
    fn has_trident(&self, diver: usize) -> bool {
        self.takes_part(self.turn, diver) && self.player(self.turn).divers[diver].trident
    }

    /// KL-12, KL-R3
    pub(super) fn may_use_trident(&self, diver: u32) -> Result<(), Violation> {
        let place = self.must_be_on_wreck(diver)?;
        if !self.has_trident(place) {
            return Err(Violation::new("KL-12", "NO_TRIDENT", format!("diver {diver} carries no trident")));
        }
        Ok(())
    }

    /// KL-12, KL-R3
    pub(super) fn may_flee(&self) -> Result<(), Violation> {
        let team = self.player(self.turn).divers.len();
        match (0..team).find(|diver| self.has_trident(*diver)) {
            Some(diver) => {
                let sentence = format!("diver {diver} has a trident, and it must be used");
                Err(Violation::new("KL-R3", "TRIDENT_THERE", sentence))
            }
            None => Ok(()),
        }
    }

    /// KL-12: trident and monster leave the game, and the diver draws again.
    pub(super) fn use_trident(&mut self, trident_of: u8, events: &mut Vec<Event>) {
        let (seat, wreck) = (self.turn, self.dive_wreck() as u8);
        let (monster, diver) = self.met();
        self.player_mut(seat).divers[usize::from(trident_of)].trident = false;
        self.gone.items[Item::Trident.index()] += 1;
        self.killed.insert(monster);
        events.push(Event::MonsterKilled { seat, trident_of, wreck, card: self.card(monster) });
        if self.wreck_is_empty() {
            self.phase = Phase::Dive;
        } else {
            self.draw(diver, DrawCause::Replacement, events);
        }
    }

    /// KL-12: the diver and all their equipment leave the game, and the monster is set aside.
    pub(super) fn flee(&mut self, events: &mut Vec<Event>) {
        let seat = self.turn;
        let (monster, diver) = self.met();
        let lost = self.player_mut(seat).divers.remove(usize::from(diver));
        self.gone.divers += 1;
        self.gone.items[Item::Hose.index()] += lost.hoses;
        self.gone.items[Item::Weight.index()] += u8::from(lost.weight);
        self.dive.set_aside.push(monster);
        self.dive.diver_fled = true;
        self.dive.last_diver = None;
        self.phase = Phase::Dive;
        events.push(Event::DiverFled { seat, diver, hoses: lost.hoses, weight: lost.weight });
    }

    /// Takes up the monster that waits, with the diver who met it.
    fn met(&mut self) -> (CardId, u8) {
        let monster = self.dive.monster.take().expect("the phase is that of a monster");
        (monster, self.dive.last_diver.expect("somebody drew it"))
    }

    /// KL-E3: the monster goes back, the wreck is shuffled, and the diver draws again.
    pub(super) fn send_back(&mut self, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let (monster, diver) = self.met();
        self.return_monsters(vec![monster], chance, events);
        self.draw(diver, DrawCause::Regular, events);
    }

    /// KL-14
    pub(super) fn surface(&mut self, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let (seat, wreck) = (self.turn, self.dive_wreck() as u8);
        events.push(Event::Surfaced { seat, wreck });
        let dive = core::mem::take(&mut self.dive);
        if !dive.set_aside.is_empty() {
            self.return_monsters(dive.set_aside.to_vec(), chance, events); // KL-R6
        } else if self.wreck_is_empty() {
            events.push(Event::WreckGone { wreck });
        }
        self.go_on_acting(Some(seat), events);
    }

    /// Puts monsters at the bottom of the diving player's wreck and shuffles it.
    fn return_monsters(&mut self, monsters: Vec<CardId>, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let wreck = self.dive_wreck() as u8;
        let cards = monsters.iter().map(|card| self.card(*card)).collect();
        self.wrecks[usize::from(wreck)].cards.extend(monsters);
        events.push(Event::MonstersReturned { wreck, cards });
        self.shuffle_wreck(wreck, chance, events);
    }

    /// KL-R16: also where there is one card.
    pub(super) fn shuffle_wreck(&mut self, wreck: u8, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let cards = &mut self.wrecks[usize::from(wreck)].cards;
        shuffle(cards, chance);
        let cards = cards.clone().into_iter().map(|card| self.card(card)).collect();
        events.push(Event::WreckShuffled { wreck, cards });
    }
}

/// KL-R16: a team has no diver of that number now.
pub(super) fn no_such_diver(team: usize, diver: u32) -> Violation {
    let sentence = format!("there is no diver {diver} in a team of {team}, counted from 0");
    Violation::new("KL-R16", "NO_SUCH_DIVER", sentence)
}
