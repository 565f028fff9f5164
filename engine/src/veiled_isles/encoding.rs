//! Canonical bytes of states and events, as `docs/log-format.md` lists them.

use alloc::vec::Vec;

use super::island::{Colour, Half, Island, IslandSet, VeiledIsland};
use super::options::ActionCard;
use super::state::{Phase, Player, State};
use super::treasure::{Deck, Treasure, TreasureDeck};
use super::{ColourWon, Event, LiftedIsland, Prize, Score};
use crate::{Canonical, Seat, Sink};

/// There are 48 islands and 6 seats at most, so this can say that there is none.
const NONE: u8 = u8::MAX;

/// Numbers begin at 1: 0 says that something is hidden.
fn colour(colour: Colour) -> u8 {
    colour as u8 + 1
}

fn half(half: Half) -> u8 {
    half as u8 + 1
}

fn deck(deck: Deck) -> u8 {
    deck as u8 + 1
}

fn card(card: ActionCard) -> u8 {
    card as u8 + 1
}

fn seat_or_none(seat: Option<Seat>) -> u8 {
    seat.map_or(NONE, |seat| seat.0)
}

fn island_or_none(island: Option<Island>) -> u8 {
    island.map_or(NONE, Island::index)
}

/// A list that some viewers do not get: whether it is there, and if so the list.
fn hideable<T: Canonical, S: Sink>(list: &Option<Vec<T>>, sink: &mut S) {
    sink.bool(list.is_some());
    if let Some(list) = list {
        list.as_slice().encode(sink);
    }
}

impl Canonical for Island {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.index());
    }
}

impl Canonical for IslandSet {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.len(self.len().into());
        self.iter().for_each(|island| island.encode(sink));
    }
}

impl Canonical for VeiledIsland {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.put(&[self.colour.map_or(0, colour), self.number.unwrap_or(0)]);
    }
}

impl Canonical for Treasure {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.put(&[colour(self.colour), self.points]);
    }
}

impl Canonical for LiftedIsland {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.put(&[self.seat.0, self.island.index(), self.bonus, self.value]);
    }
}

impl Canonical for ColourWon {
    fn encode<S: Sink>(&self, sink: &mut S) {
        let prize = match self.prize {
            Prize::Treasure(on) => [1, deck(on)],
            Prize::Action(action) => [2, card(action)],
        };
        sink.put(&[self.colours.bits(), self.islands, self.winner.0, self.value, seat_or_none(self.lowest)]);
        sink.put(&prize);
    }
}

impl Canonical for Score {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.seat.0);
        sink.u16(self.treasure_points);
        sink.u8(self.bonus_points);
    }
}

impl Canonical for TreasureDeck {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.put(&[deck(self.deck), u8::from(self.turned_up.is_some())]);
        if let Some(treasure) = self.turned_up {
            treasure.encode(sink);
        }
        self.face_down.as_slice().encode(sink);
    }
}

impl Canonical for Phase {
    fn encode<S: Sink>(&self, sink: &mut S) {
        match *self {
            Phase::Pass => sink.u8(1),
            Phase::Play => sink.u8(2),
            Phase::Treasure => sink.u8(3),
            Phase::StealBonus => sink.u8(4),
            Phase::SwapWith => sink.u8(5),
            Phase::GiveBack { to, count } => sink.put(&[6, to.0, count]),
            Phase::PeekDeck => sink.u8(7),
            Phase::Reorder { deck: peeked } => sink.put(&[8, deck(peeked)]),
            Phase::TakePlayed => sink.u8(9),
            Phase::DiscardIsland => sink.u8(10),
            Phase::Over => sink.u8(11),
        }
    }
}

impl Canonical for Player {
    fn encode<S: Sink>(&self, sink: &mut S) {
        self.hand.encode(sink);
        sink.u8(island_or_none(self.passing));
        self.treasures.as_slice().encode(sink);
        sink.put(&[self.bonus, u8::from(self.played.is_some())]);
        if let Some(played) = self.played {
            sink.put(&[played.island.index(), half(played.show), played.bonus, u8::from(played.taken)]);
        }
        sink.len(self.scores.len());
        self.scores.iter().for_each(|score| sink.u16(*score));
    }
}

