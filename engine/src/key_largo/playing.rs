//! KL-26: whether an encounter card may be played. What the cards do is in `effects`.

use alloc::{format, string::String};

use super::offer::card_set;
use super::{CardId, Depth, Encounter, Phase, Place, Play, State};
use crate::{Seat, Violation};

/// KL-E22: the most cards.
const TRAFFICKED: usize = 5;

fn refuse(rule: &'static str, reason: &'static str, sentence: impl Into<String>) -> Result<(), Violation> {
    Err(Violation::new(rule, reason, sentence))
}

impl State {
    /// KL-26: in hand, the first of this half-day, at its place, and as the card itself demands.
    pub(super) fn may_play(&self, seat: Seat, play: &Play) -> Result<(), Violation> {
        let encounter = play.encounter();
        let (player, name) = (self.player(seat), encounter.name());
        if !player.encounters.contains(&encounter) {
            return refuse("KL-26", "NOT_IN_HAND", format!("you do not hold the {name}"));
        }
        if player.played.is_some() {
            return refuse("KL-26", "ONE_PER_HALF_DAY", "you have played an encounter card in this half-day");
        }
        if self.place_of(seat) != Some(encounter.place()) {
            let place = encounter.place().name();
            return refuse("KL-26", "OTHER_PLACE", format!("the {name} is played at {place}, not here"));
        }
        match self.phase {
            Phase::Sabotage if encounter != Encounter::Saboteur => {
                refuse("KL-26", "OWN_ACTION", "before the dives only a saboteur is played: keep the card or pass")
            }
            Phase::Monster if encounter != Encounter::Regular => {
                refuse("KL-26", "MONSTER_WAITS", "a monster waits: only a regular can be played now")
            }
            _ => match encounter.place() {
                Place::Dive => self.may_play_diving(play),
                Place::Bar => self.may_play_in_bar(play),
                Place::Dolphins => Ok(()),
                Place::Shop => self.may_play_in_shop(encounter),
                Place::Market => self.may_play_at_market(play),
            },
        }
    }

    fn may_play_diving(&self, play: &Play) -> Result<(), Violation> {
        match *play {
            Play::Volunteer { diver } => {
                let wreck = &self.wrecks[self.dive_wreck()];
                if wreck.depth != Depth::Shallow {
                    return refuse("KL-E1", "NOT_SHALLOW", "a volunteer helps only on a shallow wreck");
                }
                if wreck.cards.is_empty() {
                    return refuse("KL-E1", "WRECK_EMPTY", "the wreck has no card left for a volunteer");
                }
                self.must_be_on_wreck(diver).map(|_| ())
            }
            Play::HastyBuyer { treasure } => {
                let card = CardId(treasure as u8);
                if !self.dive.drawn.contains(card) {
                    let sentence = format!("card {treasure} is not one that you drew in this dive and still hold");
                    return refuse("KL-R8", "NOT_DRAWN_NOW", sentence);
                }
                if self.face(card).ware().is_none() {
                    return refuse("KL-E2", "DIAMOND", "a hasty buyer takes gold, goods or antiques, no diamond");
                }
                Ok(())
            }
            Play::Saboteur { seat, diver } => self.may_sabotage(Seat(seat as u8), diver),
            Play::Plain(Encounter::AttentiveDiver) => self.may_play_attentive_diver(),
            // The phase of a monster is the only one in which the regular gets past.
            _ if self.phase == Phase::Monster => Ok(()),
            _ => refuse("KL-E3", "NO_MONSTER", "a regular is played on meeting a monster"),
        }
    }

    /// KL-E4, KL-R7
    fn may_sabotage(&self, seat: Seat, diver: u32) -> Result<(), Violation> {
        if self.phase != Phase::Sabotage {
            return refuse("KL-E4", "TOO_LATE", "a saboteur is played before the first action of the half-day");
        }
        if seat == self.turn {
            return refuse("KL-E4", "OWN_DIVER", "a saboteur keeps back a diver of another player");
        }
        let sabotaged = self.player(seat).divers.get(diver as usize).is_some_and(|diver| diver.sabotaged);
        if sabotaged {
            let sentence = format!("diver {diver} of {seat} is sabotaged already");
            return refuse("KL-R7", "ALREADY_SABOTAGED", sentence);
        }
        if !self.takes_part(seat, diver as usize) {
            let sentence = format!("{seat} has no diver {diver} who takes part in a dive of this half-day");
            return refuse("KL-R7", "NOT_TAKING_PART", sentence);
        }
        Ok(())
    }

