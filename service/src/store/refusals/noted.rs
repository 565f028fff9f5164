//! What a run notes beside the refusals themselves: up to when all of them are written, and what it found when it began.
//!
//! A mark in the database says up to when everything that was answered is written, and by which run. A stop in good order
//! notes the run beside the database ([`crate::store::database::clean_shutdown`]). A start that does not find the note of the
//! mark's own run notes a gap, from the mark to itself: the server was killed, or the database is not the one that was closed
//! last, or a version without marks has served it since. The mark is written where something is synced anyway, and on an idle
//! server once in [`RENEWAL_MS`]; play never waits for it.

use std::time::{SystemTime, UNIX_EPOCH};

use super::gaps::{GapCause, Gaps, RefusalGap, number};
use crate::store::error::StoreError;
use crate::store::shared_state::SharedState;

/// How old the mark of a server on which nothing happens becomes at most, or so.
const RENEWAL_MS: u64 = 60_000;

/// What a start knows of how the database was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum LastEnd {
    /// This run has closed a store in this folder in good order.
    Closed { run: u64 },
    /// A store was closed in good order by a version that keeps no mark.
    ClosedWithoutRun,
    /// There is no note of an end.
    NotClosed,
    /// Somebody has changed the database since it was closed, or a loss is accepted: what it says of refusals may be missing
    /// as well as they.
    Doubtful,
}

/// Up to when all refusals are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct Mark {
    pub through_ms: u64,
    /// The latest time that any mark had: a clock can be set back.
    pub latest_ms: u64,
    /// Which run has written it: a random number.
    pub run: u64,
}

impl Mark {
    const BYTES: usize = 24;

    fn at(through_ms: u64, before: Option<Mark>, run: u64) -> Mark {
        let latest_ms = before.map_or(through_ms, |before| before.latest_ms.max(through_ms));
        Mark { through_ms, latest_ms, run }
    }

    pub fn encode(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Mark::BYTES);
        for number in [self.through_ms, self.latest_ms, self.run] {
            bytes.extend(number.to_be_bytes());
        }
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Option<Mark> {
        let (through_ms, rest) = number(bytes)?;
        let (latest_ms, rest) = number(rest)?;
        let (run, rest) = number(rest)?;
        rest.is_empty().then_some(Mark { through_ms, latest_ms, run })
    }
}

/// A moment: by the clock, and by what is on disk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    pub ms: u64,
    /// The block after the newest: who is asked anything in a later one was not there before.
    pub next_block: u64,
}

impl Now {
    /// Whatever was answered before the call was answered before the moment.
    pub fn of(shared: &SharedState) -> Now {
        let next_block = shared.overlay().durable.map_or(0, |durable| durable.saturating_add(1));
        Now { ms: now_ms(), next_block: next_block.max(shared.first_block) }
    }
}

pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// What is noted of the refusals of this run, beside those that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    pub gaps: Gaps,
    /// None of a store from which nobody is served: nothing is noted of it.
    mark: Option<Mark>,
    /// When refusals were last taken out of the buffer.
    taken_ms: u64,
    /// Whether some were taken that are not written: while they are being written, or because that has failed.
    pub unwritten: bool,
}

impl Noted {
    /// What the beginning of a run finds, and notes.
    fn begin(last_end: LastEnd, mark: Option<Mark>, gaps: Option<Gaps>, run: u64, now: Now) -> Noted {
        let relied_on = mark.zip(gaps).filter(|_| last_end != LastEnd::Doubtful);
        let gaps = match relied_on {
            None => Gaps { since_ms: now.ms, since_block: now.next_block, list: Vec::new() },
            Some((mark, mut gaps)) => {
                let cause = match last_end {
                    LastEnd::Closed { run } if run == mark.run => None,
                    LastEnd::Closed { .. } | LastEnd::ClosedWithoutRun => Some(GapCause::OtherDatabase),
                    LastEnd::NotClosed | LastEnd::Doubtful => Some(GapCause::UncleanEnd),
                };
                if let Some(cause) = cause {
                    gaps.add(gap_since(mark, cause, now));
                }
                gaps
            }
        };
        Noted { gaps, mark: Some(Mark::at(now.ms, mark, run)), taken_ms: now.ms, unwritten: false }
    }

