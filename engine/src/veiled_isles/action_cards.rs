//! The four actions of the action cards.

use alloc::{format, vec, vec::Vec};

use super::island::{Island, IslandSet};
use super::treasure::Treasure;
use super::{Action, ActionCard, Deck, Event, Offer, Phase, State};
use crate::{Chance, Seat, Violation};

/// VI-16: how many bonus cards A1 takes.
const BONUS_STOLEN: u8 = 2;
/// VI-17: how many islands A2 swaps at most.
const ISLANDS_SWAPPED: u8 = 2;
/// VI-18: how many treasures A3 looks at.
const PEEKED: usize = 3;

impl ActionCard {
    /// The decision with which the action begins.
    pub(super) fn first_phase(self) -> Phase {
        match self {
            ActionCard::A1 => Phase::StealBonus,
            ActionCard::A2 => Phase::SwapWith,
            ActionCard::A3 => Phase::PeekDeck,
            ActionCard::A4 => Phase::TakePlayed,
        }
    }
}

impl State {
    /// Whether an action has any effect to offer; otherwise it is skipped.
    pub(super) fn can_do(&self, seat: Seat, action: ActionCard) -> bool {
        match action {
            ActionCard::A1 => self.somebody_else_has_two(seat) || self.supply > 0,
            // VI-R5: all hands have the same size here.
            ActionCard::A2 | ActionCard::A4 => !self.player(seat).hand.is_empty(),
            ActionCard::A3 => true,
        }
    }

    fn others(&self, seat: Seat) -> impl Iterator<Item = Seat> {
        self.seat_count().seats().filter(move |other| *other != seat)
    }

    fn somebody_else_has_two(&self, seat: Seat) -> bool {
        self.others(seat).any(|other| self.player(other).bonus >= BONUS_STOLEN)
    }

    // A1

    pub(super) fn steal_bonus_offers(&self, seat: Seat) -> Vec<Offer> {
        if !self.somebody_else_has_two(seat) {
            return vec![Offer::Single(Action::DrawBonus)];
        }
        let victims = self.others(seat).filter(|other| self.player(*other).bonus >= BONUS_STOLEN);
        victims.map(|seat| Offer::Single(Action::StealBonus { seat })).collect()
    }

    /// VI-16: bonus cards played in this trick are no longer the player's, so they do not count.
    pub(super) fn steal_bonus(&mut self, seat: Seat, from: Seat, events: &mut Vec<Event>) -> Result<(), Violation> {
        if from == seat {
            let sentence = format!("{from} activates the action: bonus cards are stolen from another player");
            return Err(Violation::new("VI-16", "OWN_SEAT", sentence));
        }
        let victim = self.player_mut(from);
        if victim.bonus < BONUS_STOLEN {
            let sentence = format!("{from} has {} bonus cards, and {BONUS_STOLEN} are stolen", victim.bonus);
            return Err(Violation::new("VI-16", "FEWER_THAN_TWO", sentence));
        }
        victim.bonus -= BONUS_STOLEN;
        self.player_mut(seat).bonus += BONUS_STOLEN;
        events.push(Event::BonusStolen { seat, from, count: BONUS_STOLEN });
        Ok(())
    }

    /// VI-16: only where nobody else has 2.
    pub(super) fn draw_bonus(&mut self, seat: Seat, events: &mut Vec<Event>) -> Result<(), Violation> {
        if self.somebody_else_has_two(seat) {
            let sentence = "another player has 2 or more bonus cards: they are stolen, not drawn";
            return Err(Violation::new("VI-16", "SOMEBODY_HAS_TWO", sentence));
        }
        let count = self.take_from_supply(seat, BONUS_STOLEN);
        events.push(Event::BonusDrawn { seat, count });
        Ok(())
    }

    // A2

    pub(super) fn swap_offers(&self, seat: Seat) -> Vec<Offer> {
        self.others(seat).map(|seat| Offer::Single(Action::SwapWith { seat })).collect()
    }

    /// VI-17: a draw for each island, among those still in the hand, ascending.
    pub(super) fn swap_with(
        &mut self,
        seat: Seat,
        with: Seat,
        chance: &mut dyn Chance,
        events: &mut Vec<Event>,
    ) -> Result<(), Violation> {
        if with == seat {
            let sentence = format!("{with} activates the action: islands are swapped with another player");
            return Err(Violation::new("VI-17", "OWN_SEAT", sentence));
        }
        let mut hand = self.player(with).hand;
        // VI-R5
        let count = ISLANDS_SWAPPED.min(hand.len()).min(self.player(seat).hand.len());
        let mut drawn = Vec::with_capacity(count.into());
        for _ in 0..count {
            let place = chance.below(hand.len().into()) as usize;
            if let Some(island) = hand.iter().nth(place) {
                hand.remove(island);
                drawn.push(island);
            }
        }
        self.player_mut(with).hand = hand;
        drawn.iter().for_each(|island| self.player_mut(seat).hand.insert(*island));
        events.push(Event::IslandsTaken { seat, from: with, count, islands: Some(drawn) });
        self.phase = Phase::GiveBack { to: with, count };
        Ok(())
    }

