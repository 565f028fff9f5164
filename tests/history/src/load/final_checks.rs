//! The end of a round: every request id once more, from a server that has nothing else to do, and every log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use divelog_client::Connection;
use divelog_ledger::GameId;
use divelog_proto::v1 as pb;
use prost::Message;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::calls::{LIMIT, Patience, QUIET_LIMIT, call, hash};
use super::client::{act, game_id, read_log};
use super::link::Link;
use super::recorder::{Creation, Recorder};
use super::{creators, forkers, players};
use crate::Choices;
use crate::history::{Abandon, Act, FinalLog, Fingerprint, Outcome, Request, ServerVerdict, StoredLog};

/// How many calls are made at once.
const AT_ONCE: usize = 24;
/// So many calls without an answer are enough to know.
const ENOUGH_HUNG: usize = 40;
/// How many acknowledged actions are repeated; all unclear ones are.
const ACKNOWLEDGED_REPEATED: usize = 1_500;
/// The number under which these calls are noted.
const CLIENT: u32 = u32::MAX;

/// Something to be repeated.
enum Again {
    Creation(Creation),
    Act(Act),
    Abandon(Abandon),
}

/// Repeats every creation, every unclear action and some acknowledged ones.
pub(super) async fn repeat_ids(recorder: &Arc<Recorder>, link: &mut Link, choices: &mut Choices) {
    let again = collect(recorder, choices);
    let (limit, mut calls) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
    let mut hung = 0;
    for again in again {
        let Ok(permit) = Arc::clone(&limit).acquire_owned().await else { return };
        while let Some(done) = calls.try_join_next() {
            hung += usize::from(matches!(done, Ok(Outcome::Hung { .. })));
        }
        if hung >= ENOUGH_HUNG {
            break;
        }
        let Some(connection) = link.connection(choices).await else { return };
        let recorder = Arc::clone(recorder);
        calls.spawn(async move {
            let _permit = permit;
            let patience = Patience::Full(QUIET_LIMIT);
            match again {
                Again::Creation(Creation::Create(request)) => {
                    creators::send(&recorder, CLIENT, connection, *request, patience, true).await
                }
                Again::Creation(Creation::Fork(request)) => {
                    forkers::send(&recorder, CLIENT, connection, request, patience, true).await
                }
                Again::Act(request) => match act_request(&request) {
                    Some(request) => act(&recorder, CLIENT, connection, request, patience, true).await,
                    None => Outcome::Hung { limit_ms: 0 },
                },
                Again::Abandon(abandon) => {
                    players::send_abandon(&recorder, CLIENT, connection, abandon, patience, true).await
                }
            }
        });
    }
    while calls.join_next().await.is_some() {}
}

fn collect(recorder: &Recorder, choices: &mut Choices) -> Vec<Again> {
    let mut creations: BTreeSet<(Arc<str>, Fingerprint)> = BTreeSet::new();
    let mut acknowledged: BTreeMap<(GameId, Arc<str>), Act> = BTreeMap::new();
    let mut unclear = BTreeMap::new();
    let mut abandonments = BTreeMap::new();
    recorder.with(|history| {
        for operation in &history.operations {
            if operation.asked.request_id().is_empty() {
                continue;
            }
            match &operation.asked {
                Request::Create(create) => drop(creations.insert((create.request_id.clone(), create.body))),
                Request::Fork(fork) => drop(creations.insert((fork.request_id.clone(), fork.body))),
                Request::Act(act) => {
                    let key = (act.game, act.request_id.clone());
                    match operation.outcome {
                        Outcome::Done(_) => drop(acknowledged.insert(key, act.clone())),
                        Outcome::Unclear(_) | Outcome::Hung { .. } => drop(unclear.insert(key, act.clone())),
                        Outcome::Refused(_) => {}
                    }
                }
                Request::Abandon(abandon) if !matches!(operation.outcome, Outcome::Refused(_)) => {
                    abandonments.insert((abandon.game, abandon.request_id.clone()), abandon.clone());
                }
                Request::Abandon(_) | Request::Read(..) | Request::Other(_) => {}
            }
        }
    });
    let mut again: Vec<Again> = creations
        .into_iter()
        .filter_map(|(id, body)| {
            let request_id = id.to_string();
            Some(Again::Creation(match recorder.creation(&body)? {
                Creation::Create(request) => {
                    Creation::Create(Box::new(pb::CreateGameRequest { request_id, ..*request }))
                }
                Creation::Fork(request) => Creation::Fork(pb::ForkGameRequest { request_id, ..request }),
            }))
        })
        .collect();
    again.extend(unclear.into_values().map(Again::Act));
    again.extend(abandonments.into_values().map(Again::Abandon));
    let mut acknowledged: Vec<Act> = acknowledged.into_values().collect();
    for _ in 0..ACKNOWLEDGED_REPEATED.min(acknowledged.len()) {
        let at = choices.below(acknowledged.len());
        let act = acknowledged.swap_remove(at);
        // Now and then another action under the same id.
        if choices.percent(5) {
            again.push(Again::Act(Act { seat: (act.seat + 1) % 3, ..act.clone() }));
        }
        again.push(Again::Act(act));
    }
    again
}

