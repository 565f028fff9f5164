//! New games: of their own, as promised, or forked.
//!
//! Under a request id there is one creation at a time, and it is the server's own work, which calls only wait for: a caller
//! who goes away changes nothing. Equal requests share an answer; different ones under the same id take turns, each with an
//! answer of its own, so that nobody is given somebody else's refusal.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use divelog_engine::AnyOptions;
use divelog_ledger::{ForkPoint, GameId, NewGame, Position, Secret, Sequence, Stamp, convert};
use divelog_proto::v1 as pb;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::claims::Claim;
use super::commit::{Creation, Ticket};
use super::fork::ForkRequest;
use super::games::Games;
use super::live::{LiveGame, append_of, not_queued};
use super::prepare::Prepared;
#[cfg(test)]
use super::simulation::{Defect, planted};
use super::step::Step;
use super::{Error, Refused};
use crate::store::{self, NewGameData};

/// Creations that may be under way or wait for their turn: they go on when their callers have gone, so calls do not bound
/// them. A request has passed the limits of its fields, at most some 16 KiB, so these are some 64 MiB.
const MAX_CREATIONS: usize = 4_096;

/// Creations and forks that are worked on at once: the rest waits, and callers take turns, so that a flood of them leaves the
/// thread that serves calls, and the turns of everybody else, alone.
pub(super) const MAX_AT_ONCE: usize = 16;

/// How many labels a game has at most.
pub const MAX_LABELS: usize = 16;

/// A game to be created, checked for size but not yet by the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateRequest {
    /// The options, which choose the kind.
    pub options: AnyOptions,
    /// The rules version; none for the newest.
    pub rules_version: Option<u16>,
    /// One entry per seat.
    pub players: Vec<pb::Player>,
    /// The creator's labels.
    pub labels: BTreeMap<String, String>,
    /// The request id; may be empty.
    pub request_id: String,
    /// What was promised of it; none for a game with a new id and secret.
    pub prepared: Option<Prepared>,
}

/// A request that makes a game.
#[derive(Clone, Debug, PartialEq)]
enum Request {
    Create(Box<CreateRequest>),
    Fork(ForkRequest),
}

type Answer = Result<Position, Error>;

/// Somebody who waits for a creation.
struct Waiter {
    request: Request,
    reply: Reply,
}

/// Where the answer goes, and the room that its request takes until then.
struct Reply {
    sender: oneshot::Sender<Answer>,
    _room: OwnedSemaphorePermit,
}

impl Reply {
    fn send(self, answer: Answer) {
        // The caller may have gone away.
        drop(self.sender.send(answer));
    }
}

/// The creations under a request id that are under way, with those who wait for their turn in the order in which they came.
/// An id is in it as long as a task works on it.
pub(super) struct Creations {
    by_id: Mutex<HashMap<String, VecDeque<Waiter>>>,
    room: Arc<Semaphore>,
}

impl Default for Creations {
    fn default() -> Creations {
        Creations { by_id: Mutex::default(), room: Arc::new(Semaphore::new(MAX_CREATIONS)) }
    }
}

impl Creations {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, VecDeque<Waiter>>> {
        crate::lock::lock(&self.by_id)
    }

    /// Room for one more request, and where its answer will be.
    fn admit(&self) -> Result<(Reply, oneshot::Receiver<Answer>), Error> {
        let room = Arc::clone(&self.room).try_acquire_owned();
        let room = room.map_err(|_| Error::Busy("as many creations are under way as this server takes"))?;
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

/// Frees an id whose work was cut off by a panic or by the runtime's end: nobody must wait for it for ever. Work that has
/// ended as it should has freed it already, and the id may be somebody else's by now.
struct FreeIfCutOff<'a> {
    creations: &'a Creations,
    request_id: &'a str,
    ended: bool,
}

impl Drop for FreeIfCutOff<'_> {
    fn drop(&mut self) {
        #[cfg(test)]
        if planted(Defect::CreationOfItsCaller) {
            return;
        }
        if !self.ended {
            self.creations.lock().remove(self.request_id);
        }
    }
}

/// What a game begins with.
pub(super) struct Plan {
    pub options: AnyOptions,
    pub rules_version: u16,
    pub players: Vec<pb::Player>,
    pub labels: BTreeMap<String, String>,
    pub request_id: String,
    pub fork: Option<ForkPoint>,
    /// How it was asked for.
    pub request: pb::CreationRequest,
}

