//! KL-20, KL-21: equipment.

use alloc::{format, vec::Vec};

use super::dive::no_such_diver;
use super::tables::price;
use super::{Encounter, Event, Item, Place, State};
use crate::Violation;

/// KL-20: how many items can be bought in a visit.
const PURCHASES: u8 = 2;
/// KL-E18: the reduction.
const DISCOUNT: u32 = 20;

impl State {
    /// KL-20: items bought in this visit.
    pub(super) fn purchases(&self) -> u8 {
        self.visit.bought.iter().sum()
    }

    /// KL-20, KL-E18, KL-E19, KL-R20
    fn item_price(&self, item: Item) -> u32 {
        let shop = &self.tables.shop;
        let row = [&shop.hose, &shop.trident, &shop.weight][item.index()];
        let mut by_table = price(row, self.present(Place::Shop));
        if self.has_played(Encounter::GoodFriend) {
            by_table = self.price_by_card(price(row, 1), by_table);
        }
        let reduced = self.has_played(Encounter::Discounter) && self.visit.bought[item.index()] == PURCHASES;
        by_table.saturating_sub(if reduced { DISCOUNT } else { 0 })
    }

    /// KL-20: two items, and with an encounter one more of a certain kind.
    fn may_buy_one_more(&self, item: Item) -> Result<(), Violation> {
        if self.purchases() < PURCHASES {
            return Ok(());
        }
        let full = Violation::new("KL-20", "TWO_ITEMS", "two items can be bought in a visit, not more");
        if self.purchases() > PURCHASES {
            return Err(full);
        }
        let (rule, extra) = match self.player(self.turn).played {
            Some(Encounter::HoseSeller) => ("KL-E15", Item::Hose),
            Some(Encounter::TridentSeller) => ("KL-E16", Item::Trident),
            Some(Encounter::WeightSeller) => ("KL-E17", Item::Weight),
            Some(Encounter::Discounter) => {
                // KL-E18: both purchases were of the same item.
                let extra = Item::ALL.into_iter().find(|item| self.visit.bought[item.index()] == PURCHASES);
                return match extra {
                    Some(extra) if extra != item => Err(only("KL-E18", extra)),
                    _ => Ok(()),
                };
            }
            _ => return Err(full),
        };
        // The seller's item need not be the last one: any order comes to two items and one of the seller's.
        if item == extra || self.visit.bought[extra.index()] > 0 {
            return Ok(());
        }
        Err(only(rule, extra))
    }

    /// KL-20, KL-21
    pub(super) fn may_buy(&self, item: Item, diver: u32) -> Result<(), Violation> {
        let team = &self.player(self.turn).divers;
        let Some(receiver) = team.get(diver as usize) else { return Err(no_such_diver(team.len(), diver)) };
        self.may_buy_one_more(item)?;
        if self.reserve.items[item.index()] == 0 {
            let sentence = format!("the reserve has no {} any more", item.name());
            return Err(Violation::new("KL-20", "SOLD_OUT", sentence));
        }
        if !receiver.has_room_for(item) {
            let sentence = format!("diver {diver} has no room for another {}", item.name());
            return Err(Violation::new("KL-21", "NO_ROOM", sentence));
        }
        self.must_afford(self.item_price(item))
    }

    /// KL-20
    pub(super) fn buy(&mut self, item: Item, diver: u8, events: &mut Vec<Event>) {
        let (seat, price) = (self.turn, self.item_price(item));
        self.pay(price);
        self.visit.bought[item.index()] += 1;
        self.reserve.items[item.index()] -= 1;
        self.player_mut(seat).divers[usize::from(diver)].take(item);
        events.push(Event::Bought { seat, item, diver, price });
    }
}

fn only(rule: &'static str, extra: Item) -> Violation {
    let sentence = format!("the third item of this visit can only be a {}", extra.name());
    Violation::new(rule, "OTHER_ITEM", sentence)
}
