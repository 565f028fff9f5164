//! KL-E1 to KL-E24: what encounter cards do at once. What they change later in a visit is where prices and limits are.

use alloc::vec::Vec;

use super::offer::card_set;
use super::{CardId, CardSet, DrawCause, Encounter, Event, Play, SaleWay, State, Ware};
use crate::{Chance, Seat};

/// KL-E22: the price per unit.
const TRAFFICKER: u32 = 30;

/// KL-E2: the best price per unit.
fn best_price(ware: Ware) -> u32 {
    [30, 40, 40][ware.index()]
}

impl State {
    /// The card is shown, leaves the game, and has its effect. What it changes in a visit is asked of `played`.
    pub(super) fn play(&mut self, play: &Play, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let (seat, encounter) = (self.turn, play.encounter());
        let player = self.player_mut(seat);
        player.encounters.retain(|held| *held != encounter);
        player.played = Some(encounter);
        self.encounters_played.push(encounter);
        events.push(self.played_event(play));
        match play {
            Play::Volunteer { diver } => self.draw(*diver as u8, DrawCause::Volunteer, events),
            Play::HastyBuyer { treasure } => {
                let card = CardId(*treasure as u8);
                let ware = self.face(card).ware();
                let price = ware.map_or(0, best_price);
                self.sell_by(SaleWay::HastyBuyer, CardSet::from_iter([card]), ware, price, events);
            }
            Play::Saboteur { seat: target, diver } => {
                self.player_mut(Seat(*target as u8)).divers[*diver as usize].sabotaged = true;
                self.go_on_sabotaging(Some(seat), events);
            }
            Play::Drunkard { wreck } => self.look_into([*wreck as u8].into_iter().collect(), chance, events),
            Play::Dupe { treasure, ware } => self.visit.dupe = Some((CardId(*treasure as u8), *ware)),
            Play::Trafficker { treasures } => {
                let cards = card_set(treasures).unwrap_or_default();
                self.sell_by(SaleWay::Trafficker, cards, None, TRAFFICKER, events);
            }
            Play::Jeweller { diamond } => {
                let card = CardId(*diamond as u8);
                self.sell_by(SaleWay::Jeweller, CardSet::from_iter([card]), None, 0, events);
            }
            Play::Plain(Encounter::Regular) => self.send_back(chance, events),
            Play::Plain(Encounter::AttentiveDiver) => {
                let diver = self.dive.last_diver.expect("the card is played after a draw");
                self.draw(diver, DrawCause::AttentiveDiver, events);
            }
            Play::Plain(Encounter::Family) => self.pay_dolphins(seat, events),
            Play::Plain(_) => {}
        }
    }

    fn played_event(&self, play: &Play) -> Event {
        let (seat, encounter) = (self.turn, play.encounter());
        let (mut target_seat, mut diver, mut wreck, mut dupe, mut ware) = (None, None, None, None, None);
        match play {
            Play::Volunteer { diver: own } => diver = Some(*own as u8),
            Play::Saboteur { seat, diver: target } => {
                target_seat = Some(Seat(*seat as u8));
                diver = Some(*target as u8);
            }
            Play::Drunkard { wreck: seen } => wreck = Some(*seen as u8),
            Play::Dupe { treasure, ware: counted } => {
                dupe = Some(self.card(CardId(*treasure as u8)));
                ware = Some(*counted);
            }
            Play::Plain(_) | Play::HastyBuyer { .. } | Play::Trafficker { .. } | Play::Jeweller { .. } => {}
        }
        Event::EncounterPlayed { seat, encounter, target_seat, diver, wreck, dupe, ware }
    }
}
