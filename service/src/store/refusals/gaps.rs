//! Which refusals may be missing: the times in which some were answered that are neither kept nor counted.
//!
//! A mark in the database says up to when everything that was answered is written, and whether the store was closed in good
//! order after that. A start that finds a mark which was not closed notes a gap, from the mark to itself. The mark is written
//! where something is synced anyway, and on an idle server once in [`RENEWAL_MS`]; play never waits for it.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::store::error::StoreError;
use crate::store::shared_state::SharedState;

/// How many gaps are kept: when there are more, the two oldest become one.
pub const MAX_GAPS: usize = 64;
/// How old the mark of a server on which nothing happens becomes at most, or so.
pub const RENEWAL_MS: u64 = 60_000;
/// Floods that are no further apart are one gap: a little more than the time between two passes of the housekeeper.
const ONE_FLOOD_MS: u64 = 5_000;

const GAP_BYTES: usize = 25;

/// Why refusals may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum GapCause {
    /// The store was not closed in good order. The end of the gap is the start that noticed it.
    UncleanEnd = 1,
    /// Refusals of more games than can wait came at once.
    Overflow = 2,
    /// The store has failed and takes nothing any more.
    StoreFailed = 3,
    /// Of more than one cause: it stands for several gaps.
    Several = 4,
}

/// A time in which refusals may have been answered that are neither kept nor counted with their game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusalGap {
    pub from_ms: u64,
    pub to_ms: u64,
    pub cause: GapCause,
    /// How many they are, of all games; 0 where that is not known.
    pub count: u64,
}

/// Up to when all refusals are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct Mark {
    pub through_ms: u64,
    /// The latest time that any mark had: a clock can be set back.
    pub latest_ms: u64,
    /// Whether the store was closed in good order, and nothing was answered after it.
    pub closed: bool,
}

impl Mark {
    const BYTES: usize = 17;

    fn at(through_ms: u64, before: Option<Mark>, closed: bool) -> Mark {
        let latest_ms = before.map_or(through_ms, |before| before.latest_ms.max(through_ms));
        Mark { through_ms, latest_ms, closed }
    }

    pub fn encode(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Mark::BYTES);
        bytes.extend(self.through_ms.to_be_bytes());
        bytes.extend(self.latest_ms.to_be_bytes());
        bytes.push(self.closed.into());
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Option<Mark> {
        let (through_ms, rest) = number(bytes)?;
        let (latest_ms, rest) = number(rest)?;
        let closed = match rest {
            [0] => false,
            [1] => true,
            _ => return None,
        };
        Some(Mark { through_ms, latest_ms, closed })
    }
}

/// What is known of a store's refusals beside themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Since when gaps are noted: before that any refusal may be missing.
    pub since_ms: u64,
    /// Oldest first.
    pub list: Vec<RefusalGap>,
}

impl Gaps {
    /// Adds the newest gap.
    pub fn add(&mut self, gap: RefusalGap) {
        if let Some(last) = self.list.last_mut() {
            let reach = if gap.cause == GapCause::Overflow { ONE_FLOOD_MS } else { 0 };
            if last.cause == gap.cause && gap.from_ms <= last.to_ms.saturating_add(reach) {
                last.join(gap);
                return;
            }
        }
        self.list.push(gap);
        while self.list.len() > MAX_GAPS {
            let oldest = self.list.remove(0);
            if let Some(next) = self.list.first_mut() {
                let cause = next.cause;
                next.join(oldest);
                // What is not known of one of them is not known of both.
                if cause != oldest.cause {
                    (next.cause, next.count) = (GapCause::Several, 0);
                }
            }
        }
    }

    pub(in crate::store) fn encode(&self) -> Vec<u8> {
        let mut bytes = self.since_ms.to_be_bytes().to_vec();
        for gap in &self.list {
            for number in [gap.from_ms, gap.to_ms, gap.count] {
                bytes.extend(number.to_be_bytes());
            }
            bytes.push(gap.cause as u8);
        }
        bytes
    }

    pub(in crate::store) fn decode(bytes: &[u8]) -> Option<Gaps> {
        let (since_ms, gaps) = number(bytes)?;
        let list = gaps.chunks(GAP_BYTES).map(RefusalGap::decode).collect::<Option<Vec<_>>>()?;
        Some(Gaps { since_ms, list }).filter(|gaps| gaps.list.len() <= MAX_GAPS)
    }
}

