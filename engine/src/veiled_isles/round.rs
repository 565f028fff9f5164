//! Set-up of a round, and its scoring.

use alloc::vec::Vec;

use arrayvec::ArrayVec;

use super::island::{Island, IslandSet};
use super::options::LEFT_OUT;
use super::state::{BONUS_CARDS, Player, ROUNDS};
use super::treasure::{LARGEST_DECK, PER_COLOUR, Treasure, TreasureDeck};
use super::{Deck, Event, Phase, Score, State};
use crate::{Chance, Outcome, shuffle};

impl State {
    /// VI-2 to VI-4: decks, hands and what is set aside, in the order in which chance is used.
    pub(super) fn deal_round(&mut self, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let decks: &[Deck] =
            if self.players.len() == 3 { &[Deck::Single] } else { &[Deck::RedBlue, Deck::GreenPurple] };
        self.decks.clear();
        for deck in decks {
            let mut order = self.treasures_of(*deck);
            shuffle(&mut order, chance); // VI-3
            events.push(Event::DeckShuffled {
                deck: *deck,
                size: order.len() as u8,
                order: Some(order.iter().copied().collect()),
            });
            let mut deck = TreasureDeck { deck: *deck, turned_up: None, face_down: order };
            deck.turn_up(events);
            self.decks.push(deck);
        }
        let mut islands = Island::all();
        shuffle(&mut islands, chance); // VI-4
        events.push(Event::IslandsShuffled { order: Some(islands.to_vec()) });
        let mut top = islands.into_iter();
        let hand_size = if self.players.len() == 5 { 9 } else { 12 };
        for seat in self.seat_count().seats() {
            let hand: IslandSet = top.by_ref().take(hand_size).collect();
            self.player_mut(seat).hand = hand;
            events.push(Event::HandDealt { seat, count: hand.len(), islands: Some(hand.iter().collect()) });
        }
        self.set_aside = top.collect();
        let islands = Some(self.set_aside.iter().collect());
        events.push(Event::IslandsSetAside { count: self.set_aside.len(), islands });
    }

    /// The treasures of a deck before it is shuffled: by colour, then ascending.
    fn treasures_of(&self, deck: Deck) -> ArrayVec<Treasure, LARGEST_DECK> {
        let mut values: ArrayVec<u8, PER_COLOUR> = self.treasure_values.into();
        if deck == Deck::Single {
            // VI-2: one of each; the options were refused if there were none.
            for points in LEFT_OUT {
                let place = values.iter().position(|value| *value == points);
                place.map(|place| values.remove(place));
            }
        }
        let of_colour = |colour| values.iter().map(move |points| Treasure { colour, points: *points });
        deck.colours().iter().copied().flat_map(of_colour).collect()
    }

    /// VI-6: all players are asked at once.
    pub(super) fn begin_passing(&mut self, events: &mut Vec<Event>) {
        self.trick = 0;
        self.phase = Phase::Pass;
        self.turn = None;
        events.push(Event::RoundStarted { round: self.round, first_seat: self.first_seat });
    }

    /// VI-20: the hands are empty.
    pub(super) fn end_round(&mut self, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let scores: Vec<Score> = self.seat_count().seats().map(|seat| self.player(seat).score(seat)).collect();
        for score in &scores {
            self.player_mut(score.seat).scores.push(score.points());
        }
        events.push(Event::RoundScored { round: self.round, scores });
        if self.round == ROUNDS {
            self.end_game(events);
            return;
        }
        self.round += 1;
        self.supply = BONUS_CARDS;
        self.discarded = IslandSet::EMPTY;
        for player in &mut self.players {
            *player = Player { scores: player.scores.clone(), ..Player::default() };
        }
        self.deal_round(chance, events);
        self.begin_passing(events);
    }

    fn end_game(&mut self, events: &mut Vec<Event>) {
        self.phase = Phase::Over;
        self.turn = None;
        let totals = self.players.iter().map(|player| player.scores.iter().sum()).collect();
        events.push(Event::GameEnded { totals, winners: self.final_outcome().winners });
    }

    /// VI-20: the highest sum of both rounds wins.
    pub(super) fn final_outcome(&self) -> Outcome {
        Outcome::ranked(self.seat_count().seats().map(|seat| {
            let points: u16 = self.player(seat).scores.iter().sum();
            (seat, i64::from(points), points)
        }))
    }
}
