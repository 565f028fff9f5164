//! Everything that a game of Key Largo consists of.

use alloc::sync::Arc;

use arrayvec::ArrayVec;

use super::cards::CARDS;
use super::encounter::{ENCOUNTER_HAND, ENCOUNTERS};
use super::pieces::{Team, WRECK, WRECKS};
use super::{CardId, CardSet, Depth, Encounter, Face, Half, Place, Rules, Stock, Tables, Ware};
use crate::{Seat, SeatCount};

/// KL-0: the most players.
pub(super) const PLAYERS: usize = 5;

/// Which decision is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// All who have not yet choose the places of their day (KL-4).
    Program = 1,
    /// A diving player chooses a wreck (KL-8).
    PlaceBoat,
    /// A player on a wreck may play a saboteur (KL-R7).
    Sabotage,
    /// A player dives (KL-10).
    Dive,
    /// A diver has met a monster (KL-12).
    Monster,
    /// A player is at the bar (KL-15).
    Bar,
    /// A player with encounter cards is at the dolphins (KL-25).
    Dolphins,
    /// A player is in the shop (KL-20).
    Shop,
    /// A player is at the market (KL-22).
    Market,
    /// The game is over.
    Over,
    /// A player at the bar may name the second wreck of a round (KL-18).
    SecondWreck,
}

/// A wreck.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wreck {
    pub(super) depth: Depth,
    /// Top first. Without cards the wreck is gone (KL-14).
    pub(super) cards: ArrayVec<CardId, WRECK>,
}

/// One player.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Player {
    pub(super) cash: u32,
    /// The places of this day, morning and afternoon, once they are chosen.
    pub(super) programme: Option<[Place; 2]>,
    /// The wreck on which the boat lies.
    pub(super) boat: Option<u8>,
    pub(super) divers: Team,
    pub(super) hand: CardSet,
    /// The encounter cards, in the order of drawing.
    pub(super) encounters: ArrayVec<Encounter, ENCOUNTER_HAND>,
    /// KL-26: the encounter card played in this half-day.
    pub(super) played: Option<Encounter>,
}

/// What a dive has come to so far; the divers know whether they have drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Dive {
    /// The cards drawn in this dive and not sold since (KL-R8).
    pub(super) drawn: CardSet,
    /// KL-13: the last card drawn was a treasure.
    pub(super) last_was_treasure: bool,
    /// KL-R4: a diver was chased off.
    pub(super) diver_fled: bool,
    /// Who drew last, while they are there.
    pub(super) last_diver: Option<u8>,
    /// The monster that `last_diver` has met and that nobody has dealt with.
    pub(super) monster: Option<CardId>,
    /// KL-12: the monsters set aside, in the order of meeting.
    pub(super) set_aside: ArrayVec<CardId, WRECK>,
}

/// What a visit to bar, shop or market has come to so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Visit {
    pub(super) recruits: u8,
    pub(super) pickpockets: u8,
    pub(super) round_bought: bool,
    /// Purchases, in the order of [`super::Item::ALL`].
    pub(super) bought: [u8; 3],
    /// KL-22: the normal sale is made.
    pub(super) sold: bool,
    /// KL-E21: this card counts as this ware.
    pub(super) dupe: Option<(CardId, Ware)>,
}

/// Who has just looked into which wrecks (KL-18, KL-E7). What they saw still lies there: the next action ends the look.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Look {
    pub(super) seat: Seat,
    pub(super) wrecks: ArrayVec<u8, 2>,
}

/// A game's state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub(super) rules: Rules,
    pub(super) tables: Arc<Tables>,
    /// The faces of the wreck cards, by id; the set-up fixes them.
    pub(super) faces: Arc<[Face; CARDS]>,
    /// Whether encounter cards are used.
    pub(super) encounters: bool,
    /// From 1.
    pub(super) day: u8,
    pub(super) half: Half,
    pub(super) phase: Phase,
    pub(super) first_seat: Seat,
    /// Who is asked, but for the programme, where several are; of no meaning once the game is over.
    pub(super) turn: Seat,
    pub(super) wrecks: ArrayVec<Wreck, WRECKS>,
    pub(super) players: ArrayVec<Player, PLAYERS>,
    pub(super) reserve: Stock,
    /// Divers and equipment that have left the game.
    pub(super) gone: Stock,
    /// The encounter cards not drawn yet, top first.
    pub(super) encounter_deck: ArrayVec<Encounter, ENCOUNTERS>,
    /// The encounter cards that have left the game, in the order of playing.
    pub(super) encounters_played: ArrayVec<Encounter, ENCOUNTERS>,
    /// The treasures sold.
    pub(super) sold: CardSet,
    /// The monsters killed.
    pub(super) killed: CardSet,
    pub(super) dive: Dive,
    pub(super) visit: Visit,
    pub(super) look: Option<Look>,
}

impl State {
    pub(super) fn seat_count(&self) -> SeatCount {
        SeatCount::new(self.players.len()).expect("a game has at least three players")
    }

    pub(super) fn player(&self, seat: Seat) -> &Player {
        &self.players[seat.index()]
    }

    pub(super) fn player_mut(&mut self, seat: Seat) -> &mut Player {
        &mut self.players[seat.index()]
    }

    pub(super) fn face(&self, card: CardId) -> Face {
        self.faces[card.index()]
    }
}