impl Canonical for State {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.put(&[card(self.red_blue_action), card(self.green_purple_action)]);
        sink.put(&self.treasure_values);
        sink.put(&[self.round, self.trick]);
        self.phase.encode(sink);
        sink.put(&[seat_or_none(self.turn), self.first_seat.0]);
        self.decks.as_slice().encode(sink);
        sink.u8(self.supply);
        self.players.as_slice().encode(sink);
        self.discarded.encode(sink);
        self.set_aside.encode(sink);
        sink.u8(self.prize_colours.bits());
    }
}

impl Canonical for Event {
    fn encode<S: Sink>(&self, sink: &mut S) {
        match self {
            Event::DeckShuffled { deck: of, size, order } => {
                sink.put(&[1, deck(*of), *size]);
                hideable(order, sink);
            }
            Event::TreasureTurnedUp { deck: of, treasure } => {
                sink.put(&[2, deck(*of)]);
                treasure.encode(sink);
            }
            Event::IslandsShuffled { order } => {
                sink.u8(3);
                hideable(order, sink);
            }
            Event::HandDealt { seat, count, islands } => {
                sink.put(&[4, seat.0, *count]);
                hideable(islands, sink);
            }
            Event::IslandsSetAside { count, islands } => {
                sink.put(&[5, *count]);
                hideable(islands, sink);
            }
            Event::RoundStarted { round, first_seat } => sink.put(&[6, *round, first_seat.0]),
            Event::PassChosen { seat, island } => sink.put(&[7, seat.0, island_or_none(*island)]),
            Event::IslandPassed { from, to, island } => sink.put(&[8, from.0, to.0, island_or_none(*island)]),
            Event::TrickStarted { trick, first_seat } => sink.put(&[9, *trick, first_seat.0]),
            Event::IslandPlayed { seat, island, show, bonus } => {
                sink.put(&[10, seat.0]);
                island.encode(sink);
                sink.put(&[half(*show), *bonus]);
            }
            Event::SailsLifted { islands } => {
                sink.u8(11);
                islands.as_slice().encode(sink);
            }
            Event::ColourWon(won) => {
                sink.u8(12);
                won.encode(sink);
            }
            Event::TreasureTaken { seat, deck: of, treasure } => {
                sink.put(&[13, seat.0, deck(*of)]);
                treasure.encode(sink);
            }
            Event::TreasureStolen { seat, from, treasure } => {
                sink.put(&[14, seat.0, from.0]);
                treasure.encode(sink);
            }
            Event::BonusTaken { seat, due, taken } => sink.put(&[15, seat.0, *due, *taken]),
            Event::ActionActivated { seat, action } => sink.put(&[16, seat.0, card(*action)]),
            Event::ActionSkipped { seat, action } => sink.put(&[17, seat.0, card(*action)]),
            Event::BonusStolen { seat, from, count } => sink.put(&[18, seat.0, from.0, *count]),
            Event::BonusDrawn { seat, count } => sink.put(&[19, seat.0, *count]),
            Event::IslandsTaken { seat, from, count, islands } => {
                sink.put(&[20, seat.0, from.0, *count]);
                hideable(islands, sink);
            }
            Event::IslandsGivenBack { seat, to, count, islands } => {
                sink.put(&[21, seat.0, to.0, *count]);
                hideable(islands, sink);
            }
            Event::DeckPeeked { seat, deck: of, treasures } => {
                sink.put(&[22, seat.0, deck(*of)]);
                hideable(treasures, sink);
            }
            Event::DeckReordered { seat, deck: of, order } => {
                sink.put(&[23, seat.0, deck(*of)]);
                sink.bool(order.is_some());
                if let Some(order) = order {
                    sink.len(order.len());
                    sink.put(order);
                }
            }
            Event::PlayedTaken { seat, from, island } => sink.put(&[24, seat.0, from.0, island.index()]),
            Event::IslandDiscarded { seat, island } => sink.put(&[25, seat.0, island.index()]),
            Event::TreasurePutUnder { deck: of, treasure } => {
                sink.put(&[26, deck(*of)]);
                treasure.encode(sink);
            }
            Event::TrickCleared { islands, bonus, first_seat } => {
                sink.u8(27);
                islands.as_slice().encode(sink);
                sink.put(&[*bonus, first_seat.0]);
            }
            Event::RoundScored { round, scores } => {
                sink.put(&[28, *round]);
                scores.as_slice().encode(sink);
            }
            Event::GameEnded { totals, winners } => {
                sink.u8(29);
                sink.len(totals.len());
                totals.iter().for_each(|total| sink.u16(*total));
                sink.u8(winners.bits());
            }
        }
    }
}
