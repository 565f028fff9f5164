//! Seats, sets of seats, and those who look at a game.

use core::fmt;

/// The most seats that any game has.
pub const MAX_SEATS: u8 = 6;

/// A player's place at the table, from 0, clockwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Seat(pub u8);

impl Seat {
    /// This seat as an index into per-seat arrays.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The next seat clockwise at a table of `seats`.
    pub fn next(self, seats: SeatCount) -> Seat {
        Seat((self.0 + 1) % seats.get())
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.0)
    }
}

/// How many seats a table has: from 1 to [`MAX_SEATS`]. Each game narrows that by its rule 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SeatCount(u8);

impl SeatCount {
    /// The count, if any game could have it.
    pub fn new(count: usize) -> Option<SeatCount> {
        let count = u8::try_from(count).ok()?;
        (1..=MAX_SEATS).contains(&count).then_some(SeatCount(count))
    }

    /// The count as a number.
    pub fn get(self) -> u8 {
        self.0
    }

    /// Whether the table has this seat.
    pub fn contains(self, seat: Seat) -> bool {
        seat.0 < self.0
    }

    /// All seats, ascending.
    pub fn seats(self) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        (0..self.0).map(Seat)
    }

    /// All seats, clockwise from `first`.
    pub fn seats_from(self, first: Seat) -> impl Iterator<Item = Seat> {
        let count = self.0;
        (0..count).map(move |offset| Seat((first.0 + offset) % count))
    }
}

/// A set of seats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SeatSet(u8);

impl SeatSet {
    /// No seat.
    pub const EMPTY: SeatSet = SeatSet(0);

    /// One seat alone.
    pub fn only(seat: Seat) -> SeatSet {
        SeatSet(1 << seat.0)
    }

    /// This set with one seat more.
    #[must_use]
    pub fn with(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 | 1 << seat.0)
    }

    /// Whether a seat is in the set.
    pub fn contains(self, seat: Seat) -> bool {
        seat.0 < MAX_SEATS && self.0 & (1 << seat.0) != 0
    }

    /// Whether no seat is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set as bits, seat 0 lowest.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The seats, ascending.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        (0..MAX_SEATS).map(Seat).filter(move |seat| self.contains(*seat))
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> SeatSet {
        seats.into_iter().fold(SeatSet::EMPTY, SeatSet::with)
    }
}

/// For whom something is shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewer {
    /// A player.
    Seat(Seat),
    /// Somebody who sees only what all seats see.
    Spectator,
    /// Somebody who sees everything.
    Auditor,
}
