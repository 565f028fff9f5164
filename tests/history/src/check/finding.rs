//! What the checker found.

use std::collections::BTreeMap;
use std::fmt;

use divelog_ledger::GameId;

/// How many findings of a kind are reported in full; the others are counted.
const MAX_DETAILED_PER_KIND: u64 = 6;

/// What kind of promise was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A log's hashes, numbers or replay do not agree.
    LogBroken,
    /// VerifyGame says something else of a log than its replay.
    VerdictDiffers,
    /// A game that somebody has seen has no log.
    GameMissing,
    /// An acknowledged action is not in the log.
    AcknowledgedMissing,
    /// An acknowledged action is not what the log has at that revision.
    AcknowledgedDiffers,
    /// An answer was not what the log's record led to.
    AnswerDiffers,
    /// A record was seen before it was asked for: the order of the log is not that of time.
    OrderDiffers,
    /// A request is in a log twice.
    DoneTwice,
    /// A refused request is in the log.
    RefusedButDone,
    /// A record that nobody asked for.
    NobodyAsked,
    /// A refusal that does not agree with the game at the time.
    RefusalDiffers,
    /// A watch left a record out, showed one twice, or began elsewhere.
    WatchGap,
    /// A watch showed something else than its viewer may see.
    WatchDiffers,
    /// Something was shown that is not in the log.
    ShownButNotInLog,
    /// A read gave an older revision than was seen before.
    ReadWentBack,
    /// A read gave something else than the log has.
    ReadDiffers,
    /// The same request had two different answers.
    TwoAnswers,
    /// A request id was taken for another request.
    OtherRequestAccepted,
    /// A request was refused for something that is not its own fault.
    WrongRefusal,
    /// A repeated request had no clear answer from a server that had nothing else to do.
    NoAnswerWhenQuiet,
    /// A refused creation made a game.
    RefusedButCreated,
    /// A fork's past is not its source's.
    ForkDiffers,
    /// An unfinished fork was answered as a whole one.
    UnfinishedForkAnswered,
    /// A stream ended with OK, and requests were not answered.
    StreamEndedEarly,
    /// The answers of one game on one stream came in another order than its requests.
    StreamOrder,
    /// A backup ended with OK and lacks blocks.
    BackupIncomplete,
    /// A call had no answer within its limit.
    Hang,
    /// No action was done for a while, although some waited.
    Stall,
    /// A fault of the machinery on a sound store.
    FaultAnswered,
    /// The server did not start or stop as it should.
    ServerMishap,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `AcknowledgedMissing` as `acknowledged-missing`.
        for (place, letter) in format!("{self:?}").chars().enumerate() {
            if letter.is_uppercase() && place > 0 {
                f.write_str("-")?;
            }
            write!(f, "{}", letter.to_ascii_lowercase())?;
        }
        Ok(())
    }
}

/// One broken promise.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What kind.
    pub kind: Kind,
    /// The game, if it concerns one.
    pub game: Option<GameId>,
    /// What was expected and what was found.
    pub sentence: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.kind)?;
        if let Some(game) = self.game {
            write!(f, "game {game}: ")?;
        }
        f.write_str(&self.sentence)
    }
}

/// All broken promises of a history.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The first of each kind, in full.
    pub findings: Vec<Finding>,
    /// How many of each kind there are.
    pub counts: BTreeMap<Kind, u64>,
}

impl Report {
    /// How many there are.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Adds one. The sentence is made only if it is reported.
    pub(super) fn add(&mut self, kind: Kind, game: Option<GameId>, sentence: impl FnOnce() -> String) {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        if *count <= MAX_DETAILED_PER_KIND {
            self.findings.push(Finding { kind, game, sentence: sentence() });
        }
    }
}
