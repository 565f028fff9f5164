//! A small history in which everything agrees: a game of seven records, a fork of it, and those who asked, watched and
//! read.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use divelog_engine::{Kind, Seat, Viewer};
use divelog_ledger::{Advance, ForkPoint, GameId, NewGame, Position, Secret, Stamp, convert, hash_record};
use divelog_proto::v1 as pb;
use prost::Message;

use crate::Choices;
use crate::check::expected;
use crate::check::log::LoggedStep;
use crate::history::*;

pub const GAME: GameId = GameId([1; 16]);
pub const FORK: GameId = GameId([2; 16]);
const SECRET: [u8; 32] = [7; 32];
/// The actions of the game.
pub const ACTIONS: usize = 6;
/// Where it is forked.
const FORKED_AT: u64 = 4;

/// What a world may have otherwise.
pub struct Plan {
    /// The request id of each action, from 1.
    pub id: fn(usize) -> String,
    /// The request id of the fork.
    pub fork_id: &'static str,
    /// The fork does another move than its source.
    pub fork_differs: bool,
    /// The fork is given up after so many records.
    pub fork_given_up: Option<u64>,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan { id: |number| format!("a{number}"), fork_id: "f", fork_differs: false, fork_given_up: None }
    }
}

/// A game while it is played.
struct Play {
    id: GameId,
    steps: Vec<LoggedStep>,
    records: Vec<Bytes>,
    moves: Vec<(Seat, divelog_engine::AnyAction)>,
}

impl Play {
    fn create(id: GameId, request_id: &str, fork: Option<ForkPoint>) -> Play {
        let new = NewGame {
            game_id: id,
            rules_version: 1,
            options: Kind::DeepSeaAdventure.default_options(),
            players: vec![pb::Player::default(); 3],
            labels: BTreeMap::new(),
            fork,
            request: None,
        };
        let first = Position::create(new, &Secret(SECRET), Stamp { time_ms: 1_000, request_id }).unwrap();
        let mut play = Play { id, steps: Vec::new(), records: Vec::new(), moves: Vec::new() };
        play.push(first, None);
        play
    }

    fn push(&mut self, advance: Advance, seat: Option<Seat>) {
        self.records.push(advance.record);
        self.steps.push(LoggedStep { position: advance.position, events: advance.events, seat });
    }

    fn position(&self) -> &Position {
        &self.steps.last().unwrap().position
    }

    fn act(&mut self, seat: Seat, action: divelog_engine::AnyAction, request_id: &str) {
        let stamp = Stamp { time_ms: 2_000, request_id };
        let advance = self.position().act(seat, &action, stamp).unwrap();
        self.moves.push((seat, action));
        self.push(advance, Some(seat));
    }

    fn log(&self) -> FinalLog {
        let records: Vec<_> = self.records.iter().map(|record| (record.clone(), hash_record(record))).collect();
        let revision = records.len() as u64;
        let head_hash = records.last().unwrap().1;
        FinalLog {
            game: self.id,
            read: Ok(StoredLog { revision, head_hash, secret: SECRET, records }),
            verdict: Ok(ServerVerdict { verified: true, records: revision, failure: String::new() }),
        }
    }

    fn game(&self, revision: u64) -> Done {
        let position = &self.steps[revision as usize - 1].position;
        let content = Some(fingerprint(&expected::game(position, &SECRET)));
        Done { game: Some(self.id), revision, hash: Some(position.head_hash()), content }
    }

    fn submitted(&self, revision: u64) -> Done {
        let step = &self.steps[revision as usize - 1];
        let content = Some(fingerprint(&expected::submitted(step)));
        Done { game: None, revision, hash: Some(step.position.head_hash()), content }
    }
}

pub fn operation(client: u32, invoked: Tick, asked: Request, outcome: Outcome) -> Operation {
    Operation { client, invoked, returned: invoked + 5, quiet: false, asked, outcome }
}

pub fn refused(code: &'static str, reason: &str, revision: Option<u64>) -> Outcome {
    Outcome::Refused(Refusal { code, reason: reason.into(), revision, sentence: None })
}

