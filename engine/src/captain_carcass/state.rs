//! Everything that a game of Captain Carcass consists of.

use arrayvec::ArrayVec;

use super::cards::{Card, Hold, Pile, Suit};
use super::{Diver, Rules, SEATS, Variant};
use crate::{Canonical, Seat, SeatCount, Sink};

/// The longest row: by CC-7 no suit stands in it twice, under CC-V5 none of the eight values.
const ROW: usize = Suit::ALL.len();
/// The most nets in a row: under CC-V5 one of each value.
const NETS: usize = super::cards::CARDS_OF_A_SUIT as usize;

/// Which decision is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The saboteuse's owner names an opponent, before the first turn (CC-D17).
    NameVictim,
    /// Draw or surface (CC-6).
    Explore,
    /// Choose a card for the knife (CC-15).
    Knife,
    /// Choose a card for the harpoon (CC-18).
    Harpoon,
    /// Choose a card for the net (CC-17).
    Net,
    /// Choose a card of one's own hold for a knife that misfires (CC-D8).
    Misfire,
    /// Choose one of the cards that the map shows (CC-12).
    Map,
    /// Choose whom to plunder (CC-D3).
    Plunder,
    /// The game is over.
    Over,
}

/// Where a card of the exploration came from (CC-8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Turned up from the draw pile.
    DrawPile,
    /// Placed from the graveyard by a map.
    Graveyard,
    /// Brought in from the player's own hold by a net.
    OwnHold,
    /// Brought in from an opponent's hold by a harpoon.
    OpponentHold,
}

/// A card of the exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExploredCard {
    /// The card.
    pub card: Card,
    /// Where it came from.
    pub source: Source,
}

/// A net whose effect is not finished (CC-17, CC-D13).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenNet {
    /// The net.
    pub card: Card,
    /// How many cards it still brings in, 1 or 2.
    pub catches: u8,
}

/// One player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Player {
    pub(super) diver: Option<Diver>,
    /// CC-D17: whom the saboteuse's owner has named.
    pub(super) victim: Option<Seat>,
    pub(super) hold: Hold,
}

/// A game's state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub(super) rules: Rules,
    pub(super) variant: Option<Variant>,
    pub(super) phase: Phase,
    /// Whose turn it is: before the first turn who will begin, after the end who played last.
    pub(super) turn: Seat,
    pub(super) first_seat: Seat,
    pub(super) players: ArrayVec<Player, { *SEATS.end() as usize }>,
    /// The row, in order.
    pub(super) exploration: ArrayVec<ExploredCard, ROW>,
    /// CC-R5: whether a card was turned up in this turn.
    pub(super) turned_up: bool,
    /// CC-13: how many cards must still enter before the player may surface.
    pub(super) squid_demand: u8,
    /// The nets that still bring cards in, the innermost last: this is the stack of effects that are not finished. It
    /// holds nothing else, because every other effect ends with the card that it brings in.
    pub(super) open_nets: ArrayVec<OpenNet, NETS>,
    pub(super) draw_pile: Pile,
    pub(super) graveyard: Pile,
    /// CC-16: how many cards of the draw pile the player sees.
    pub(super) drone_count: u8,
    /// CC-12: how many cards of the graveyard the player chooses from.
    pub(super) map_count: u8,
    /// CC-D3: how many cards the player may plunder.
    pub(super) plunder_count: u8,
}

impl State {
    pub(super) fn seat_count(&self) -> SeatCount {
        SeatCount::new(self.players.len()).expect("a game has at least two players")
    }

    pub(super) fn player(&self, seat: Seat) -> &Player {
        &self.players[seat.index()]
    }

    pub(super) fn hold(&self, seat: Seat) -> Hold {
        self.player(seat).hold
    }

    pub(super) fn hold_mut(&mut self, seat: Seat) -> &mut Hold {
        &mut self.players[seat.index()].hold
    }

    /// The seats of all players but one, ascending.
    pub(super) fn opponents(&self, of: Seat) -> impl Iterator<Item = Seat> {
        self.seat_count().seats().filter(move |seat| *seat != of)
    }

    pub(super) fn has_diver(&self, seat: Seat, diver: Diver) -> bool {
        self.player(seat).diver == Some(diver)
    }

    /// The seat that has a diver, if it is an opponent.
    pub(super) fn opponent_with(&self, diver: Diver, of: Seat) -> Option<Seat> {
        self.opponents(of).find(|seat| self.has_diver(*seat, diver))
    }

    /// CC-16: the cards of the draw pile that the player sees.
    pub(super) fn shown_by_drone(&self) -> &[Card] {
        &self.draw_pile[..self.drone_count.into()]
    }

    /// CC-12: the cards of the graveyard that the player chooses from.
    pub(super) fn shown_by_map(&self) -> &[Card] {
        &self.graveyard[..self.map_count.into()]
    }

    pub(super) fn is_played(&self, variant: Variant) -> bool {
        self.variant == Some(variant)
    }

    /// The seat that is asked.
    pub(super) fn seat_to_act(&self) -> Option<Seat> {
        match self.phase {
            Phase::Over => None,
            Phase::NameVictim => self.seat_count().seats().find(|seat| self.has_diver(*seat, Diver::Saboteuse)),
            Phase::Explore
            | Phase::Knife
            | Phase::Harpoon
            | Phase::Net
            | Phase::Misfire
            | Phase::Map
            | Phase::Plunder => Some(self.turn),
        }
    }
}

impl Canonical for State {
    fn encode<S: Sink>(&self, sink: &mut S) {
        let variant = self.variant.map_or(0, Variant::number);
        sink.put(&[variant, self.phase as u8 + 1, self.turn.0, self.first_seat.0]);
        sink.len(self.players.len());
        for player in &self.players {
            sink.u8(player.diver.map_or(0, Diver::number));
            // Seats end at 3, so 255 can say that there is none.
            sink.u8(player.victim.map_or(u8::MAX, |victim| victim.0));
            sink.len(player.hold.len().into());
            player.hold.iter().for_each(|card| card.encode(sink));
        }
        sink.len(self.exploration.len());
        for explored in &self.exploration {
            explored.card.encode(sink);
            sink.u8(explored.source as u8 + 1);
        }
        sink.bool(self.turned_up);
        sink.u8(self.squid_demand);
        sink.len(self.open_nets.len());
        for net in &self.open_nets {
            net.card.encode(sink);
            sink.u8(net.catches);
        }
        self.draw_pile.as_slice().encode(sink);
        self.graveyard.as_slice().encode(sink);
        sink.put(&[self.drone_count, self.map_count, self.plunder_count]);
    }
}