    /// KL-E5
    fn may_play_attentive_diver(&self) -> Result<(), Violation> {
        let left = self.wrecks[self.dive_wreck()].cards.len();
        if !self.all_have_drawn() {
            return refuse("KL-E5", "NOT_ALL_HAVE_DRAWN", "an attentive diver waits until every diver has drawn");
        }
        if !self.dive.set_aside.is_empty() {
            return refuse("KL-E5", "MONSTER_SET_ASIDE", "a monster is set aside: there is no last card to draw");
        }
        if left != 1 {
            let sentence = format!("an attentive diver needs exactly one card in the wreck, and there are {left}");
            return refuse("KL-E5", "NOT_ONE_CARD", sentence);
        }
        if self.dive.last_diver.is_none() {
            return refuse("KL-E5", "NOBODY_DREW", "none of your divers has drawn in this dive");
        }
        Ok(())
    }

    fn may_play_in_bar(&self, play: &Play) -> Result<(), Violation> {
        let late = |what| refuse("KL-R11", "TOO_LATE", format!("this card is played before {what}"));
        match *play {
            Play::Drunkard { wreck } if self.wrecks[wreck as usize].cards.is_empty() => {
                let sentence = format!("wreck {wreck} has no cards any more: name one that has");
                refuse("KL-E7", "WRECK_GONE", sentence)
            }
            Play::Plain(Encounter::NoviceDiver | Encounter::ExpertDiver) if self.visit.recruits > 0 => {
                late("a diver is recruited")
            }
            Play::Plain(Encounter::Cutpurse) if self.visit.pickpockets > 0 => late("a pickpocket is hired"),
            _ => Ok(()),
        }
    }

    fn may_play_in_shop(&self, encounter: Encounter) -> Result<(), Violation> {
        match encounter {
            Encounter::GoodFriend if self.purchases() > 0 => {
                refuse("KL-R11", "TOO_LATE", "a good friend is played before the first purchase")
            }
            Encounter::Discounter if !self.visit.bought.contains(&2) => {
                let sentence = "a discounter is played after two purchases of the same item in this visit";
                refuse("KL-E18", "NOT_TWO_ALIKE", sentence)
            }
            _ => Ok(()),
        }
    }

    fn may_play_at_market(&self, play: &Play) -> Result<(), Violation> {
        let hand = self.player(self.turn).hand;
        match play {
            Play::Dupe { treasure, ware } => {
                let card = CardId(*treasure as u8);
                if self.visit.sold {
                    return refuse("KL-E21", "TOO_LATE", "a dupe is played before the sale");
                }
                if !hand.contains(card) {
                    return refuse("KL-E21", "NOT_IN_HAND", format!("card {treasure} is not in your hand"));
                }
                match self.face(card).ware() {
                    None => refuse("KL-E21", "DIAMOND", "a dupe takes gold, goods or antiques, no diamond"),
                    Some(own) if own == *ware => {
                        let sentence = format!("card {treasure} is {} anyway: name another kind", own.name());
                        refuse("KL-E21", "SAME_KIND", sentence)
                    }
                    Some(_) => Ok(()),
                }
            }
            Play::Trafficker { treasures } => self.may_traffic(treasures),
            Play::Jeweller { diamond } => {
                let card = CardId(*diamond as u8);
                if !hand.contains(card) {
                    return refuse("KL-E23", "NOT_IN_HAND", format!("card {diamond} is not in your hand"));
                }
                if self.face(card).ware().is_some() {
                    return refuse("KL-E23", "NO_DIAMOND", format!("card {diamond} is no diamond"));
                }
                Ok(())
            }
            Play::Plain(Encounter::GoldDigger) if self.visit.sold => {
                refuse("KL-R11", "TOO_LATE", "a gold digger is played before the sale")
            }
            _ => Ok(()),
        }
    }

    /// KL-E22
    fn may_traffic(&self, treasures: &[u32]) -> Result<(), Violation> {
        let cards = card_set(treasures).unwrap_or_default();
        if !(1..=TRAFFICKED).contains(&cards.len()) {
            let sentence = format!("a trafficker takes one to {TRAFFICKED} cards, not {}", cards.len());
            return refuse("KL-E22", "ONE_TO_FIVE", sentence);
        }
        if let Some(foreign) = cards.iter().find(|card| !self.player(self.turn).hand.contains(*card)) {
            return refuse("KL-E22", "NOT_IN_HAND", format!("card {} is not in your hand", foreign.0));
        }
        let saleable = self.saleable(self.turn);
        if !cards.is_within(saleable) {
            return refuse("KL-E22", "DIAMOND", "a trafficker takes gold, goods or antiques, no diamonds");
        }
        if cards.len() > self.most_trafficked() {
            let sentence = "the sale of this visit is still to come: leave a card for it";
            return refuse("KL-E22", "LEAVE_ONE", sentence);
        }
        Ok(())
    }

    /// KL-E22, KL-R10: how many cards a trafficker can take now.
    pub(super) fn most_trafficked(&self) -> usize {
        let saleable = self.saleable(self.turn).len();
        saleable.saturating_sub(usize::from(!self.visit.sold)).min(TRAFFICKED)
    }
}