fn act(number: usize, request_id: &str, play: &Play, stream: Option<u32>) -> Act {
    let (seat, action) = &play.moves[number - 1];
    Act {
        game: GAME,
        request_id: request_id.into(),
        seat: seat.0.into(),
        action: convert::action_to_proto(action).encode_to_vec().into(),
        expected_revision: (number == 2).then_some(2),
        stream,
    }
}

/// A history in which everything agrees, but for what the plan says.
pub fn sample(plan: &Plan) -> History {
    let mut play = Play::create(GAME, "c", None);
    let mut choices = Choices::new(3, 0);
    for number in 1..=ACTIONS {
        let (seat, action) = play.position().game().any_choice(&mut choices).unwrap();
        play.act(seat, action, &(plan.id)(number));
    }
    let mut history = History::default();
    let create = Create { request_id: "c".into(), body: [1; 16], promised: None, lawful: true };
    history.operations.push(operation(0, 1, Request::Create(create), Outcome::Done(play.game(1))));
    for number in 1..=ACTIONS {
        // Those with even numbers go over a stream.
        let asked = Request::Act(act(number, &(plan.id)(number), &play, (number % 2 == 0).then_some(0)));
        let done = Outcome::Done(play.submitted(number as u64 + 1));
        history.operations.push(operation(1, 10 * number as u64, asked, done));
    }
    add_refusals(&mut history, &play);
    add_reads(&mut history, &play);
    add_fork(&mut history, &play, plan);
    add_watches(&mut history, &play);
    history.streams.push(ActionStream { number: 0, end: StreamEnd::Ok, half_closed: true, unanswered: 0, unasked: 0 });
    history.backups.push(Backup { announced: Some((0, 3)), blocks: vec![0, 1, 2], empty: 0, end: StreamEnd::Ok });
    history.outages.push(Outage { from: 500, to: 510, killed: true });
    history.logs.insert(0, play.log());
    history
}

fn add_refusals(history: &mut History, play: &Play) {
    let revision = play.steps.len() as u64;
    let asked = play.position().to_act();
    let idle = (0..3).map(Seat).find(|seat| !asked.contains(*seat)).unwrap();
    let refused_act = |id: &str, expected_revision| {
        let act = Act {
            seat: idle.0.into(),
            request_id: id.into(),
            expected_revision,
            stream: None,
            ..act(1, "", play, None)
        };
        Request::Act(act)
    };
    let mut add = |invoked, asked, outcome| history.operations.push(operation(2, invoked, asked, outcome));
    add(100, refused_act("turn", None), refused("FAILED_PRECONDITION", "NOT_ASKED", Some(revision)));
    add(110, refused_act("stale", Some(3)), refused("ABORTED", "STALE_REVISION", Some(revision)));
    add(120, refused_act("unclear", None), Outcome::Unclear(Unclear::Deadline));
    // A repeated request, and another one under the same id.
    add(130, Request::Act(act(3, "a3", play, None)), Outcome::Done(play.submitted(4)));
    add(140, refused_act("a3", None), refused("ALREADY_EXISTS", "REQUEST_ID_REUSED", None));
    // A creation that the rules do not allow, and one with another's id.
    let create = |id: &str, body, lawful| {
        Request::Create(Create { request_id: id.into(), body: [body; 16], promised: None, lawful })
    };
    add(150, create("few", 2, false), refused("FAILED_PRECONDITION", "SEAT_COUNT", None));
    add(160, create("c", 3, true), refused("ALREADY_EXISTS", "REQUEST_ID_REUSED", None));
    // A connection that broke when the server was killed.
    add(498, Request::Other("GetCheckpoint"), refused("INTERNAL", "", None));
}

fn add_reads(history: &mut History, play: &Play) {
    let revision = play.steps.len() as u64;
    let position = play.position();
    let hash = Some(position.head_hash());
    let mut add = |invoked, read, content| {
        let done = Done { game: None, revision, hash, content };
        history.operations.push(operation(3, invoked, Request::Read(GAME, read), Outcome::Done(done)));
    };
    let viewer = Viewer::Seat(Seat(1));
    add(200, Read::Game(viewer), Some(fingerprint(&expected::get_game(position, &SECRET, viewer))));
    add(210, Read::Legal(0), Some(fingerprint(&expected::legal_actions(position, 0))));
    add(220, Read::Log, None);
}

