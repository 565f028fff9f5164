//! What a bundle's verification found, for people and for programs.

use divelog_engine::{Kind, Outcome};

use crate::tlog::{Checkpoint, Leaf};
use crate::{GameId, Hash, LogFault, Revision, Status};

/// What was checked. The names are part of the command line's JSON: they are never changed, only added to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Check {
    /// The bundle can be read at all.
    Form,
    /// Each record holds the hash of the one before it.
    Chain,
    /// The secret is the one that record 0 committed to, and the nonces derive from it.
    Commitment,
    /// The luck derives from the secret and from what the seats added.
    Entropy,
    /// The rules accept every action and give what the records say.
    Replay,
    /// The game's result is the one that the exporter claims.
    Outcome,
    /// What could be done after each record is what the exporter claims.
    LegalActions,
    /// Draws that are shown without the secret fit the commitments made before them.
    OpenedDraws,
    /// The game is a fork, and of what.
    Fork,
    /// A head of the game is in the checkpoint's tree.
    Inclusion,
    /// How many of the records that head covers.
    Coverage,
    /// The checkpoint is signed by the key that was given.
    Signature,
}

impl Check {
    /// All checks, in the order in which they are reported.
    pub const ALL: [Check; 12] = [
        Check::Form,
        Check::Chain,
        Check::Fork,
        Check::Commitment,
        Check::Entropy,
        Check::Replay,
        Check::Outcome,
        Check::LegalActions,
        Check::OpenedDraws,
        Check::Inclusion,
        Check::Coverage,
        Check::Signature,
    ];

    /// The check's stable name.
    pub fn name(self) -> &'static str {
        match self {
            Check::Form => "form",
            Check::Chain => "chain",
            Check::Commitment => "commitment",
            Check::Entropy => "entropy",
            Check::Replay => "replay",
            Check::Outcome => "outcome",
            Check::LegalActions => "legal_actions",
            Check::OpenedDraws => "opened_draws",
            Check::Fork => "fork",
            Check::Inclusion => "inclusion",
            Check::Coverage => "coverage",
            Check::Signature => "signature",
        }
    }
}

/// How a check ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The bytes show it.
    Proved,
    /// The bytes do not show it, nor that it is wrong.
    NotProved,
    /// The bytes show that it is wrong.
    Failed,
}

impl Judgement {
    /// The judgement's stable name.
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Proved => "proved",
            Judgement::NotProved => "not_proved",
            Judgement::Failed => "failed",
        }
    }
}

/// The result of one check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What was checked.
    pub check: Check,
    /// How it ended.
    pub result: Judgement,
    /// A sentence for people.
    pub sentence: String,
    /// The record at fault, where there is one.
    pub fault: Option<LogFault>,
}

/// What a bundle shows.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The game, as the bundle names it.
    pub game_id: String,
    /// How many records the bundle holds.
    pub revision: Revision,
    /// The hash of the last one.
    pub head_hash: Option<Hash>,
    /// What is played, as record 0 says; none if it cannot be read or this build does not know it.
    pub kind: Option<Kind>,
    /// The rules version, as record 0 says.
    pub rules_version: Option<u32>,
    /// How far the game is, as far as that is known.
    pub status: Option<Status>,
    /// The result that the rules give; only from a replay.
    pub outcome: Option<Outcome>,
    /// Where the game was forked from, as record 0 says.
    pub fork_of: Option<GameId>,
    /// The leaf in the transparency log that the game's records and the proof agree on.
    pub leaf: Option<Leaf>,
    /// The checkpoint; signed by the key that was given only if the signature is proved.
    pub checkpoint: Option<Checkpoint>,
    /// Every check that applies, once each, in the order of [`Check::ALL`].
    pub findings: Vec<Finding>,
}

impl Verdict {
    pub(super) fn unknown(game_id: String, revision: Revision) -> Verdict {
        Verdict {
            game_id,
            revision,
            head_hash: None,
            kind: None,
            rules_version: None,
            status: None,
            outcome: None,
            fork_of: None,
            leaf: None,
            checkpoint: None,
            findings: Vec::new(),
        }
    }

    /// Whether nothing is wrong. Some things may still not be proved.
    pub fn ok(&self) -> bool {
        self.findings.iter().all(|finding| finding.result != Judgement::Failed)
    }

    /// How one check ended; none if it does not apply.
    pub fn result(&self, check: Check) -> Option<Judgement> {
        self.findings.iter().find(|finding| finding.check == check).map(|finding| finding.result)
    }
}

/// The findings so far.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) list: Vec<Finding>,
}

impl Findings {
    pub(super) fn proved(&mut self, check: Check, sentence: impl Into<String>) {
        self.add(check, Judgement::Proved, sentence.into(), None);
    }

    pub(super) fn not_proved(&mut self, check: Check, sentence: impl Into<String>) {
        self.add(check, Judgement::NotProved, sentence.into(), None);
    }

    pub(super) fn failed(&mut self, check: Check, sentence: impl Into<String>, fault: Option<LogFault>) {
        self.add(check, Judgement::Failed, sentence.into(), fault);
    }

    /// A record is wrong.
    pub(super) fn fault(&mut self, check: Check, what: &str, fault: LogFault) {
        self.failed(check, format!("{what} Record {}: {}.", fault.sequence, fault.message), Some(fault));
    }

    /// Checks that could not be made.
    pub(super) fn skip<const N: usize>(&mut self, checks: [Check; N], because: &str) {
        for check in checks {
            self.not_proved(check, format!("Not checked, because {because}."));
        }
    }

    fn add(&mut self, check: Check, result: Judgement, sentence: String, fault: Option<LogFault>) {
        self.list.push(Finding { check, result, sentence, fault });
    }
}