impl RefusalGap {
    fn join(&mut self, other: RefusalGap) {
        self.from_ms = self.from_ms.min(other.from_ms);
        self.to_ms = self.to_ms.max(other.to_ms);
        self.count = self.count.saturating_add(other.count);
    }

    fn decode(bytes: &[u8]) -> Option<RefusalGap> {
        let (from_ms, rest) = number(bytes)?;
        let (to_ms, rest) = number(rest)?;
        let (count, rest) = number(rest)?;
        let cause = match rest {
            [1] => GapCause::UncleanEnd,
            [2] => GapCause::Overflow,
            [3] => GapCause::StoreFailed,
            [4] => GapCause::Several,
            _ => return None,
        };
        Some(RefusalGap { from_ms, to_ms, cause, count })
    }
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_be_bytes(*number), rest))
}

pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// What is noted of the refusals of this run, beside those that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    pub gaps: Gaps,
    /// None before the store is open.
    mark: Option<Mark>,
    /// When refusals were last taken out of the buffer.
    taken_ms: u64,
}

impl Noted {
    /// What the beginning of a run finds, and notes: a run that was not closed leaves a gap.
    fn begin(mark: Option<Mark>, gaps: Option<Gaps>, now_ms: u64) -> Noted {
        let mut gaps = gaps.filter(|_| mark.is_some()).unwrap_or(Gaps { since_ms: now_ms, list: Vec::new() });
        if let Some(mark) = mark.filter(|mark| !mark.closed) {
            // A clock that was set back must not make the gap smaller.
            let (from_ms, mut to_ms) = (mark.through_ms.min(now_ms), mark.latest_ms.max(now_ms));
            if now_ms < mark.through_ms {
                to_ms = to_ms.max(mark.through_ms.saturating_add(RENEWAL_MS));
            }
            gaps.add(RefusalGap { from_ms, to_ms, cause: GapCause::UncleanEnd, count: 0 });
        }
        Noted { gaps, mark: Some(Mark::at(now_ms, mark, false)), taken_ms: now_ms }
    }

    /// Notes that so many were dropped since the last time that refusals were taken. Answers whether there were any.
    pub fn overflowed(&mut self, count: u64, now_ms: u64) -> bool {
        if count > 0 {
            let (from_ms, to_ms) = (self.taken_ms.min(now_ms), self.taken_ms.max(now_ms));
            self.gaps.add(RefusalGap { from_ms, to_ms, cause: GapCause::Overflow, count });
        }
        count > 0
    }

    /// All gaps up to now, that of a store which has failed included.
    pub fn up_to(&self, now_ms: u64, uncounted: u64, failed: bool) -> Gaps {
        let mut noted = self.clone();
        noted.overflowed(uncounted, now_ms);
        if failed {
            let through_ms = self.mark.map_or(now_ms, |mark| mark.through_ms);
            let (from_ms, to_ms) = (through_ms.min(now_ms), through_ms.max(now_ms));
            noted.gaps.add(RefusalGap { from_ms, to_ms, cause: GapCause::StoreFailed, count: 0 });
        }
        noted.gaps
    }

    /// Whether the mark is so old that it is written although nothing else is.
    pub fn is_due(&self, now_ms: u64) -> bool {
        self.mark.is_none_or(|mark| now_ms.abs_diff(mark.through_ms) >= RENEWAL_MS)
    }

    /// Everything that was answered before `taken_ms` is in the database: the mark that says so.
    pub fn written(&mut self, taken_ms: u64, closed: bool) -> Mark {
        *self.mark.insert(Mark::at(taken_ms, self.mark, closed))
    }

    pub fn taken(&mut self, taken_ms: u64) {
        self.taken_ms = taken_ms;
    }
}

