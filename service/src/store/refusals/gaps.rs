//! The times in which refusals were answered that are neither kept nor counted, and which games they concern.
//!
//! Block numbers show that, never times: a clock may have been wrong when a game was created.

/// How many gaps are kept: when there are more, the two oldest become one.
pub const MAX_GAPS: usize = 64;
/// Floods that are no further apart are one gap: a little more than the time between two passes of the housekeeper.
const ONE_FLOOD_MS: u64 = 5_000;

/// How a value of [`Gaps`] begins.
const GAPS_VERSION: u8 = 2;
const GAP_BYTES: usize = 33;

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
    /// The database is not the one that was closed last, or a version that keeps no mark has served it. The end of the gap is
    /// the start that noticed it.
    OtherDatabase = 5,
}

/// A time in which refusals may have been answered that are neither kept nor counted with their game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusalGap {
    pub from_ms: u64,
    pub to_ms: u64,
    pub cause: GapCause,
    /// How many they are, of all games; 0 where that is not known.
    pub count: u64,
    /// Games whose first record is in this block or a later one began after the gap.
    pub before_block: u64,
}

/// What is known of a store's refusals beside themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Since when gaps are noted: before that any refusal may be missing.
    pub since_ms: u64,
    /// Games whose first record is in this block or a later one began after that.
    pub since_block: u64,
    /// Oldest first.
    pub list: Vec<RefusalGap>,
}

/// What of it concerns one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameGaps {
    /// Before this time any refusal of the game may be missing; none if it began later.
    pub known_since_ms: Option<u64>,
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

    /// Those that concern a game; `began_before` says whether its first record is in an earlier block than the given one.
    pub(super) fn of_game(self, mut began_before: impl FnMut(u64) -> bool) -> GameGaps {
        GameGaps {
            known_since_ms: began_before(self.since_block).then_some(self.since_ms),
            list: self.list.into_iter().filter(|gap| began_before(gap.before_block)).collect(),
        }
    }

    pub(in crate::store) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![GAPS_VERSION];
        for number in [self.since_ms, self.since_block] {
            bytes.extend(number.to_be_bytes());
        }
        for gap in &self.list {
            for number in [gap.from_ms, gap.to_ms, gap.count, gap.before_block] {
                bytes.extend(number.to_be_bytes());
            }
            bytes.push(gap.cause as u8);
        }
        bytes
    }

    pub(in crate::store) fn decode(bytes: &[u8]) -> Option<Gaps> {
        let (_, rest) = bytes.split_first().filter(|(version, _)| **version == GAPS_VERSION)?;
        let (since_ms, rest) = number(rest)?;
        let (since_block, gaps) = number(rest)?;
        let list = gaps.chunks(GAP_BYTES).map(RefusalGap::decode).collect::<Option<Vec<_>>>()?;
        Some(Gaps { since_ms, since_block, list }).filter(|gaps| gaps.list.len() <= MAX_GAPS)
    }
}

impl RefusalGap {
    fn join(&mut self, other: RefusalGap) {
        self.from_ms = self.from_ms.min(other.from_ms);
        self.to_ms = self.to_ms.max(other.to_ms);
        self.count = self.count.saturating_add(other.count);
        self.before_block = self.before_block.max(other.before_block);
    }

    fn decode(bytes: &[u8]) -> Option<RefusalGap> {
        let (from_ms, rest) = number(bytes)?;
        let (to_ms, rest) = number(rest)?;
        let (count, rest) = number(rest)?;
        let (before_block, rest) = number(rest)?;
        let cause = match rest {
            [1] => GapCause::UncleanEnd,
            [2] => GapCause::Overflow,
            [3] => GapCause::StoreFailed,
            [4] => GapCause::Several,
            [5] => GapCause::OtherDatabase,
            _ => return None,
        };
        Some(RefusalGap { from_ms, to_ms, cause, count, before_block })
    }
}

pub(super) fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_be_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(from_ms: u64, to_ms: u64, cause: GapCause, count: u64) -> RefusalGap {
        RefusalGap { from_ms, to_ms, cause, count, before_block: 9 }
    }

    /// By blocks, whatever the clock said.
    #[test]
    fn a_gap_concerns_the_games_that_were_there() {
        let gaps = Gaps {
            since_ms: 5,
            since_block: 3,
            list: vec![
                gap(10, 20, GapCause::UncleanEnd, 0),
                RefusalGap { before_block: 12, ..gap(30, 40, GapCause::Overflow, 1) },
            ],
        };
        for (first_block, since, count) in [(2, Some(5), 2), (3, None, 2), (8, None, 2), (9, None, 1), (12, None, 0)] {
            let of_game = gaps.clone().of_game(|block| first_block < block);
            assert_eq!((of_game.known_since_ms, of_game.list.len()), (since, count), "{first_block}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_taken_for_knowledge() {
        let gaps = Gaps { since_ms: 5, since_block: 3, list: vec![gap(10, 20, GapCause::OtherDatabase, 0)] };
        assert_eq!(gaps.encode().len(), 17 + GAP_BYTES);
        assert_eq!(Gaps::decode(&gaps.encode()), Some(gaps));
        for bytes in [&[][..], &[0; 17], &[2; 16], &[2; 16 + GAP_BYTES], &[2; 20]] {
            assert_eq!(Gaps::decode(bytes), None, "{} bytes", bytes.len());
        }
    }
}
