//! One client: its choices, its connections, and the calls that several roles make.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use divelog_client::Connection;
use divelog_engine::{Seat, Viewer};
use divelog_ledger::{GameId, convert};
use divelog_proto::v1 as pb;
use prost::Message;

use super::RoundSettings;
use super::calls::{LIMIT, Patience, call, hash, outcome_of};
use super::link::Link;
use super::recorder::Recorder;
use super::tables::{Table, Tables};
use crate::Choices;
use crate::history::{Act, Done, Outcome, Read, Request, fingerprint};

/// What all clients of a round share.
pub(super) struct Shared {
    pub settings: RoundSettings,
    pub recorder: Arc<Recorder>,
    pub tables: Tables,
}

/// One client.
pub(super) struct Client {
    pub number: u32,
    pub choices: Choices,
    pub link: Link,
    pub shared: Arc<Shared>,
    requests: u32,
}

impl Client {
    pub fn new(number: u32, seed: u64, link: Link, shared: Arc<Shared>) -> Client {
        Client { number, choices: Choices::new(seed, 1 + u64::from(number)), link, shared, requests: 0 }
    }

    /// A request id that nobody else uses.
    pub fn new_id(&mut self) -> Arc<str> {
        self.requests += 1;
        format!("{}-{}", self.number, self.requests).into()
    }

    /// A connection; none when the round is over.
    pub async fn connection(&mut self) -> Option<Connection> {
        if self.shared.recorder.is_closing() {
            return None;
        }
        self.link.connection(&mut self.choices).await
    }

    pub async fn pause(&mut self, least_ms: u64, most_ms: u64) {
        let time = Duration::from_millis(self.choices.between(least_ms, most_ms));
        tokio::time::sleep(time).await;
    }

    /// Does an action by a call of its own.
    pub async fn act(&self, connection: Connection, request: pb::SubmitActionRequest, patience: Patience) -> Outcome {
        act(&self.shared.recorder, self.number, connection, request, patience, false).await
    }

    /// Reads a game's log if its next moves are not known.
    pub async fn refresh(&mut self, table: &Arc<Table>) {
        if !table.begin_reading() {
            return;
        }
        let Some(connection) = self.connection().await else { return table.end_reading(None) };
        let recorder = &self.shared.recorder;
        let invoked = recorder.invoke_read();
        let read = read_log(connection, &table.name, LIMIT).await;
        let outcome = match &read {
            Ok(log) => Outcome::Done(Done {
                revision: log.records.len() as u64,
                hash: hash(&log.head_hash),
                ..Done::default()
            }),
            Err(outcome) => outcome.clone(),
        };
        recorder.answer(self.number, invoked, false, Request::Read(table.id, Read::Log), outcome);
        match read {
            Ok(log) => table.end_reading(hash(&log.secret).map(|secret| (&log.records[..], secret))),
            Err(Outcome::Unclear(_) | Outcome::Hung { .. }) => table.end_reading(None),
            Err(_) => {
                // Not there, or not to be read: nothing can be played here.
                table.set_over();
                table.end_reading(None);
            }
        }
    }

    /// Any viewer of a game with so many seats.
    pub fn viewer(&mut self, seats: u8) -> Viewer {
        match self.choices.below(usize::from(seats) + 2) {
            0 => Viewer::Spectator,
            1 => Viewer::Auditor,
            seat => Viewer::Seat(Seat(seat as u8 - 2)),
        }
    }
}

/// Does an action by a call of its own, and notes it.
pub(super) async fn act(
    recorder: &Recorder,
    client: u32,
    connection: Connection,
    request: pb::SubmitActionRequest,
    patience: Patience,
    quiet: bool,
) -> Outcome {
    let Some(asked) = act_asked(&request, None) else { return Outcome::Unclear(crate::history::Unclear::Lost) };
    let invoked = recorder.invoke_write();
    let mut games = connection.games();
    let outcome = match call(patience, request, |request| games.submit_action(request)).await {
        Ok(response) => Outcome::Done(done(&response)),
        Err(outcome) => outcome,
    };
    recorder.answer(client, invoked, quiet, asked, outcome.clone());
    outcome
}

/// What an action asks for.
pub(super) fn act_asked(request: &pb::SubmitActionRequest, stream: Option<u32>) -> Option<Request> {
    let action = request.action.as_ref().map(Message::encode_to_vec).unwrap_or_default();
    Some(Request::Act(Act {
        game: request.game_id.parse().ok()?,
        request_id: request.request_id.as_str().into(),
        seat: request.seat,
        action: action.into(),
        expected_revision: request.expected_revision,
        stream,
    }))
}

/// What the answer to an action says.
pub(super) fn done(response: &pb::SubmitActionResponse) -> Done {
    Done {
        game: None,
        revision: response.revision,
        hash: hash(&response.record_hash),
        content: Some(fingerprint(response)),
    }
}

/// What a game in an answer says.
pub(super) fn done_by_game(game: &pb::Game) -> Done {
    Done {
        game: game.game_id.parse().ok(),
        revision: game.revision,
        hash: hash(&game.head_hash),
        content: Some(fingerprint(game)),
    }
}

/// A log as ReadLog gives it.
#[derive(Default)]
pub(super) struct Log {
    pub records: Vec<Bytes>,
    pub hashes: Vec<Bytes>,
    pub revision: u64,
    pub head_hash: Bytes,
    pub secret: Bytes,
}

/// Reads a log with its secret.
pub(super) async fn read_log(connection: Connection, game: &str, limit: Duration) -> Result<Log, Outcome> {
    let reading = async {
        let request = pb::ReadLogRequest { game_id: game.to_owned(), include_secret: true };
        let mut messages = connection.audit().read_log(request).await?.into_inner();
        let mut log = Log::default();
        while let Some(message) = messages.message().await? {
            match message.message {
                Some(pb::read_log_response::Message::Header(header)) => {
                    log.revision = header.revision;
                    log.head_hash = header.head_hash;
                    log.secret = header.secret;
                }
                Some(pb::read_log_response::Message::Record(record)) => {
                    log.records.push(record.record);
                    log.hashes.push(record.hash);
                }
                None => {}
            }
        }
        Ok(log)
    };
    match tokio::time::timeout(limit, reading).await {
        Ok(Ok(log)) => Ok(log),
        Ok(Err(status)) => Err(outcome_of(&status)),
        Err(_) => Err(Outcome::Hung { limit_ms: limit.as_millis() as u64 }),
    }
}

/// The wire's form of a viewer.
pub(super) fn viewer_to_wire(viewer: Viewer) -> Option<pb::Viewer> {
    Some(convert::viewer_to_proto(viewer))
}

/// A game id from the wire.
pub(super) fn game_id(text: &str) -> Option<GameId> {
    text.parse().ok()
}
