//! What happened, as plain data: who asked what and when, what they were answered, and what the logs hold in the end.

use std::sync::Arc;

use bytes::Bytes;
use divelog_engine::Viewer;
use divelog_ledger::{GameId, Hash};
use prost::Message;
use sha2::{Digest, Sha256};

/// A moment: a counter that all clients share. An event with a smaller tick happened before one with a larger.
pub type Tick = u64;

/// The first bytes of the SHA-256 of a message: enough to see whether two are the same.
pub type Fingerprint = [u8; 16];

/// A short name of a message.
pub fn fingerprint(message: &impl Message) -> Fingerprint {
    fingerprint_of(&message.encode_to_vec())
}

/// A short name of some bytes.
pub fn fingerprint_of(bytes: &[u8]) -> Fingerprint {
    let hash: Hash = Sha256::digest(bytes).into();
    let mut short = Fingerprint::default();
    short.copy_from_slice(&hash[..16]);
    short
}

/// One round: everything that was asked of one store, through any number of restarts.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The requests, in any order.
    pub operations: Vec<Operation>,
    /// The streams of actions that have ended.
    pub streams: Vec<ActionStream>,
    /// What watchers and replayers were shown.
    pub watches: Vec<Watch>,
    /// The backups that were taken.
    pub backups: Vec<Backup>,
    /// When the server was going down or was not there.
    pub outages: Vec<Outage>,
    /// Times in which nothing was done.
    pub stalls: Vec<Stall>,
    /// Starts and stops of the server that went wrong.
    pub mishaps: Vec<String>,
    /// The log of every game, read when everything was over.
    pub logs: Vec<FinalLog>,
}

/// One request and its answer.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Who asked.
    pub client: u32,
    /// When it was sent.
    pub invoked: Tick,
    /// When the answer was there.
    pub returned: Tick,
    /// Whether the server had nothing else to do: then there must be a clear answer.
    pub quiet: bool,
    /// What was asked.
    pub asked: Request,
    /// What was answered.
    pub outcome: Outcome,
}

/// What was asked. A request id may be empty.
#[derive(Clone, Debug)]
pub enum Request {
    /// A new game.
    Create(Create),
    /// A fork.
    Fork(Fork),
    /// An action.
    Act(Act),
    /// The abandonment of a game.
    Abandon(Abandon),
    /// What a game is like now.
    Read(GameId, Read),
    /// Something that says nothing about a game's revision.
    Other(&'static str),
}

/// CreateGame.
#[derive(Clone, Debug)]
pub struct Create {
    /// The request id.
    pub request_id: Arc<str>,
    /// Everything else that was asked: two requests are the same exactly if their bodies are.
    pub body: Fingerprint,
    /// The id that PrepareGame promised.
    pub promised: Option<GameId>,
    /// Whether the rules allow it: with a wrong number of seats they do not.
    pub lawful: bool,
}

/// ForkGame.
#[derive(Clone, Debug)]
pub struct Fork {
    /// The request id.
    pub request_id: Arc<str>,
    /// The game to be forked.
    pub source: GameId,
    /// At which revision; 0 is the newest.
    pub at_revision: u64,
    /// Everything that was asked but the request id.
    pub body: Fingerprint,
}

/// SubmitAction, or one request of SubmitActions.
#[derive(Clone, Debug)]
pub struct Act {
    /// The game.
    pub game: GameId,
    /// The request id.
    pub request_id: Arc<str>,
    /// The seat.
    pub seat: u32,
    /// The bytes of the `GameAction`.
    pub action: Bytes,
    /// The revision that the caller decided on.
    pub expected_revision: Option<u64>,
    /// The stream it was sent on; none for a call of its own.
    pub stream: Option<u32>,
}

/// AbandonGame.
#[derive(Clone, Debug)]
pub struct Abandon {
    /// The game.
    pub game: GameId,
    /// The request id.
    pub request_id: Arc<str>,
    /// Why.
    pub reason: Arc<str>,
    /// The revision that the caller decided on.
    pub expected_revision: Option<u64>,
}

/// Ways to look at a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// GetGame; its content is the whole answer.
    Game(Viewer),
    /// ListLegalActions of a seat; its content is the whole answer.
    Legal(u32),
    /// SubmitAction with validate_only.
    DryRun,
    /// A line of ListGames.
    Listed,
    /// ReadLog.
    Log,
    /// VerifyGame.
    Verify,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done, or what was asked for was answered.
    Done(Done),
    /// It was not done.
    Refused(Refusal),
    /// Nobody knows: it may have been done.
    Unclear(Unclear),
    /// There was no answer within a time in which there must be one.
    Hung {
        /// That time.
        limit_ms: u64,
    },
}

/// A clear answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The game that was made, by CreateGame and ForkGame.
    pub game: Option<GameId>,
    /// The revision in the answer; 0 if there was none.
    pub revision: u64,
    /// The hash of the record that led to it, if the answer has it.
    pub hash: Option<Hash>,
    /// The answer's content: of creations, forks and abandonments the game, of everything else the whole response.
    pub content: Option<Fingerprint>,
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The gRPC code's name, such as `ABORTED`.
    pub code: &'static str,
    /// The stable reason; empty if there was none.
    pub reason: Arc<str>,
    /// The revision at which it was checked, if the answer has it.
    pub revision: Option<u64>,
    /// The sentence, kept for faults only.
    pub sentence: Option<Arc<str>>,
}