impl Games {
    /// Creates a game. With a request id that made a game before, that game as it was then.
    pub async fn create(&self, request: CreateRequest) -> Answer {
        match request.request_id.is_empty() && request.prepared.is_none() {
            // Nothing is waited for before the record is on its way.
            true => {
                let _place = self.shared.creating.place(self.caller).await;
                self.create_new(plan(request), self.shared.runtime.new_id(), None).await
            }
            false => self.make(Request::Create(Box::new(request))).await,
        }
    }

    /// Makes a fork, or finds and completes the one that this request made before. Answers with the game as it was when
    /// it was complete.
    pub async fn fork(&self, request: ForkRequest) -> Answer {
        self.make(Request::Fork(request)).await
    }

    /// What a creation would say, without creating anything.
    pub async fn check_creation(&self, request: CreateRequest) -> Result<(), Error> {
        if let Some(prepared) = request.prepared {
            self.promised_secret(prepared).await?;
        }
        // Any luck serves: whether a set-up is allowed does not depend on it.
        new_position(plan(request), GameId([0; 16]), &Secret([0; 32]), self.shared.runtime.now_ms()).map(|_| ())
    }

    /// Has the request done by a task of its own, and waits for it.
    async fn make(&self, request: Request) -> Answer {
        let (reply, answer) = self.shared.creations.admit()?;
        let (games, request_id) = (self.clone(), request.request_id().to_owned());
        if request_id.is_empty() {
            self.shared.runtime.spawn(Box::pin(async move { reply.send(games.do_request(request).await) }));
        } else if self.shared.creations.join(&request_id, Waiter { request, reply }) {
            #[cfg(test)]
            if planted(Defect::CreationOfItsCaller) {
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
        let _place = self.shared.creating.place(self.caller).await;
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
                        self.create_new(plan(request), game_id, prepared).await
                    }
                }
            }
            Request::Fork(request) => self.do_fork(request).await,
        }
    }

    /// Writes record 0 of a game that was not there before.
    pub(super) async fn create_new(&self, plan: Plan, game_id: GameId, prepared: Option<Prepared>) -> Answer {
        let (secret, claim) = match prepared {
            None => (self.shared.runtime.random_secret().ok_or(Error::Busy("the system gives no random bytes"))?, None),
            Some(prepared) => {
                let (secret, claim) = self.keep_promise(prepared).await?;
                (secret, Some(claim))
            }
        };
        let request_id = plan.request_id.clone();
        let (step, record) = new_position(plan, game_id, &secret, self.shared.runtime.now_ms())?;
        let header = step.position.header();
        let creation = store::Creation {
            kind: step.position.kind() as u32,
            seats: step.position.game().seats().get(),
            request_id: request_id.clone(),
            labels: header.labels.clone().into_iter().collect(),
            fork_of: header.fork.as_ref().map(|fork| fork.game_id),
        };
        let requests =
            if request_id.is_empty() { HashMap::new() } else { HashMap::from([(request_id, Sequence::SETUP)]) };
        let new_game = NewGameData { creation, secret: secret.0 };
        let live = LiveGame::new(
            step.position.clone(),
            secret,
            requests,
            self.shared.reader.refusals(),
            self.shared.fan_out.clone(),
        );
        let (step, live) = (Arc::new(step), Arc::new(live));
        let (reply, written) = oneshot::channel();
        let ticket = Ticket::Create(Box::new(Creation { live, step: Arc::clone(&step), claim, reply }));
        let append = append_of(game_id, [0; 32], &step.position, record, Some(new_game), ticket);
        self.shared.appends.send(append).map_err(|refused| not_queued(refused).0)?;
        match written.await {
            Ok(result) => result.map(|step| step.position.clone()),
            Err(_) => Err(Error::ShuttingDown),
        }
    }

    /// The secret of a promised game, and the right to create it.
    async fn keep_promise(&self, prepared: Prepared) -> Result<(Secret, Claim), Error> {
        // Before it is looked for: whoever had the claim before has left the game where it is found, or made none.
        let claim = self.shared.promised.claim(prepared.game_id).await;
        Ok((self.promised_secret(prepared).await?, claim))
    }

    /// The secret of a promised game that is not there yet.
    async fn promised_secret(&self, prepared: Prepared) -> Result<Secret, Error> {
        let (reader, game_id) = (self.shared.reader.clone(), prepared.game_id);
        let look = move || Ok(reader.entry(game_id).map_err(Error::reading)?.is_some());
        let exists = self.shared.pools.play.run(self.caller, look).await?;
        match exists {
            // Also by another run of the server, which does not know the promise any more.
            true => Err(Error::AlreadyPrepared(game_id)),
            false => self.shared.promises.keep(&prepared),
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

fn plan(request: CreateRequest) -> Plan {
    let CreateRequest { options, rules_version, players, labels, request_id, prepared } = request;
    let asked = pb::CreationRequest {
        rules_version: rules_version.map_or(0, u32::from),
        prepared: prepared.is_some(),
        ..Default::default()
    };
    let rules_version = rules_version.unwrap_or_else(|| options.kind().rules_version());
    Plan { options, rules_version, players, labels, request_id, fork: None, request: asked }
}

fn new_position(plan: Plan, game_id: GameId, secret: &Secret, time_ms: u64) -> Result<(Step, bytes::Bytes), Error> {
    let Plan { options, rules_version, players, labels, request_id, fork, request } = plan;
    let request = (!request_id.is_empty()).then_some(request);
    let new = NewGame { game_id, rules_version, options, players, labels, fork, request };
    let stamp = Stamp { time_ms, request_id: &request_id };
    let advance = Position::create(new, secret, stamp).map_err(|violation| {
        let (revision, to_act, legal) = Default::default();
        Error::Refused(Box::new(Refused { violation, revision, to_act, legal }))
    })?;
    Ok(Step::fresh(advance, None))
}

/// Whether a game is what this request asks for.
fn matches(game: &Position, request: &CreateRequest) -> bool {
    let header = game.header();
    let as_asked = match &header.request {
        Some(asked) => {
            asked.rules_version == request.rules_version.map_or(0, u32::from)
                && asked.prepared == request.prepared.is_some()
        }
        // An older log does not say how it was asked for.
        None => request.rules_version.is_none_or(|version| version == header.rules_version),
    };
    as_asked
        && header.options == convert::options_to_proto(&request.options)
        && header.labels == request.labels
        && header.players == request.players
        && header.fork.is_none()
        && request.prepared.is_none_or(|prepared| {
            prepared.game_id == header.game_id && prepared.seed_commitment == header.seed_commitment
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use divelog_engine::deep_sea_adventure;

    fn waiter(seats: usize) -> (Waiter, oneshot::Receiver<Answer>) {
        let (reply, answer) = Creations::default().admit().unwrap();
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

    /// Callers who go away leave their creations behind: these are counted until they are answered.
    #[test]
    fn creations_whose_callers_have_gone_are_bounded() {
        let creations = Creations { room: Arc::new(Semaphore::new(2)), ..Creations::default() };
        let (one, gone) = creations.admit().unwrap();
        drop(gone);
        let _two = creations.admit().unwrap();
        assert!(matches!(creations.admit(), Err(Error::Busy(_))));
        one.send(Err(Error::ShuttingDown));
        assert!(creations.admit().is_ok());
    }

    /// "The newest rules" is the same request whatever they are called by now; an older log does not say how it was asked.
    #[test]
    fn a_repeated_request_for_the_newest_rules_is_found_after_an_upgrade() {
        let Request::Create(request) = waiter(3).0.request else { unreachable!("it creates") };
        let created = |asked: Option<pb::CreationRequest>| {
            let CreateRequest { options, players, labels, .. } = (*request).clone();
            let new = NewGame {
                game_id: GameId([1; 16]),
                rules_version: 1,
                options,
                players,
                labels,
                fork: None,
                request: asked,
            };
            let stamp = Stamp { time_ms: 1, request_id: "one" };
            Position::create(new, &Secret([2; 32]), stamp).unwrap().position
        };
        let asking = |rules_version| CreateRequest { rules_version, ..(*request).clone() };
        let asked = |rules_version| Some(pb::CreationRequest { rules_version, ..Default::default() });
        // By what was asked, what comes again, and whether it is the same.
        for (asked, again, same) in [
            (asked(0), None, true),
            (asked(0), Some(1), false),
            (asked(1), Some(1), true),
            (asked(1), None, false),
            (asked(1), Some(2), false),
            (None, None, true),
            (None, Some(1), true),
            (None, Some(2), false),
        ] {
            assert_eq!(matches(&created(asked.clone()), &asking(again)), same, "{asked:?} and then {again:?}");
        }
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
        // And work that is cut off frees the id, and tells those who wait.
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