    /// Notes that so many were dropped since the last time that refusals were taken. Answers whether there were any.
    pub fn overflowed(&mut self, count: u64, now: Now) -> bool {
        if count > 0 {
            let (from_ms, to_ms) = (self.taken_ms.min(now.ms), self.taken_ms.max(now.ms));
            let cause = GapCause::Overflow;
            self.gaps.add(RefusalGap { from_ms, to_ms, cause, count, before_block: now.next_block });
        }
        count > 0
    }

    /// All gaps up to now, that of a store which has failed included.
    pub fn up_to(&self, now: Now, uncounted: u64, failed: bool) -> Gaps {
        let mut noted = self.clone();
        noted.overflowed(uncounted, now);
        // Before the store is known to have failed, what could not be written is missing already.
        if failed || self.unwritten {
            let through_ms = self.mark.map_or(now.ms, |mark| mark.through_ms);
            let (from_ms, to_ms) = (through_ms.min(now.ms), through_ms.max(now.ms));
            // It goes on: no game began after it.
            let (cause, before_block) = (GapCause::StoreFailed, u64::MAX);
            noted.gaps.add(RefusalGap { from_ms, to_ms, cause, count: 0, before_block });
        }
        noted.gaps
    }

    /// Whether the mark is so old that it is written although nothing else is.
    pub fn is_due(&self, now_ms: u64) -> bool {
        self.mark.is_some_and(|mark| now_ms.abs_diff(mark.through_ms) >= RENEWAL_MS)
    }

    /// Everything that was answered before `taken_ms` is in the database: the mark that says so.
    pub fn written(&mut self, taken_ms: u64) -> Option<Mark> {
        self.mark = self.mark.map(|mark| Mark::at(taken_ms, Some(mark), mark.run));
        self.mark
    }

    pub fn taken(&mut self, taken_ms: u64) {
        self.taken_ms = taken_ms;
    }

    /// Which run this is; none where nothing is noted.
    pub fn run(&self) -> Option<u64> {
        self.mark.map(|mark| mark.run)
    }
}

/// From a mark to now. A clock that was set back must not make the gap smaller.
fn gap_since(mark: Mark, cause: GapCause, now: Now) -> RefusalGap {
    let (from_ms, mut to_ms) = (mark.through_ms.min(now.ms), mark.latest_ms.max(now.ms));
    if now.ms < mark.through_ms {
        to_ms = to_ms.max(mark.through_ms.saturating_add(RENEWAL_MS));
    }
    RefusalGap { from_ms, to_ms, cause, count: 0, before_block: now.next_block }
}

