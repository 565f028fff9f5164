//! Clients who pipeline the actions of several games on one stream.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use divelog_client::Connection;
use divelog_proto::v1 as pb;
use pb::submit_actions_response::Result as Answer;
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tonic::Streaming;

use super::calls::{LIMIT, failure_of};
use super::client::{Client, act_asked, done};
use super::recorder::Recorder;
use super::tables::Table;
use crate::history::{ActionStream, Outcome, Request, StreamEnd, Tick, Unclear};

/// Requests on their way into a stream; counts those that the transport has taken.
struct Outgoing {
    requests: mpsc::UnboundedReceiver<pb::SubmitActionsRequest>,
    taken: Arc<AtomicU64>,
}

impl Stream for Outgoing {
    type Item = pb::SubmitActionsRequest;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.requests.poll_recv(context);
        if let Poll::Ready(Some(request)) = &next {
            self.taken.fetch_max(request.tag + 1, Ordering::SeqCst);
        }
        next
    }
}

/// One stream, from the caller's side.
pub(super) struct Actions {
    recorder: Arc<Recorder>,
    client: u32,
    number: u32,
    /// None once the caller has closed its side.
    outgoing: Option<mpsc::UnboundedSender<pb::SubmitActionsRequest>>,
    taken: Arc<AtomicU64>,
    answers: Option<Streaming<pb::SubmitActionsResponse>>,
    waiting: HashMap<u64, (Tick, Request, Arc<Table>)>,
    next_tag: u64,
    unasked: u32,
}

impl Actions {
    /// Opens a stream. The first requests may be sent at once.
    pub async fn open(recorder: Arc<Recorder>, client: u32, connection: Connection) -> Option<Actions> {
        let (outgoing, requests) = mpsc::unbounded_channel();
        let taken = Arc::new(AtomicU64::new(0));
        let stream = Outgoing { requests, taken: Arc::clone(&taken) };
        let mut games = connection.games();
        let answers = tokio::time::timeout(LIMIT, games.submit_actions(stream)).await.ok()?.ok()?.into_inner();
        let number = recorder.next_stream();
        Some(Actions {
            recorder,
            client,
            number,
            outgoing: Some(outgoing),
            taken,
            answers: Some(answers),
            waiting: HashMap::new(),
            next_tag: 0,
            unasked: 0,
        })
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub fn send(&mut self, request: pb::SubmitActionRequest, table: &Arc<Table>) {
        let (Some(outgoing), Some(asked)) = (&self.outgoing, act_asked(&request, Some(self.number))) else { return };
        let tag = self.next_tag;
        let invoked = self.recorder.invoke_write();
        self.waiting.insert(tag, (invoked, asked, Arc::clone(table)));
        table.sent();
        self.next_tag += 1;
        // A receiver that is gone shows itself as the end of the answers.
        drop(outgoing.send(pb::SubmitActionsRequest { tag, action: Some(request) }));
    }

    /// Says that no more requests come.
    pub fn close(&mut self) {
        self.outgoing = None;
    }

    /// Waits for one answer and gives its game and outcome; none once the stream is over.
    pub async fn answer(&mut self) -> Option<(Arc<Table>, Outcome)> {
        loop {
            let answers = self.answers.as_mut()?;
            let answer = match tokio::time::timeout(LIMIT, answers.message()).await {
                Ok(Ok(Some(answer))) => answer,
                Ok(Ok(None)) => {
                    self.end(StreamEnd::Ok, Outcome::Unclear(Unclear::Lost));
                    return None;
                }
                Ok(Err(_)) => {
                    self.end(StreamEnd::Error, Outcome::Unclear(Unclear::Lost));
                    return None;
                }
                Err(_) => {
                    self.end(StreamEnd::Dropped, Outcome::Hung { limit_ms: LIMIT.as_millis() as u64 });
                    return None;
                }
            };
            let Some((invoked, asked, table)) = self.waiting.remove(&answer.tag) else {
                self.unasked += 1;
                continue;
            };
            let outcome = match &answer.result {
                Some(Answer::Done(response)) => Outcome::Done(done(response)),
                Some(Answer::Failure(failure)) => failure_of(failure),
                None => Outcome::Unclear(Unclear::Lost),
            };
            self.recorder.answer(self.client, invoked, false, asked, outcome.clone());
            table.answered();
            return Some((table, outcome));
        }
    }

    /// Goes away without a word.
    pub fn leave(mut self) {
        self.end(StreamEnd::Dropped, Outcome::Unclear(Unclear::Cancelled));
    }

    fn end(&mut self, end: StreamEnd, left: Outcome) {
        self.answers = None;
        let half_closed = self.outgoing.take().is_none();
        let taken = self.taken.load(Ordering::SeqCst);
        let unanswered = self.waiting.keys().filter(|tag| **tag < taken).count() as u32;
        for (_, (invoked, asked, table)) in self.waiting.drain() {
            self.recorder.answer(self.client, invoked, false, asked, left.clone());
            table.mark_stale();
            table.answered();
        }
        self.recorder.note_stream(ActionStream {
            number: self.number,
            end,
            half_closed,
            unanswered,
            unasked: self.unasked,
        });
    }
}

/// Plays on streams until the round is over.
pub(super) async fn play(mut client: Client) {
    while let Some(connection) = client.connection().await {
        let recorder = Arc::clone(&client.shared.recorder);
        let Some(stream) = Actions::open(recorder, client.number, connection).await else {
            client.pause(5, 20).await;
            continue;
        };
        play_one(&mut client, stream).await;
    }
}

async fn play_one(client: &mut Client, mut stream: Actions) {
    let window = (*client.choices.pick(&[2, 16, 64, 200])).min(client.shared.settings.pipelined);
    let mut left = client.choices.between(50, 4_000);
    let drop_at = client.choices.percent(8).then(|| client.choices.between(1, left));
    let mut table: Option<Arc<Table>> = None;
    let mut stay = 0;
    loop {
        let closing = left == 0 || client.shared.recorder.is_closing();
        if closing {
            stream.close();
        }
        while !closing && left > 0 && stream.waiting() < window {
            if stay == 0 || table.as_ref().is_none_or(|table| table.is_over()) {
                table = client.shared.tables.pick(&mut client.choices);
                stay = client.choices.between(1, 40);
            }
            let Some(table) = &table else { break };
            stay -= 1;
            client.refresh(table).await;
            let Some(next) = table.next_move(&mut client.choices) else {
                stay = 0;
                break;
            };
            left -= 1;
            let request = pb::SubmitActionRequest {
                game_id: table.name.clone(),
                seat: next.seat,
                action: Some(next.action),
                expected_revision: client.choices.percent(10).then_some(next.revision),
                request_id: client.new_id().to_string(),
                validate_only: false,
            };
            if client.choices.percent(1) {
                stream.send(request.clone(), table);
            }
            stream.send(request, table);
        }
        if drop_at == Some(left) {
            return stream.leave();
        }
        if stream.waiting() == 0 && !closing {
            client.pause(1, 3).await;
            continue;
        }
        match stream.answer().await {
            Some((table, outcome)) => {
                if !matches!(outcome, Outcome::Done(_)) {
                    table.mark_stale();
                }
            }
            None => return,
        }
    }
}
