//! Creations take turns.
//!
//! Under a request id there is one creation at a time, and it is the server's own work, which calls only wait for: a caller
//! who goes away changes nothing. Equal requests share an answer; different ones under the same id take turns, each with an
//! answer of its own, so that nobody is given somebody else's refusal.

mod rooms;

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

use tokio::sync::oneshot;

use self::rooms::{Room, Rooms};
use super::{Answer, CreateRequest, matches, plan};
use crate::access::Caller;
use crate::session::Error;
use crate::session::fork::ForkRequest;
use crate::session::games::Games;
#[cfg(test)]
use crate::session::simulation::{Defect, injected};

/// A request that makes a game.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Request {
    Create(Box<CreateRequest>),
    Fork(ForkRequest),
}

/// Somebody who waits for a creation.
struct Waiter {
    request: Request,
    reply: Reply,
}

/// Where the answer goes, and the room that its request takes until then.
struct Reply {
    sender: oneshot::Sender<Answer>,
    _room: Room,
}

impl Reply {
    fn send(self, answer: Answer) {
        // The caller may have gone away.
        drop(self.sender.send(answer));
    }
}

/// The creations under a request id that are under way, with those who wait for their turn in the order in which they came.
/// An id is in it as long as a task works on it.
#[derive(Default)]
pub(in crate::session) struct Creations {
    by_id: Mutex<HashMap<String, VecDeque<Waiter>>>,
    rooms: Rooms,
}

impl Creations {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, VecDeque<Waiter>>> {
        crate::lock::lock(&self.by_id)
    }

    /// Room for one more request of a caller, and where its answer will be.
    fn admit(&self, caller: Caller) -> Result<(Reply, oneshot::Receiver<Answer>), Error> {
        let room = self.rooms.take(caller)?;
        let (sender, answer) = oneshot::channel();
        Ok((Reply { sender, _room: room }, answer))
    }

    /// Joins those who wait. True: nobody works on this id yet, and the caller must.
    fn join(&self, request_id: &str, waiter: Waiter) -> bool {
        let mut creations = self.lock();
        match creations.get_mut(request_id) {
            Some(waiters) => {
                waiters.push_back(waiter);
                false
            }
            None => {
                creations.insert(request_id.to_owned(), VecDeque::from([waiter]));
                true
            }
        }
    }

    /// The request to be done next, and all who have asked for the same by now: who comes later has a right to an answer
    /// that was found later. None: nobody waits any more, and the id is free.
    fn next(&self, request_id: &str) -> Option<(Request, Vec<Reply>)> {
        let mut creations = self.lock();
        let waiters = creations.get_mut(request_id)?;
        let Some(request) = waiters.front().map(|waiter| waiter.request.clone()) else {
            creations.remove(request_id);
            return None;
        };
        let (same, others): (VecDeque<_>, _) = waiters.drain(..).partition(|waiter| waiter.request == request);
        *waiters = others;
        Some((request, same.into_iter().map(|waiter| waiter.reply).collect()))
    }
}

/// Frees an id whose work was cut off by a panic or by the runtime's end: nobody must wait for it without end. Work that has
/// ended as it should has freed it already, and the id may be somebody else's by now.
struct FreeIfCutOff<'a> {
    creations: &'a Creations,
    request_id: &'a str,
    ended: bool,
}

impl Drop for FreeIfCutOff<'_> {
    fn drop(&mut self) {
        #[cfg(test)]
        if injected(Defect::CreationOfItsCaller) {
            return;
        }
        if !self.ended {
            self.creations.lock().remove(self.request_id);
        }
    }
}

impl Games {
    /// Has the request done by a task of its own, and waits for it.
    pub(super) async fn make(&self, request: Request) -> Answer {
        let (reply, answer) = self.shared.creations.admit(self.caller)?;
        let (games, request_id) = (self.clone(), request.request_id().to_owned());
        if request_id.is_empty() {
            self.shared.runtime.spawn(Box::pin(async move { reply.send(games.do_request(request).await) }));
        } else if self.shared.creations.join(&request_id, Waiter { request, reply }) {
            #[cfg(test)]
            if injected(Defect::CreationOfItsCaller) {
                games.do_all(&request_id).await;
                return answer.await.unwrap_or(Err(Error::ShuttingDown));
            }
            self.shared.runtime.spawn(Box::pin(async move { games.do_all(&request_id).await }));
        }
        answer.await.unwrap_or(Err(Error::ShuttingDown))
    }

