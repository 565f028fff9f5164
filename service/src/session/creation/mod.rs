//! New games: of their own, as promised, or forked. Under a request id they are made by `turns`.

mod turns;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use divelog_engine::AnyOptions;
use divelog_ledger::{ForkPoint, GameId, NewGame, Position, Secret, Sequence, Stamp, convert};
use divelog_proto::v1 as pb;
use tokio::sync::oneshot;

use super::claims::Claim;
use super::commit::{Creation, Ticket, append_of, not_queued};
use super::fork::ForkRequest;
use super::games::{Games, answered_step, reply_once};
use super::live::LiveGame;
use super::prepare::Prepared;
use super::share::Permit;
use super::step::Step;
use super::{Error, Refused};
use crate::scheduler;
use crate::store::{self, NewGameData};
pub(super) use turns::Creations;
use turns::Request;

/// Creations that are worked on at once: the rest waits, and callers take turns, so that a flood of them leaves the
/// thread that serves calls, and the turns of everybody else, alone.
pub(super) const MAX_AT_ONCE: usize = 16;
/// Forks that are worked on at once.
pub(super) const MAX_FORKS_AT_ONCE: usize = 8;
/// How long the place of one rests then: 500 games a second. Each has a record, entries in two indexes and a leaf, which are
/// written together once a second: of 2,000 games that keeps both processors of a small machine busy for some 20 ms.
const REST: Duration = Duration::from_millis(32);

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

type Answer = Result<Position, Error>;

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
                let place = self.shared.creating.place(self.caller).await;
                let (games, (sender, done)) = (self.clone(), oneshot::channel());
                // By itself: whoever goes away does not give the place back before the record is written.
                self.shared.runtime.spawn(Box::pin(async move {
                    let id = games.shared.runtime.new_id();
                    drop(sender.send(games.create_new(plan(request), id, None, Some(place)).await));
                }));
                done.await.unwrap_or(Err(Error::ShuttingDown))
            }
            false => self.make(Request::Create(Box::new(request))).await,
        }
    }

    /// Gives a place among the creations back. While flows that ask for much are held back it rests first: what is written
    /// for thousands of games in a second keeps the disk from everybody else.
    fn leave(&self, place: Permit) {
        if scheduler::holds_back() {
            let rest = self.shared.runtime.pause(REST);
            self.shared.runtime.spawn(Box::pin(async move {
                rest.await;
                drop(place);
            }));
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

    /// Writes record 0 of a game that was not there before, in a place that it has or takes.
    pub(super) async fn create_new(
        &self,
        plan: Plan,
        game_id: GameId,
        prepared: Option<Prepared>,
        place: Option<Permit>,
    ) -> Answer {
        let (secret, claim) = match prepared {
            None => (self.shared.runtime.random_secret().ok_or(Error::Busy("the system gives no random bytes"))?, None),
            Some(prepared) => {
                let (secret, claim) = self.keep_promise(prepared).await?;
                (secret, Some(claim))
            }
        };
        // Only now: nobody keeps a place while waiting for what their own calls are before them.
        let place = match place {
            Some(place) => place,
            None => self.shared.creating.place(self.caller).await,
        };
        let answer = self.write_new(plan, game_id, secret, claim).await;
        self.leave(place);
        answer
    }

    async fn write_new(&self, plan: Plan, game_id: GameId, secret: Secret, claim: Option<Claim>) -> Answer {
        let request_id = plan.request_id.clone();
        let (step, record) = new_position(plan, game_id, &secret, self.shared.runtime.now_ms())?;
        let header = step.position.header();
        let creation = store::CreationFacts {
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
            None,
            secret,
            requests,
            self.shared.reader.refusals(),
            self.shared.fan_out.clone(),
        );
        let (step, live) = (Arc::new(step), Arc::new(live));
        let (reply, written) = reply_once();
        let ticket = Ticket::Create(Box::new(Creation { live, step: Arc::clone(&step), claim, reply }));
        let append = append_of(game_id, [0; 32], &step.position, record, Some(new_game), ticket);
        self.shared.appends.send(append).map_err(|refused| not_queued(refused).0)?;
        Ok(answered_step(written).await?.position.clone())
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
        && header.options == convert::options_to_proto(header.rules_version, &request.options)
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

    /// "The newest rules" is the same request whatever they are called by now; an older log does not say how it was asked.
    #[test]
    fn a_repeated_request_for_the_newest_rules_is_found_after_an_upgrade() {
        let request = CreateRequest {
            options: AnyOptions::DeepSeaAdventure(deep_sea_adventure::Options),
            rules_version: None,
            players: vec![pb::Player::default(); 3],
            labels: BTreeMap::new(),
            request_id: "one".to_owned(),
            prepared: None,
        };
        let created = |asked: Option<pb::CreationRequest>| {
            let CreateRequest { options, players, labels, .. } = request.clone();
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
        let asking = |rules_version| CreateRequest { rules_version, ..request.clone() };
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
}
