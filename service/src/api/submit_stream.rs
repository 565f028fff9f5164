//! `SubmitActions`: many actions of many games on one stream, each answered once, in order per game.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use divelog_ledger::GameId;
use divelog_proto::v1 as pb;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_stream::Stream;
use tonic::{Status, Streaming};

use super::games::act_request;
use super::watch::drained;
use super::{errors, fields, resource};
use crate::session::{ActRequest, Error, Games, Reply, Step};

/// How many requests of one stream may be unanswered; the server stops reading at that.
const MAX_IN_FLIGHT: usize = 4_096;

/// An answer on its way to the caller; its place is free again when the caller's connection has taken it.
struct Answer {
    tag: u64,
    result: Result<Arc<Step>, Error>,
    _place: OwnedSemaphorePermit,
}

/// The answers of one stream.
pub struct Answers(mpsc::UnboundedReceiver<Answer>);

/// Begins to read a stream of requests.
pub fn open(games: Games, requests: Streaming<pb::SubmitActionsRequest>, draining: watch::Receiver<bool>) -> Answers {
    // No bound of its own: every answer in it holds one of the stream's places.
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(read(games, requests, draining, sender));
    Answers(receiver)
}

/// Reads until the caller has no more requests, or the server drains. The stream ends when the last reply has gone.
async fn read(
    games: Games,
    mut requests: Streaming<pb::SubmitActionsRequest>,
    mut draining: watch::Receiver<bool>,
    answers: mpsc::UnboundedSender<Answer>,
) {
    let places = Arc::new(Semaphore::new(MAX_IN_FLIGHT));
    // Made once: to begin listening anew for each request would cost as much as reading it.
    let mut drained = pin!(drained(&mut draining));
    loop {
        let place = match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => place,
            // As many as may be are unanswered: wait until the caller reads.
            Err(_) => tokio::select! {
                _ = answers.closed() => return,
                place = Arc::clone(&places).acquire_owned() => match place {
                    Ok(place) => place,
                    Err(_) => return,
                },
            },
        };
        let request = tokio::select! {
            biased;
            request = requests.message() => request,
            () = &mut drained => return,
        };
        // A broken stream has nobody to tell.
        let Ok(Some(pb::SubmitActionsRequest { tag, action })) = request else { return };
        let answers = answers.clone();
        let reply: Reply = Box::new(move |result| drop(answers.send(Answer { tag, result, _place: place })));
        match game_of(action) {
            Ok((game_id, action)) => match checked(action) {
                Ok(request) => games.submit(game_id, request, reply).await,
                Err(error) => games.refuse(game_id, error, reply),
            },
            // Of no game: there is no order to keep.
            Err(error) => reply(Err(error)),
        }
    }
}

fn game_of(action: Option<pb::SubmitActionRequest>) -> Result<(GameId, pb::SubmitActionRequest), Error> {
    let action = action.ok_or_else(|| Error::invalid("action", "the request has no action"))?;
    Ok((fields::game_id(&action.game_id)?, action))
}

fn checked(action: pb::SubmitActionRequest) -> Result<ActRequest, Error> {
    if action.validate_only {
        return Err(Error::invalid("validate_only", "a stream does actions; check one by SubmitAction"));
    }
    act_request(action)
}

impl Stream for Answers {
    type Item = Result<pb::SubmitActionsResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(ready!(self.0.poll_recv(context)).map(|Answer { tag, result, _place }| {
            let result = match result {
                Ok(step) => pb::submit_actions_response::Result::Done(resource::submitted(&step)),
                Err(error) => pb::submit_actions_response::Result::Failure(errors::failure(&error)),
            };
            Ok(pb::SubmitActionsResponse { tag, result: Some(result) })
        }))
    }
}