    /// Does everything that is asked under an id, until nobody waits any more.
    async fn do_all(&self, request_id: &str) {
        let creations = &self.shared.creations;
        let mut work = FreeIfCutOff { creations, request_id, ended: false };
        while let Some((request, replies)) = creations.next(request_id) {
            let answer = self.do_request(request).await;
            for reply in replies {
                reply.send(answer.clone());
            }
        }
        work.ended = true;
    }

    async fn do_request(&self, request: Request) -> Answer {
        match request {
            Request::Create(request) => {
                let request = *request;
                let before = self.first_step_of(&request.request_id).await?;
                match before {
                    Some(step) if matches(&step.position, &request) => Ok(step.position),
                    Some(_) => Err(Error::RequestIdReused(request.request_id)),
                    None => {
                        let prepared = request.prepared;
                        let game_id =
                            prepared.map_or_else(|| self.shared.runtime.new_id(), |prepared| prepared.game_id);
                        self.create_new(plan(request), game_id, prepared, None).await
                    }
                }
            }
            Request::Fork(request) => {
                // A fork reads its source and plays it again, which takes longer than a creation may wait for.
                let _place = self.shared.forking.place(self.caller).await;
                self.do_fork(request).await
            }
        }
    }
}

impl Request {
    fn request_id(&self) -> &str {
        match self {
            Request::Create(request) => &request.request_id,
            Request::Fork(request) => &request.request_id,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use divelog_engine::{AnyOptions, deep_sea_adventure};
    use divelog_proto::v1 as pb;

    use super::*;

    fn waiter(seats: usize) -> (Waiter, oneshot::Receiver<Answer>) {
        let (reply, answer) = Creations::default().admit(Caller::default()).unwrap();
        let request = Request::Create(Box::new(CreateRequest {
            options: AnyOptions::DeepSeaAdventure(deep_sea_adventure::Options),
            rules_version: None,
            players: vec![pb::Player::default(); seats],
            labels: BTreeMap::new(),
            request_id: "one".to_owned(),
            prepared: None,
        }));
        (Waiter { request, reply }, answer)
    }

    /// Whoever comes between the last answer and the end of the work is done by the task that is at it, and by no second
    /// one: two tasks would make two games.
    #[test]
    fn an_id_is_worked_on_by_one_task_until_it_is_free() {
        let creations = Creations::default();
        assert!(creations.join("one", waiter(3).0));
        let (_, replies) = creations.next("one").unwrap();
        drop(replies);
        assert!(!creations.join("one", waiter(4).0), "the task has not looked again yet");
        assert_eq!(creations.next("one").unwrap().1.len(), 1);
        assert!(creations.next("one").is_none());
        assert!(creations.join("one", waiter(3).0), "now it is free");
    }

    /// The end of the work comes after the id was freed, when it may be another task's.
    #[test]
    fn work_that_has_ended_does_not_take_the_id_from_the_next_task() {
        let creations = Creations::default();
        creations.join("one", waiter(3).0);
        let mut work = FreeIfCutOff { creations: &creations, request_id: "one", ended: false };
        while creations.next("one").is_some() {}
        work.ended = true;
        assert!(creations.join("one", waiter(3).0));
        drop(work);
        assert!(creations.next("one").is_some(), "the second task's waiter is still there");
        // And work that is cut off frees the id, and ends the wait for it.
        let (cut_off, mut answer) = waiter(5);
        creations.join("one", cut_off);
        drop(FreeIfCutOff { creations: &creations, request_id: "one", ended: false });
        assert!(matches!(answer.try_recv(), Err(oneshot::error::TryRecvError::Closed)));
        assert!(creations.join("one", waiter(3).0));
    }

    /// A refusal is for those who had asked when it was found; who comes later gets an answer of their own.
    #[test]
    fn equal_requests_share_a_turn_and_later_ones_have_the_next() {
        let creations = Creations::default();
        for seats in [3, 4, 3] {
            creations.join("one", waiter(seats).0);
        }
        assert_eq!(creations.next("one").unwrap().1.len(), 2, "both with three seats");
        creations.join("one", waiter(3).0);
        assert_eq!(creations.next("one").unwrap().1.len(), 1, "four seats");
        assert_eq!(creations.next("one").unwrap().1.len(), 1, "three seats again");
        assert!(creations.next("one").is_none());
    }
}