/// Reads what earlier runs have left, and notes that this one has begun. Not synced.
pub(in crate::store) fn begin(shared: &SharedState, last_end: LastEnd) -> Result<(), StoreError> {
    let mut run = [0; 8];
    getrandom::fill(&mut run).map_err(|error| StoreError::NoRandomness { detail: error.to_string() })?;
    let (mark, gaps) = (shared.database.refusal_mark()?, shared.database.refusal_gaps()?);
    let noted = Noted::begin(last_end, mark, gaps, u64::from_be_bytes(run), Now::of(shared));
    shared.database.put_refusal_gaps(&noted.gaps)?;
    if let Some(mark) = noted.mark {
        shared.database.put_refusal_mark(mark)?;
    }
    shared.refusals.note(noted);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::gaps::MAX_GAPS;
    use super::*;

    fn gap(from_ms: u64, to_ms: u64, cause: GapCause, count: u64) -> RefusalGap {
        RefusalGap { from_ms, to_ms, cause, count, before_block: 9 }
    }

    fn at(ms: u64) -> Now {
        Now { ms, next_block: 9 }
    }

    /// Beginnings, ends and the clock, one case a line.
    #[test]
    fn a_start_that_does_not_find_the_end_of_the_last_run_notes_a_gap_from_its_mark_to_itself() {
        use GapCause::{OtherDatabase, UncleanEnd};
        use LastEnd::{Closed, ClosedWithoutRun, Doubtful, NotClosed};
        let mark = |through_ms, latest_ms| Some(Mark { through_ms, latest_ms, run: 7 });
        let known = |list: &[RefusalGap]| Some(Gaps { since_ms: 5, since_block: 3, list: list.to_vec() });
        let old = gap(10, 20, UncleanEnd, 0);
        let (from_now, as_before) = ((1_000_000, 9), (5, 3));
        for (last_end, mark, gaps, since, list) in [
            // A new store, one of an earlier version, one that was restored, one whose notes cannot be read.
            (NotClosed, None, None, from_now, vec![]),
            (ClosedWithoutRun, None, None, from_now, vec![]),
            (NotClosed, None, known(&[old]), from_now, vec![]),
            (Closed { run: 7 }, mark(900, 900), None, from_now, vec![]),
            // Closed and left alone.
            (Closed { run: 7 }, mark(900, 900), known(&[old]), as_before, vec![old]),
            // Killed; and killed again before anything happened.
            (NotClosed, mark(900, 900), known(&[old]), as_before, vec![old, gap(900, 1_000_000, UncleanEnd, 0)]),
            (NotClosed, mark(20, 20), known(&[old]), as_before, vec![gap(10, 1_000_000, UncleanEnd, 0)]),
            // An older database that was put back, and one that an earlier version has served since.
            (Closed { run: 8 }, mark(900, 900), known(&[]), as_before, vec![gap(900, 1_000_000, OtherDatabase, 0)]),
            (ClosedWithoutRun, mark(900, 900), known(&[]), as_before, vec![gap(900, 1_000_000, OtherDatabase, 0)]),
            // Changed meanwhile, or opened with an accepted loss.
            (Doubtful, mark(900, 900), known(&[old]), from_now, vec![]),
            // The clock was set back before the start, and before the mark.
            (
                NotClosed,
                mark(2_000_000, 2_000_000),
                known(&[]),
                as_before,
                vec![gap(1_000_000, 2_000_000 + RENEWAL_MS, UncleanEnd, 0)],
            ),
            (NotClosed, mark(900, 3_000_000), known(&[]), as_before, vec![gap(900, 3_000_000, UncleanEnd, 0)]),
        ] {
            let noted = Noted::begin(last_end, mark, gaps, 8, at(1_000_000));
            assert_eq!(noted.gaps, Gaps { since_ms: since.0, since_block: since.1, list }, "{last_end:?} {mark:?}");
            assert_eq!(noted.mark.map(|mark| (mark.through_ms, mark.run)), Some((1_000_000, 8)));
        }
    }

    #[test]
    fn floods_that_follow_each_other_are_one_gap_and_all_gaps_are_bounded() {
        let mut noted = Noted::begin(LastEnd::NotClosed, None, None, 1, at(0));
        for second in 1..=100 {
            assert!(noted.overflowed(3, at(second * 1_000)));
            noted.taken(second * 1_000);
        }
        assert!(!noted.overflowed(0, at(101_000)));
        assert_eq!(noted.gaps.list, [gap(0, 100_000, GapCause::Overflow, 300)]);
        for day in 1..200 {
            let next = gap(day * 1_000_000, day * 1_000_000 + 1, GapCause::UncleanEnd, 0);
            noted.gaps.add(RefusalGap { before_block: 9 + day, ..next });
        }
        let list = &noted.gaps.list;
        assert_eq!(list.len(), MAX_GAPS);
        // Nothing is left out: the oldest covers what it stands for.
        let joined = 200 - MAX_GAPS as u64;
        let covers = gap(0, joined * 1_000_000 + 1, GapCause::Several, 0);
        assert_eq!(list[0], RefusalGap { before_block: 9 + joined, ..covers });
        assert_eq!(Gaps::decode(&noted.gaps.encode()), Some(noted.gaps.clone()));
    }

    #[test]
    fn a_mark_that_cannot_be_read_is_none() {
        let mark = Mark { through_ms: 7, latest_ms: 9, run: 11 };
        assert_eq!(Mark::decode(&mark.encode()), Some(mark));
        for bytes in [&[][..], &[0; 17], &[0; 23], &[0; 25]] {
            assert_eq!(Mark::decode(bytes), None);
        }
    }

    #[test]
    fn a_failed_store_writes_nothing_any_more() {
        let noted = Noted::begin(LastEnd::NotClosed, None, None, 1, at(500));
        assert_eq!(noted.up_to(at(900), 0, false).list, []);
        let failed = RefusalGap { before_block: u64::MAX, ..gap(500, 900, GapCause::StoreFailed, 0) };
        assert_eq!(noted.up_to(at(900), 0, true).list, [failed]);
        assert_eq!(noted.up_to(at(900), 4, false).list, [gap(500, 900, GapCause::Overflow, 4)]);
        // What was taken and could not be written is missing before anybody has noted that the store has failed.
        let mut unwritten = noted.clone();
        unwritten.unwritten = true;
        assert_eq!(unwritten.up_to(at(900), 0, false).list, noted.up_to(at(900), 0, true).list);
    }
}
