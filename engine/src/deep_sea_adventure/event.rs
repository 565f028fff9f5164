//! What can happen.

use alloc::vec::Vec;

use super::pieces::{Dice, Face, FaceStack};
use crate::{Canonical, Seat, SeatSet, Sink};

/// Something that happened. As the rules make it, every chip shows its value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub enum Event {
    /// The path was laid out (DSA-4).
    PathLaid { spaces: Vec<FaceStack> },
    /// A round began.
    RoundStarted { round: u8, first_seat: Seat, air: i32 },
    /// A turn came to an explorer and the air dropped by their load (DSA-6).
    TurnStarted { seat: Seat, air_used: u8, air: i32 },
    /// An explorer turned back (DSA-7).
    TurnedBack { seat: Seat },
    /// An explorer rolled and moved (DSA-8).
    Moved { seat: Seat, dice: Dice, steps: u8, from: u8, to: u8 },
    /// An explorer is back in the submarine (DSA-10).
    CameBack { seat: Seat },
    /// An explorer searched and did nothing (DSA-11).
    LeftSpace { seat: Seat },
    /// An explorer picked something up (DSA-11).
    PickedUp { seat: Seat, space: u8, stack: FaceStack },
    /// An explorer put something down (DSA-11).
    PutDown { seat: Seat, space: u8, load_index: u8, stack: FaceStack },
    /// A round ended (DSA-13).
    RoundEnded { round: u8, cause: RoundEnd },
    /// The chips of one who is back were turned over (DSA-14).
    Scored { seat: Seat, chips: Vec<Face>, points: u16 },
    /// The load of one who is not back was lost (DSA-15).
    Lost { seat: Seat, chips: Vec<Face> },
    /// Lost chips were laid at the far end (DSA-15, DSA-R3).
    PilesLaid { piles: Vec<FaceStack> },
    /// The blanks were taken away (DSA-16).
    PathClosed { spaces: u8 },
    /// The game is over (DSA-19).
    GameEnded { totals: Vec<u16>, winners: SeatSet },
}

/// Why a round ended (DSA-13).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundEnd {
    /// Every explorer is back.
    AllBack,
    /// The air is at 0 or below.
    NoAir,
    /// A whole lap changed nothing (DSA-R7).
    Standstill,
}

impl Event {
    /// The event without the values of chips that nobody may see yet. DSA-12 hides them from all alike; scored chips lie
    /// face up.
    pub(super) fn hide_values(&mut self) {
        match self {
            Event::PathLaid { spaces } => spaces.iter_mut().for_each(hide_all),
            Event::PilesLaid { piles } => piles.iter_mut().for_each(hide_all),
            Event::PickedUp { stack, .. } | Event::PutDown { stack, .. } => hide_all(stack),
            Event::Lost { chips, .. } => hide_all(chips),
            Event::RoundStarted { .. }
            | Event::TurnStarted { .. }
            | Event::TurnedBack { .. }
            | Event::Moved { .. }
            | Event::CameBack { .. }
            | Event::LeftSpace { .. }
            | Event::RoundEnded { .. }
            | Event::Scored { .. }
            | Event::PathClosed { .. }
            | Event::GameEnded { .. } => {}
        }
    }
}

fn hide_all(faces: &mut (impl AsMut<[Face]> + ?Sized)) {
    for face in faces.as_mut() {
        *face = face.hidden();
    }
}

fn encode_stacks<S: Sink>(stacks: &[FaceStack], sink: &mut S) {
    sink.len(stacks.len());
    for stack in stacks {
        stack.as_slice().encode(sink);
    }
}

impl Canonical for Event {
    fn encode<S: Sink>(&self, sink: &mut S) {
        match self {
            Event::PathLaid { spaces } => {
                sink.u8(1);
                encode_stacks(spaces, sink);
            }
            Event::RoundStarted { round, first_seat, air } => {
                sink.put(&[2, *round, first_seat.0]);
                sink.i32(*air);
            }
            Event::TurnStarted { seat, air_used, air } => {
                sink.put(&[3, seat.0, *air_used]);
                sink.i32(*air);
            }
            Event::TurnedBack { seat } => sink.put(&[4, seat.0]),
            Event::Moved { seat, dice, steps, from, to } => {
                sink.put(&[5, seat.0, dice.0[0], dice.0[1], *steps, *from, *to]);
            }
            Event::CameBack { seat } => sink.put(&[6, seat.0]),
            Event::LeftSpace { seat } => sink.put(&[7, seat.0]),
            Event::PickedUp { seat, space, stack } => {
                sink.put(&[8, seat.0, *space]);
                stack.as_slice().encode(sink);
            }
            Event::PutDown { seat, space, load_index, stack } => {
                sink.put(&[9, seat.0, *space, *load_index]);
                stack.as_slice().encode(sink);
            }
            Event::RoundEnded { round, cause } => sink.put(&[10, *round, *cause as u8 + 1]),
            Event::Scored { seat, chips, points } => {
                sink.put(&[11, seat.0]);
                chips.as_slice().encode(sink);
                sink.u16(*points);
            }
            Event::Lost { seat, chips } => {
                sink.put(&[12, seat.0]);
                chips.as_slice().encode(sink);
            }
            Event::PilesLaid { piles } => {
                sink.u8(13);
                encode_stacks(piles, sink);
            }
            Event::PathClosed { spaces } => sink.put(&[14, *spaces]),
            Event::GameEnded { totals, winners } => {
                sink.u8(15);
                sink.len(totals.len());
                totals.iter().for_each(|total| sink.u16(*total));
                sink.u8(winners.bits());
            }
        }
    }
}
