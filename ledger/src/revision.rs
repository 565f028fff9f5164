//! Places in a game's log. A revision counts records, a sequence is the place of one record: the record of sequence 6
//! leads from revision 6 to revision 7. Two types, so that no code adds or subtracts one by hand.

use core::fmt;

/// How many records a game has: 0 before it exists, 1 when it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(u64);

/// The place of a record in its game's log: 0 is the setup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(u64);

impl Revision {
    /// A game without records: it does not exist yet.
    pub const NONE: Self = Self(0);
    /// A game that has begun: record 0 is there.
    pub const BEGUN: Self = Self(1);

    /// The largest that can be written: no log reaches it.
    pub const MAX: Self = Self(u64::MAX);

    /// From a count of records.
    #[must_use]
    pub const fn new(records: u64) -> Self {
        Self(records)
    }

    /// That of a game with these records.
    #[must_use]
    pub const fn of<T>(records: &[T]) -> Self {
        Self(records.len() as u64)
    }

    /// The plain number, for the wire and for bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The place that the next record will have.
    #[must_use]
    pub const fn next_record(self) -> Sequence {
        Sequence(self.0)
    }

    /// The place of the newest record, if there is one.
    #[must_use]
    pub const fn last_record(self) -> Option<Sequence> {
        match self.0.checked_sub(1) {
            Some(place) => Some(Sequence(place)),
            None => None,
        }
    }

    /// The revision that the next record leads to.
    #[must_use]
    pub const fn next(self) -> Self {
        self.next_record().revision_after()
    }

    /// The revision that the newest record continues. A game without records has none before it, and stays there.
    #[must_use]
    pub const fn previous(self) -> Self {
        match self.last_record() {
            Some(record) => record.revision_before(),
            None => Self::NONE,
        }
    }

    /// Whether the record at this place is one of those that are counted.
    #[must_use]
    pub const fn includes(self, record: Sequence) -> bool {
        record.0 < self.0
    }
}

impl Sequence {
    /// The place of a game's setup.
    pub const SETUP: Self = Self(0);

    /// From a place that was read.
    #[must_use]
    pub const fn new(place: u64) -> Self {
        Self(place)
    }

    /// The plain number, for the wire and for bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The record's index among all records of its game. A place beyond what this machine can address is one that no list
    /// has.
    #[must_use]
    pub fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// This place and those after it.
    pub fn onward(self) -> impl Iterator<Item = Sequence> {
        (self.0..).map(Sequence)
    }

    /// The revision that the game has once this record is written. No log has 2⁶⁴ records, but a damaged or hostile one can
    /// claim that place: the count then stays at the largest there is, which no log reaches either.
    #[must_use]
    pub const fn revision_after(self) -> Revision {
        Revision(self.0.saturating_add(1))
    }

    /// The revision that this record continues.
    #[must_use]
    pub const fn revision_before(self) -> Revision {
        Revision(self.0)
    }

    /// The place after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_leads_from_the_revision_of_its_place_to_the_next() {
        let seventh = Sequence::new(6);
        assert_eq!(seventh.revision_before(), Revision::new(6));
        assert_eq!(seventh.revision_after(), Revision::new(7));
        assert_eq!(seventh.next(), Sequence::new(7));
        assert_eq!(seventh.onward().nth(1), Some(Sequence::new(7)));
        assert_eq!(["record"; 7].get(seventh.index()), Some(&"record"));
        assert_eq!(Revision::of(&["record"; 7]), Revision::new(7));
        assert_eq!(Revision::new(7).last_record(), Some(seventh));
        assert_eq!(Revision::new(6).next_record(), seventh);
        assert_eq!((Revision::new(6).next(), Revision::new(7).previous()), (Revision::new(7), Revision::new(6)));
        assert!(Revision::new(7).includes(seventh));
        assert!(!Revision::new(6).includes(seventh));
    }

    #[test]
    fn a_game_without_records_has_no_last_one_and_begins_with_its_setup() {
        assert_eq!(Revision::NONE.last_record(), None);
        assert_eq!(Revision::NONE.next_record(), Sequence::SETUP);
        assert_eq!((Revision::NONE.previous(), Revision::NONE.next()), (Revision::NONE, Revision::BEGUN));
        assert_eq!(Sequence::SETUP.revision_after(), Revision::BEGUN);
    }

    #[test]
    fn a_place_that_no_log_has_does_not_wrap_around() {
        assert_eq!(Sequence::new(u64::MAX).revision_after(), Revision::new(u64::MAX));
        assert_eq!(Sequence::new(u64::MAX).next(), Sequence::new(u64::MAX));
    }
}
