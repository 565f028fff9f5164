//! KL-22, KL-23: sales.

use alloc::{format, vec::Vec};

use super::offer::card_set;
use super::{CardId, CardSet, Encounter, Event, Place, SaleWay, State, Ware};
use crate::{Seat, Violation};

/// KL-E24: gold with a gold digger.
const GOLD_DIGGER: u32 = 40;

impl State {
    /// KL-22, KL-E21: what a card of the player whose turn it is sells as.
    pub(super) fn sells_as(&self, card: CardId) -> Option<Ware> {
        match self.visit.dupe {
            Some((dupe, ware)) if dupe == card => Some(ware),
            _ => self.face(card).ware(),
        }
    }

    /// The cards of a player that are no diamonds.
    pub(super) fn saleable(&self, seat: Seat) -> CardSet {
        self.player(seat).hand.iter().filter(|card| self.face(*card).ware().is_some()).collect()
    }

    /// KL-23, KL-E24: per unit.
    pub(super) fn market_price(&self, ware: Ware) -> u32 {
        let present = usize::from(self.present(Place::Market)).clamp(1, 3) - 1;
        match ware {
            Ware::Gold if self.has_played(Encounter::GoldDigger) => GOLD_DIGGER,
            Ware::Gold => 30,
            Ware::Goods => [40, 30, 20][present],
            Ware::Antiques => [20, 30, 40][present],
        }
    }

    /// KL-22
    pub(super) fn may_sell(&self, cards: &[u32]) -> Result<(), Violation> {
        let refuse = |reason, sentence| Err(Violation::new("KL-22", reason, sentence));
        if self.visit.sold {
            return refuse("ALREADY_SOLD", "the sale of this visit is made: there is one in a visit".into());
        }
        let cards = card_set(cards).unwrap_or_default();
        let Some(first) = cards.iter().next() else {
            return refuse("NO_CARD", "a sale needs at least one card".into());
        };
        if let Some(foreign) = cards.iter().find(|card| !self.player(self.turn).hand.contains(*card)) {
            return refuse("NOT_IN_HAND", format!("card {} is not in your hand", foreign.0));
        }
        if let Some(diamond) = cards.iter().find(|card| self.sells_as(*card).is_none()) {
            return refuse("DIAMOND", format!("card {} is a diamond: the market does not buy those", diamond.0));
        }
        if cards.iter().any(|card| self.sells_as(card) != self.sells_as(first)) {
            return refuse("ONE_KIND", "a sale has cards of one kind only: gold, goods or antiques".into());
        }
        match self.visit.dupe {
            Some((dupe, ware)) if !cards.contains(dupe) => {
                let sentence = format!("the sale must include card {}, which counts as {}", dupe.0, ware.name());
                Err(Violation::new("KL-E21", "WITHOUT_THE_DUPE", sentence))
            }
            _ => Ok(()),
        }
    }

    /// KL-23
    pub(super) fn sell(&mut self, cards: &[u32], events: &mut Vec<Event>) {
        let cards = card_set(cards).unwrap_or_default();
        let ware = cards.iter().find_map(|card| self.sells_as(card)).expect("a sale has a card of some ware");
        self.visit.sold = true;
        self.visit.dupe = None;
        self.sell_by(SaleWay::Market, cards, Some(ware), self.market_price(ware), events);
    }

    /// Cards are shown, paid by unit, and leave the game.
    pub(super) fn sell_by(
        &mut self,
        way: SaleWay,
        sold: CardSet,
        ware: Option<Ware>,
        unit_price: u32,
        events: &mut Vec<Event>,
    ) {
        let seat = self.turn;
        let units: u32 = sold.iter().map(|card| u32::from(self.face(card).value)).sum();
        // What a diamond shows is its price.
        let income = if way == SaleWay::Jeweller { units } else { units * unit_price };
        let player = self.player_mut(seat);
        player.cash += income;
        player.hand.remove_all(sold);
        self.dive.drawn.remove_all(sold);
        self.sold.insert_all(sold);
        let cards = sold.iter().map(|card| self.card(card)).collect();
        events.push(Event::CardsSold { seat, way, cards, ware, unit_price, income });
    }

    /// KL-22, KL-R10: whether the visit may end.
    pub(super) fn may_leave_market(&self) -> Result<(), Violation> {
        if self.visit.sold || self.saleable(self.turn).is_empty() {
            return Ok(());
        }
        let sentence = "you have a card that the market buys: sell at least one before you leave";
        Err(Violation::new("KL-22", "MUST_SELL", sentence))
    }
}