/// Reads what earlier runs have left, and notes that this one has begun. Not synced.
pub(in crate::store) fn begin(shared: &SharedState) -> Result<(), StoreError> {
    let noted = Noted::begin(shared.database.refusal_mark()?, shared.database.refusal_gaps()?, now_ms());
    shared.database.put_refusal_gaps(&noted.gaps)?;
    if let Some(mark) = noted.mark {
        shared.database.put_refusal_mark(mark)?;
    }
    shared.refusals.note(noted);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(from_ms: u64, to_ms: u64, cause: GapCause, count: u64) -> RefusalGap {
        RefusalGap { from_ms, to_ms, cause, count }
    }

    /// Beginnings, ends and the clock, one case a line.
    #[test]
    fn a_run_that_was_not_closed_leaves_a_gap_from_its_mark_to_the_next_start() {
        use GapCause::UncleanEnd;
        let mark = |through_ms, latest_ms, closed| Some(Mark { through_ms, latest_ms, closed });
        let known = |list: &[RefusalGap]| Some(Gaps { since_ms: 5, list: list.to_vec() });
        let old = gap(10, 20, UncleanEnd, 0);
        for (mark, gaps, since_ms, list) in [
            // A new store, one of an earlier version, one that was restored.
            (None, None, 1_000_000, vec![]),
            (None, known(&[old]), 1_000_000, vec![]),
            (mark(900, 900, true), None, 1_000_000, vec![]),
            (mark(900, 900, true), known(&[old]), 5, vec![old]),
            (mark(900, 900, false), known(&[old]), 5, vec![old, gap(900, 1_000_000, UncleanEnd, 0)]),
            // Killed again before anything happened.
            (mark(20, 20, false), known(&[old]), 5, vec![gap(10, 1_000_000, UncleanEnd, 0)]),
            // The clock was set back before the start, and before the mark.
            (
                mark(2_000_000, 2_000_000, false),
                known(&[]),
                5,
                vec![gap(1_000_000, 2_000_000 + RENEWAL_MS, UncleanEnd, 0)],
            ),
            (mark(900, 3_000_000, false), known(&[]), 5, vec![gap(900, 3_000_000, UncleanEnd, 0)]),
        ] {
            let noted = Noted::begin(mark, gaps, 1_000_000);
            assert_eq!(noted.gaps, Gaps { since_ms, list }, "{mark:?}");
            assert_eq!(noted.mark.map(|mark| (mark.through_ms, mark.closed)), Some((1_000_000, false)));
        }
    }

    #[test]
    fn floods_that_follow_each_other_are_one_gap_and_all_gaps_are_bounded() {
        let mut noted = Noted::begin(None, None, 0);
        for second in 1..=100 {
            assert!(noted.overflowed(3, second * 1_000));
            noted.taken(second * 1_000);
        }
        assert!(!noted.overflowed(0, 101_000));
        assert_eq!(noted.gaps.list, [gap(0, 100_000, GapCause::Overflow, 300)]);
        for day in 1..200 {
            noted.gaps.add(gap(day * 1_000_000, day * 1_000_000 + 1, GapCause::UncleanEnd, 0));
        }
        let list = &noted.gaps.list;
        assert_eq!(list.len(), MAX_GAPS);
        // Nothing is left out: the oldest covers what it stands for.
        let last_joined = (200 - MAX_GAPS as u64) * 1_000_000 + 1;
        assert_eq!(list[0], gap(0, last_joined, GapCause::Several, 0));
        assert_eq!(Gaps::decode(&noted.gaps.encode()), Some(noted.gaps.clone()));
        assert!(noted.gaps.encode().len() <= 8 + MAX_GAPS * GAP_BYTES);
    }

    #[test]
    fn what_cannot_be_read_is_not_taken_for_knowledge() {
        let mark = Mark { through_ms: 7, latest_ms: 9, closed: true };
        assert_eq!(Mark::decode(&mark.encode()), Some(mark));
        for bytes in [&[][..], &[0; 16], &[2; 17], &[0; 18]] {
            assert_eq!(Mark::decode(bytes), None);
        }
        for bytes in [&[][..], &[0; 7], &[0; 8 + GAP_BYTES], &[0; 20]] {
            assert_eq!(Gaps::decode(bytes), None);
        }
    }

    #[test]
    fn a_failed_store_writes_nothing_any_more() {
        let noted = Noted::begin(None, None, 500);
        assert_eq!(noted.up_to(900, 0, false).list, []);
        assert_eq!(noted.up_to(900, 0, true).list, [gap(500, 900, GapCause::StoreFailed, 0)]);
        assert_eq!(noted.up_to(900, 4, false).list, [gap(500, 900, GapCause::Overflow, 4)]);
    }
}