fn act_request(act: &Act) -> Option<pb::SubmitActionRequest> {
    Some(pb::SubmitActionRequest {
        game_id: act.game.to_string(),
        seat: act.seat,
        action: Some(pb::GameAction::decode(act.action.clone()).ok()?),
        expected_revision: act.expected_revision,
        request_id: act.request_id.to_string(),
        validate_only: false,
    })
}

/// Reads and verifies the log of every game that is listed, or that somebody has seen.
pub(super) async fn read_all(recorder: &Arc<Recorder>, link: &mut Link, choices: &mut Choices) {
    let mut games = told_of(recorder);
    if let Some(connection) = link.connection(choices).await {
        match list_all(connection).await {
            Ok(listed) => games.extend(listed),
            Err(mishap) => recorder.with(|history| history.mishaps.push(mishap)),
        }
    }
    let (limit, mut calls) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
    for game in games {
        let Ok(permit) = Arc::clone(&limit).acquire_owned().await else { return };
        let Some(connection) = link.connection(choices).await else { return };
        let recorder = Arc::clone(recorder);
        calls.spawn(async move {
            let log = read_one(connection, game).await;
            // What nobody has seen need not be there.
            if let Some(log) = log {
                recorder.with(|history| history.logs.push(log));
            }
            drop(permit);
        });
    }
    while calls.join_next().await.is_some() {}
}

/// Every game that an answer named.
fn told_of(recorder: &Recorder) -> BTreeSet<GameId> {
    recorder.with(|history| {
        let named = |operation: &crate::history::Operation| match &operation.outcome {
            Outcome::Done(done) => done.game.or(operation.asked.game()),
            _ => None,
        };
        history.operations.iter().filter_map(named).chain(history.watches.iter().map(|watch| watch.game)).collect()
    })
}

async fn list_all(connection: Connection) -> Result<BTreeSet<GameId>, String> {
    let mut all = BTreeSet::new();
    let mut page_token = String::new();
    loop {
        let request = pb::ListGamesRequest { page_size: 1_000, page_token, ..Default::default() };
        let mut games = connection.games();
        let page = call(Patience::Full(LIMIT), request, |request| games.list_games(request)).await;
        let page = page.map_err(|outcome| format!("the games cannot be listed: {outcome:?}"))?;
        all.extend(page.games.iter().filter_map(|game| game_id(&game.game_id)));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(all);
        }
    }
}

/// One log; none if there is no such game.
async fn read_one(connection: Connection, game: GameId) -> Option<FinalLog> {
    let read = match read_log(connection.clone(), &game.to_string(), LIMIT).await {
        Ok(log) => {
            let records = log.records.into_iter().zip(log.hashes);
            Ok(StoredLog {
                revision: log.revision,
                head_hash: hash(&log.head_hash).unwrap_or_default(),
                secret: hash(&log.secret).unwrap_or_default(),
                records: records.map(|(record, own)| (record, hash(&own).unwrap_or_default())).collect(),
            })
        }
        Err(Outcome::Refused(refused)) if &*refused.reason == "GAME_NOT_FOUND" => return None,
        Err(outcome) => Err(format!("{outcome:?}")),
    };
    let request = pb::VerifyGameRequest { game_id: game.to_string() };
    let mut audit = connection.audit();
    let verdict = match call(Patience::Full(LIMIT), request, |request| audit.verify_game(request)).await {
        Ok(verdict) => Ok(ServerVerdict {
            verified: verdict.verified,
            records: verdict.records_verified,
            failure: verdict.failure.map(|failure| failure.message).unwrap_or_default(),
        }),
        Err(outcome) => Err(format!("{outcome:?}")),
    };
    Some(FinalLog { game, read, verdict })
}