    pub(super) fn give_back_offers(&self, seat: Seat, count: u8) -> Vec<Offer> {
        vec![Offer::GiveBack { islands: self.player(seat).hand, count }]
    }

    /// VI-17: as many as were taken, of which some may be the same.
    pub(super) fn give_back(
        &mut self,
        seat: Seat,
        (to, count): (Seat, u8),
        islands: &[Island],
        events: &mut Vec<Event>,
    ) -> Result<(), Violation> {
        let refuse = |reason, sentence| Err(Violation::new("VI-17", reason, sentence));
        let hand = self.player(seat).hand;
        if let Some(island) = islands.iter().find(|island| !hand.contains(**island)) {
            return refuse("NOT_IN_HAND", format!("{island} is not in the hand"));
        }
        if islands.len() != usize::from(count) {
            let sentence = format!("{count} taken, so {count} must be given back, not {}", islands.len());
            return refuse("WRONG_COUNT", sentence);
        }
        let given: IslandSet = islands.iter().copied().collect();
        for island in given.iter() {
            self.player_mut(seat).hand.remove(island);
            self.player_mut(to).hand.insert(island);
        }
        events.push(Event::IslandsGivenBack { seat, to, count, islands: Some(given.iter().collect()) });
        Ok(())
    }

    // A3

    pub(super) fn peek_offers(&self) -> Vec<Offer> {
        self.decks.iter().map(|deck| Offer::Single(Action::PeekDeck { deck: deck.deck })).collect()
    }

    /// VI-R6: the treasures below the one turned up, top first. VI-R9 leaves at least three.
    pub(super) fn top_of(&self, deck: Deck) -> &[Treasure] {
        let on_table = self.decks.iter().find(|on_table| on_table.deck == deck);
        on_table.map_or(&[], |on_table| &on_table.face_down[..PEEKED.min(on_table.face_down.len())])
    }

    /// VI-18
    pub(super) fn peek_deck(&mut self, seat: Seat, deck: Deck, events: &mut Vec<Event>) {
        let treasures = Some(self.top_of(deck).to_vec());
        events.push(Event::DeckPeeked { seat, deck, treasures });
        self.phase = Phase::Reorder { deck };
    }

    pub(super) fn reorder_offers() -> Vec<Offer> {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        orders.iter().map(|order| Offer::Single(Action::Reorder { order: order.to_vec() })).collect()
    }

    /// VI-18: the new order as positions in the old one, if it is one.
    pub(super) fn check_order(order: &[u32]) -> Result<[u8; PEEKED], Violation> {
        let each_once = (0..PEEKED as u32).all(|place| order.contains(&place));
        match <[u32; PEEKED]>::try_from(order) {
            Ok(order) if each_once => Ok(order.map(|place| place as u8)),
            _ => Err(Violation::malformed("order must name the positions 0, 1 and 2, each once, the new top first")),
        }
    }

    /// VI-18
    pub(super) fn reorder(
        &mut self,
        seat: Seat,
        deck: Deck,
        order: &[u32],
        events: &mut Vec<Event>,
    ) -> Result<(), Violation> {
        let order = State::check_order(order)?;
        let on_table = self.decks.iter_mut().find(|on_table| on_table.deck == deck);
        if let Some(top) = on_table.and_then(|on_table| on_table.face_down.first_chunk_mut::<PEEKED>()) {
            let old = *top;
            *top = order.map(|place| old[usize::from(place)]);
        }
        events.push(Event::DeckReordered { seat, deck, order: Some(order.to_vec()) });
        Ok(())
    }

    // A4

    pub(super) fn take_played_offers(&self) -> Vec<Offer> {
        self.seat_count().seats().map(|seat| Offer::Single(Action::TakePlayed { seat })).collect()
    }

    /// VI-19: all islands of the trick lie there still, because A4 comes once in a trick at most (VI-R12).
    pub(super) fn take_played(&mut self, seat: Seat, from: Seat, events: &mut Vec<Event>) {
        if let Some(played) = &mut self.player_mut(from).played {
            played.taken = true;
            let island = played.island;
            self.player_mut(seat).hand.insert(island);
            events.push(Event::PlayedTaken { seat, from, island });
        }
        self.phase = Phase::DiscardIsland;
    }

    pub(super) fn discard_offers(&self, seat: Seat) -> Vec<Offer> {
        self.player(seat).hand.iter().map(|island| Offer::Single(Action::DiscardIsland { island })).collect()
    }

    /// VI-19
    pub(super) fn discard_island(
        &mut self,
        seat: Seat,
        island: Island,
        events: &mut Vec<Event>,
    ) -> Result<(), Violation> {
        let hand = &mut self.player_mut(seat).hand;
        if !hand.contains(island) {
            return Err(Violation::new("VI-19", "NOT_IN_HAND", format!("{island} is not in the hand")));
        }
        hand.remove(island);
        self.discarded.insert(island);
        events.push(Event::IslandDiscarded { seat, island });
        Ok(())
    }
}
