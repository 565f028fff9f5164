//! Everything that a game of Deep Sea Adventure consists of.

use super::Rules;
use super::by_seat::BySeat;
use super::list::List;
use super::pieces::{CHIPS, Chip, Dice, Stack, encode_stacks};
use crate::{Canonical, MAX_SEATS, Seat, SeatCount, Sink};

/// The options. There are none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options;

/// Which decision is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The explorer says whether they turn back, and rolls.
    Dive,
    /// The explorer searches the space they stand on.
    Search,
    /// The game is over.
    Over,
}

/// One explorer, without their chips: see [`State`]'s `loads` and `scored`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Explorer {
    /// 0 in the submarine, 1 on the nearest space.
    pub position: u8,
    /// DSA-7: turned back in this round.
    pub turned_back: bool,
    /// DSA-10: back in the submarine for this round.
    pub back: bool,
    /// The turns begun in this round.
    pub turns_taken: u16,
}

/// A game's state. It is copied for every action, so it is small and copied as plain bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    pub(super) rules: Rules,
    pub(super) round: u8,
    pub(super) phase: Phase,
    /// Whose turn it is; whose turn was the last, once the game is over.
    pub(super) turn: Seat,
    /// Who began this round.
    pub(super) first_seat: Seat,
    pub(super) air: i32,
    /// The spaces, nearest to the submarine first.
    pub(super) path: List<Stack, CHIPS>,
    pub(super) explorers: List<Explorer, { MAX_SEATS as usize }>,
    /// What each explorer carries, in the order of picking up.
    pub(super) loads: BySeat<Stack>,
    /// The chips that each explorer scored so far, in the order of scoring.
    pub(super) scored: BySeat<Chip>,
    pub(super) last_dice: Option<Dice>,
    /// Who is back in this round, in the order of coming.
    pub(super) back_order: List<Seat, { MAX_SEATS as usize }>,
    /// DSA-R7: how many turns in a row changed nothing.
    pub(super) idle_turns: u8,
    /// DSA-R7: whether the present turn has changed nothing so far.
    pub(super) turn_is_idle: bool,
}

// Every action pays for the copy, so nothing should make the state much larger without being noticed: six cache lines.
const _: () = assert!(size_of::<State>() <= 384);

impl State {
    pub(super) fn seat_count(&self) -> SeatCount {
        SeatCount::new(self.explorers.len()).expect("a game has at least one explorer")
    }

    pub(super) fn explorer(&self, seat: Seat) -> &Explorer {
        &self.explorers[seat.index()]
    }

    pub(super) fn explorer_mut(&mut self, seat: Seat) -> &mut Explorer {
        &mut self.explorers[seat.index()]
    }

    /// An explorer's load as a number: a stack counts as one (DSA-18).
    pub(super) fn load_size(&self, seat: Seat) -> u8 {
        self.loads.of(seat).len() as u8
    }

    /// What an explorer's scored chips are worth.
    pub(super) fn points(&self, seat: Seat) -> u16 {
        self.scored.of(seat).iter().map(|chip| u16::from(chip.value())).sum()
    }

    /// What lies on a space, counted from 1.
    pub(super) fn space(&self, position: u8) -> &Stack {
        &self.path[usize::from(position) - 1]
    }

    pub(super) fn space_mut(&mut self, position: u8) -> &mut Stack {
        &mut self.path[usize::from(position) - 1]
    }
}

impl Canonical for State {
    fn encode<S: Sink>(&self, sink: &mut S) {
        let phase = self.phase as u8 + 1;
        sink.put(&[self.round, phase, self.turn.0, self.first_seat.0]);
        sink.i32(self.air);
        encode_stacks(&self.path, sink);
        sink.len(self.explorers.len());
        for seat in self.seat_count().seats() {
            let explorer = self.explorer(seat);
            let [turns_high, turns_low] = explorer.turns_taken.to_be_bytes();
            let flags = [u8::from(explorer.turned_back), u8::from(explorer.back)];
            sink.put(&[explorer.position, flags[0], flags[1], turns_high, turns_low]);
            encode_stacks(self.loads.of(seat), sink);
            self.scored.of(seat).encode(sink);
        }
        // Dice begin at 1, so 0 says that there was no move yet.
        sink.put(&self.last_dice.map_or([0, 0], |dice| dice.0));
        sink.len(self.back_order.len());
        self.back_order.iter().for_each(|seat| sink.u8(seat.0));
        sink.u8(self.idle_turns);
        sink.bool(self.turn_is_idle);
    }
}
