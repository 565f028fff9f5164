//! Two-way streams: one task per stream, with all the stream's games in flight at once.

use std::{collections::VecDeque, sync::Arc, time::Instant};

use bytes::Bytes;
use divelog_proto::v1::{self, game_service_client::GameServiceClient, submit_actions_response::Result as Answer};
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Status, transport::Channel};

use super::{
    PAYLOAD,
    game_pool::GamePool,
    table::Table,
    tally::{Tally, Window},
};
use crate::echo_proto::{EchoStreamRequest, echo_service_client::EchoServiceClient};

/// Keeps `in_flight` messages on one echo stream until the window closes.
pub async fn echo(mut client: EchoServiceClient<Channel>, in_flight: usize, window: Window, tally: Arc<Tally>) {
    // Unbounded, but never longer than `in_flight`: a message is sent for one that came back. A bounded channel would
    // only add the cost of its semaphore to every message.
    let (outbox, requests) = mpsc::unbounded_channel();
    let message = || EchoStreamRequest { payload: Bytes::from_static(&PAYLOAD) };
    let mut outbox = Some(outbox);
    // The echo keeps the order, so the oldest message is the one that is answered.
    let mut sent = VecDeque::with_capacity(in_flight);
    for _ in 0..in_flight {
        sent.push_back(Instant::now());
        send(&outbox, message());
    }
    let answers = client.echo_stream(UnboundedReceiverStream::new(requests)).await;
    let mut answers = match answers {
        Ok(answers) => answers.into_inner(),
        Err(status) => return tally.failed_call(&status),
    };
    loop {
        match answers.message().await {
            Ok(Some(_)) => {}
            Ok(None) => return ended(&outbox, &tally),
            Err(status) => return tally.failed_call(&status),
        }
        let now = Instant::now();
        let Some(begun) = sent.pop_front() else {
            return tally.failed(Code::Internal, "an answer that nobody asked for");
        };
        tally.answered(&window, begun, now);
        if window.is_over(now) {
            outbox = None;
        } else {
            sent.push_back(now);
            send(&outbox, message());
        }
    }
}

/// The games of one stream; a request's tag is its game's place.
struct StreamGames {
    tables: Vec<Table>,
    sent: Vec<Instant>,
    /// Where actions go; `None` once the window has closed, so that the server sees the end and answers the rest.
    outbox: Option<UnboundedSender<v1::SubmitActionsRequest>>,
    /// Receives games that were not ready when they were needed.
    replacement: UnboundedSender<(usize, Result<Table, Status>)>,
    /// How many places wait for such a game.
    vacant: usize,
    /// How many places stay empty for good, as creating a game failed.
    dead: usize,
    pool: Arc<GamePool>,
    window: Window,
    tally: Arc<Tally>,
}

/// Plays the games of `tables` on one stream until the window closes.
pub async fn play(
    mut client: GameServiceClient<Channel>,
    tables: Vec<Table>,
    pool: Arc<GamePool>,
    window: Window,
    tally: Arc<Tally>,
) {
    // Bounded by the number of games, as in `echo`.
    let (outbox, requests) = mpsc::unbounded_channel();
    let (replacement, mut replacements) = mpsc::unbounded_channel();
    let mut games = StreamGames {
        sent: vec![Instant::now(); tables.len()],
        tables,
        outbox: Some(outbox),
        replacement,
        vacant: 0,
        dead: 0,
        pool,
        window,
        tally,
    };
    // Before the call: a server may wait for the first message before it answers with headers.
    for place in 0..games.tables.len() {
        games.submit(place, Instant::now());
    }
    let answers = client.submit_actions(UnboundedReceiverStream::new(requests)).await;
    let mut answers = match answers {
        Ok(answers) => answers.into_inner(),
        Err(status) => return games.tally.failed_call(&status),
    };
    loop {
        let answer = if games.vacant == 0 {
            answers.message().await
        } else {
            tokio::select! {
                answer = answers.message() => answer,
                Some((place, table)) = replacements.recv() => {
                    games.seat(place, table);
                    continue;
                }
            }
        };
        match answer {
            Ok(Some(answer)) => games.answered(answer),
            Ok(None) => return ended(&games.outbox, &games.tally),
            Err(status) => return games.tally.failed_call(&status),
        }
    }
}

impl StreamGames {
    /// Sends the next action of a place.
    fn submit(&mut self, place: usize, now: Instant) {
        let (Some(table), Some(sent)) = (self.tables.get(place), self.sent.get_mut(place)) else {
            return;
        };
        *sent = now;
        let request = v1::SubmitActionsRequest { tag: place as u64, action: Some(table.request()) };
        send(&self.outbox, request);
    }

    /// Handles an answer, and plays on.
    fn answered(&mut self, answer: v1::SubmitActionsResponse) {
        let now = Instant::now();
        let place = usize::try_from(answer.tag).unwrap_or(usize::MAX);
        let (Some(table), Some(sent)) = (self.tables.get_mut(place), self.sent.get(place)) else {
            return self.tally.failed(Code::Internal, "an answer with an unknown tag");
        };
        let go_on = match &answer.result {
            Some(Answer::Done(done)) => {
                self.tally.answered(&self.window, *sent, now);
                table.follow_answer(done);
                !table.is_over()
            }
            Some(Answer::Failure(failure)) => {
                let what = format!("{} {}", failure.reason, failure.message);
                self.tally.failed(Code::from(failure.code), &what);
                false
            }
            None => {
                self.tally.failed(Code::Internal, "an answer without a result");
                false
            }
        };
        if self.window.is_over(now) {
            self.outbox = None;
        } else if go_on {
            self.submit(place, now);
        } else {
            self.replace(place);
        }
    }

    /// Puts another game in a place.
    fn replace(&mut self, place: usize) {
        if let Some(table) = self.pool.take() {
            return self.put(place, table);
        }
        self.tally.waited_for_game();
        self.vacant += 1;
        let (pool, replacement) = (self.pool.clone(), self.replacement.clone());
        tokio::spawn(async move {
            // Without a receiver the stream has ended, and nobody needs the game.
            let _ = replacement.send((place, pool.create().await));
        });
    }

    /// Fills a place that waited.
    fn seat(&mut self, place: usize, table: Result<Table, Status>) {
        self.vacant -= 1;
        match table {
            Ok(table) => self.put(place, table),
            Err(status) => {
                self.tally.failed_call(&status);
                self.dead += 1;
                // With nothing left to play, no answer would ever close the stream.
                if self.dead == self.tables.len() {
                    self.outbox = None;
                }
            }
        }
    }

    /// Begins to play a game in a place, unless it came too late.
    fn put(&mut self, place: usize, table: Table) {
        let now = Instant::now();
        if self.window.is_over(now) {
            self.outbox = None;
        } else if let Some(old) = self.tables.get_mut(place) {
            *old = table;
            self.submit(place, now);
        }
    }
}

/// Sends, unless the window has closed.
fn send<T>(outbox: &Option<UnboundedSender<T>>, message: T) {
    if let Some(outbox) = outbox {
        // A receiver that is gone shows itself as the early end of the answers.
        let _ = outbox.send(message);
    }
}

/// The end of a stream: expected after the window, a failure before.
fn ended<T>(outbox: &Option<UnboundedSender<T>>, tally: &Tally) {
    if outbox.is_some() {
        tally.failed(Code::Unavailable, "the server ended the stream");
    }
}