/// Why nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// The caller's own deadline came first.
    Deadline,
    /// The caller went away.
    Cancelled,
    /// The connection broke, or the server was going down.
    Lost,
}

/// One stream of SubmitActions, when it was over.
#[derive(Clone, Debug)]
pub struct ActionStream {
    /// Its number, as in [`Act::stream`].
    pub number: u32,
    /// How it ended.
    pub end: StreamEnd,
    /// Whether the caller had ended its requests.
    pub half_closed: bool,
    /// Requests that were sent and never answered.
    pub unanswered: u32,
    /// Answers to requests that were not sent, or were answered before.
    pub unasked: u32,
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    /// With the status OK.
    Ok,
    /// With an error, or the connection's end.
    Error,
    /// The caller went away.
    Dropped,
}

/// One WatchGame or ReplayGame.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Who watched.
    pub client: u32,
    /// The game.
    pub game: GameId,
    /// Whose view it shows.
    pub viewer: Viewer,
    /// When it was asked for.
    pub invoked: Tick,
    /// Whether it is a ReplayGame, which is read from the log.
    pub replay: bool,
    /// The revision after which it was to begin; none: with the present table.
    pub after: Option<u64>,
    /// Whether every update carries the table.
    pub views: bool,
    /// What was shown, in order.
    pub seen: Vec<(Tick, Seen)>,
}

/// One message of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The table now. The content is the whole message.
    Snapshot {
        /// Its revision.
        revision: u64,
        /// The hash of its last record.
        hash: Hash,
        /// The whole message.
        content: Fingerprint,
    },
    /// One record more. The content is the whole message.
    Update {
        /// The revision after it.
        revision: u64,
        /// The record's hash.
        hash: Hash,
        /// The whole message.
        content: Fingerprint,
    },
    /// A sign of life, or the end: everything up to this revision was sent.
    UpTo {
        /// The revision.
        revision: u64,
    },
}

/// One backup.
#[derive(Clone, Debug)]
pub struct Backup {
    /// The first block that its header announced, and the one after the last.
    pub announced: Option<(u64, u64)>,
    /// The numbers of the blocks that came.
    pub blocks: Vec<u64>,
    /// Blocks that came without content.
    pub empty: u64,
    /// How it ended.
    pub end: StreamEnd,
}

/// A time in which the server was going down or was not there.
#[derive(Clone, Copy, Debug)]
pub struct Outage {
    /// Just before it was killed or asked to stop.
    pub from: Tick,
    /// When it served again.
    pub to: Tick,
    /// Whether it was killed.
    pub killed: bool,
}

/// A server that made no progress.
#[derive(Clone, Debug)]
pub struct Stall {
    /// For how long no action was done and no game was made.
    pub seconds: u64,
    /// How many requests waited.
    pub waiting: u64,
    /// What its health answered.
    pub health: String,
}

/// A game's log at the end.
#[derive(Clone, Debug)]
pub struct FinalLog {
    /// The game.
    pub game: GameId,
    /// Its records and what is known beside them, or why they could not be read.
    pub read: Result<StoredLog, String>,
    /// What VerifyGame answered; an error's text if it could not.
    pub verdict: Result<ServerVerdict, String>,
}

/// What ReadLog gave.
#[derive(Clone, Debug, Default)]
pub struct StoredLog {
    /// The number of records that the header announced.
    pub revision: u64,
    /// The hash that the last one must have.
    pub head_hash: Hash,
    /// The game's secret.
    pub secret: [u8; 32],
    /// The records, and the hash that came with each.
    pub records: Vec<(Bytes, Hash)>,
}

/// What VerifyGame answered.
#[derive(Clone, Debug, Default)]
pub struct ServerVerdict {
    /// Whether everything agrees.
    pub verified: bool,
    /// The number of good records.
    pub records: u64,
    /// What is wrong.
    pub failure: String,
}

impl Request {
    /// The request id; empty if there is none.
    pub fn request_id(&self) -> &str {
        match self {
            Request::Create(create) => &create.request_id,
            Request::Fork(fork) => &fork.request_id,
            Request::Act(act) => &act.request_id,
            Request::Abandon(abandon) => &abandon.request_id,
            Request::Read(..) | Request::Other(_) => "",
        }
    }

    /// The game that was asked about, if it existed before.
    pub fn game(&self) -> Option<GameId> {
        match self {
            Request::Act(act) => Some(act.game),
            Request::Abandon(abandon) => Some(abandon.game),
            Request::Read(game, _) => Some(*game),
            Request::Create(_) | Request::Fork(_) | Request::Other(_) => None,
        }
    }

    /// The name of the call.
    pub fn name(&self) -> &'static str {
        match self {
            Request::Create(_) => "CreateGame",
            Request::Fork(_) => "ForkGame",
            Request::Act(Act { stream: Some(_), .. }) => "SubmitActions",
            Request::Act(_) => "SubmitAction",
            Request::Abandon(_) => "AbandonGame",
            Request::Read(_, Read::Game(_)) => "GetGame",
            Request::Read(_, Read::Legal(_)) => "ListLegalActions",
            Request::Read(_, Read::DryRun) => "SubmitAction (validate_only)",
            Request::Read(_, Read::Listed) => "ListGames",
            Request::Read(_, Read::Log) => "ReadLog",
            Request::Read(_, Read::Verify) => "VerifyGame",
            Request::Other(name) => name,
        }
    }
}