fn add_fork(history: &mut History, source: &Play, plan: &Plan) {
    let point = source.steps[FORKED_AT as usize - 1].position.fork_point(false);
    let mut fork = Play::create(FORK, plan.fork_id, Some(point));
    for (seat, action) in source.moves.iter().take(FORKED_AT as usize - 1) {
        if plan.fork_given_up == Some(fork.steps.len() as u64) {
            let advance = fork.position().abandon("enough", Stamp { time_ms: 3_000, request_id: "" }).unwrap();
            fork.push(advance, None);
            break;
        }
        let offers = fork.position().game().legal_actions(*seat);
        let other = offers.iter().map(|offer| offer.nth(0)).find(|other| other != action);
        if let Some(other) = other.filter(|_| plan.fork_differs) {
            fork.act(*seat, other, "");
            break;
        }
        fork.act(*seat, action.clone(), "");
    }
    let asked = Fork { request_id: plan.fork_id.into(), source: GAME, at_revision: FORKED_AT, body: [9; 16] };
    let revision = FORKED_AT.min(fork.steps.len() as u64);
    history.operations.push(operation(4, 300, Request::Fork(asked), Outcome::Done(fork.game(revision))));
    history.logs.push(fork.log());
}

fn add_watches(history: &mut History, play: &Play) {
    let update = |step: &LoggedStep, viewer| Seen::Update {
        revision: step.position.revision().get(),
        hash: step.position.head_hash(),
        content: fingerprint(&expected::update(step, viewer, true)),
    };
    let mut seen: Vec<_> =
        play.steps.iter().zip(400..).map(|(step, tick)| (tick, update(step, Viewer::Spectator))).collect();
    seen.push((420, Seen::UpTo { revision: play.steps.len() as u64 }));
    let watch = Watch {
        client: 5,
        game: GAME,
        viewer: Viewer::Spectator,
        invoked: 399,
        replay: false,
        after: Some(0),
        views: true,
        seen,
    };
    let position = play.position();
    let snapshot = Seen::Snapshot {
        revision: position.revision().get(),
        hash: position.head_hash(),
        content: fingerprint(&expected::snapshot(position, &SECRET, Viewer::Auditor)),
    };
    let from_now = Watch { viewer: Viewer::Auditor, after: None, seen: vec![(430, snapshot)], ..watch.clone() };
    history.watches.extend([watch, from_now]);
}

/// The first request with this id.
pub fn with_id<'a>(history: &'a mut History, id: &str) -> &'a mut Operation {
    history.operations.iter_mut().find(|operation| operation.asked.request_id() == id).unwrap()
}

/// The answer of the first request with this id.
pub fn done_with_id<'a>(history: &'a mut History, id: &str) -> &'a mut Done {
    done(with_id(history, id))
}

pub fn done(operation: &mut Operation) -> &mut Done {
    match &mut operation.outcome {
        Outcome::Done(done) => done,
        other => panic!("not done: {other:?}"),
    }
}

pub fn act_with_id<'a>(history: &'a mut History, id: &str) -> &'a mut Act {
    match &mut with_id(history, id).asked {
        Request::Act(act) => act,
        other => panic!("no action: {other:?}"),
    }
}

/// The first read of this kind.
pub fn read(history: &mut History, wanted: fn(&Read) -> bool) -> &mut Operation {
    let is = |operation: &&mut Operation| matches!(&operation.asked, Request::Read(_, read) if wanted(read));
    history.operations.iter_mut().find(is).unwrap()
}

pub fn stored(history: &mut History, at: usize) -> &mut StoredLog {
    history.logs[at].read.as_mut().unwrap()
}

/// Takes the last record away, and everything that says that it was there, but for what clients were answered.
pub fn lose_last_record(history: &mut History) {
    let stored = stored(history, 0);
    stored.records.pop();
    stored.revision -= 1;
    stored.head_hash = stored.records.last().unwrap().1;
    let revision = stored.revision;
    history.logs[0].verdict = Ok(ServerVerdict { verified: true, records: revision, failure: String::new() });
}

/// An id as the history has it.
pub fn id(text: &str) -> Arc<str> {
    text.into()
}
