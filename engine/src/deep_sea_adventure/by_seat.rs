//! A list for each seat, all of them in one array: what the explorers own is made of the same 32 chips (DSA-1), so six
//! arrays of that size would be almost empty, and would be copied for every action.

use core::{fmt, ops::Range};

use super::pieces::CHIPS;
use crate::{MAX_SEATS, Seat};

/// At which of the bounds the last seat's list ends.
const LAST: usize = MAX_SEATS as usize;

/// A list for each seat, together at most 32 items. One item too many is a panic.
#[derive(Clone, Copy)]
pub(super) struct BySeat<T> {
    /// The items of seat 0, then those of seat 1 and so on. Whatever stands behind the last has no meaning.
    items: [T; CHIPS],
    /// The items of seat `s` are those from `bounds[s]` up to `bounds[s + 1]`.
    bounds: [u8; LAST + 1],
}

impl<T: Copy> BySeat<T> {
    /// The list of a seat.
    pub(super) fn of(&self, seat: Seat) -> &[T] {
        &self.items[self.range(seat)]
    }

    /// Adds to the end of a seat's list.
    pub(super) fn push(&mut self, seat: Seat, item: T) {
        let (end, total) = (self.range(seat).end, self.total());
        self.items.copy_within(end..total, end + 1);
        self.items[end] = item;
        self.bounds[seat.index() + 1..].iter_mut().for_each(|bound| *bound += 1);
    }

    /// Takes out of a seat's list; those behind move up.
    pub(super) fn remove(&mut self, seat: Seat, index: usize) -> T {
        let item = self.of(seat)[index];
        let place = self.range(seat).start + index;
        self.cut(seat, place..place + 1);
        item
    }

    /// Empties a seat's list.
    pub(super) fn clear(&mut self, seat: Seat) {
        self.cut(seat, self.range(seat));
    }

    /// Closes a gap in the part that is a seat's.
    fn cut(&mut self, seat: Seat, gap: Range<usize>) {
        let total = self.total();
        self.items.copy_within(gap.end..total, gap.start);
        self.bounds[seat.index() + 1..].iter_mut().for_each(|bound| *bound -= gap.len() as u8);
    }
}

impl<T> BySeat<T> {
    fn range(&self, seat: Seat) -> Range<usize> {
        usize::from(self.bounds[seat.index()])..usize::from(self.bounds[seat.index() + 1])
    }

    /// How many items all seats have.
    fn total(&self) -> usize {
        usize::from(self.bounds[LAST])
    }
}

impl<T: Copy + Default> Default for BySeat<T> {
    fn default() -> Self {
        BySeat { items: [T::default(); CHIPS], bounds: [0; LAST + 1] }
    }
}

impl<T: PartialEq> PartialEq for BySeat<T> {
    fn eq(&self, other: &Self) -> bool {
        self.bounds == other.bounds && self.items[..self.total()] == other.items[..other.total()]
    }
}

impl<T: Eq> Eq for BySeat<T> {}

impl<T: Copy + fmt::Debug> fmt::Debug for BySeat<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..MAX_SEATS).map(|seat| self.of(Seat(seat)))).finish()
    }
}
