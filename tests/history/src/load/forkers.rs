//! Clients who fork games: several times at once, at any revision, under one id for different forks, and who give forks up
//! while they are being copied.

use std::collections::BTreeMap;
use std::sync::Arc;

use divelog_client::Connection;
use divelog_ledger::GameId;
use divelog_proto::v1 as pb;

use super::calls::{LIMIT, Patience, call};
use super::client::{Client, done_by_game, game_id};
use super::players;
use super::recorder::{Creation, Recorder};
use super::tables::Table;
use crate::history::{Done, Fork, Outcome, Request, fingerprint};

/// How often a client looks for a fork that is being made.
const MAX_LOOKUPS: usize = 12;

/// Forks until the round is over.
pub(super) async fn fork(mut client: Client) {
    let mut last: Option<pb::ForkGameRequest> = None;
    while client.connection().await.is_some() {
        let Some(source) = client.shared.tables.pick_any(&mut client.choices) else {
            client.pause(2, 10).await;
            continue;
        };
        client.refresh(&source).await;
        // Longer ones take longer to copy.
        let Some((revision, _)) = source.known().filter(|(revision, _)| *revision > 3 || client.choices.percent(20))
        else {
            continue;
        };
        let request = match last.take().filter(|_| client.choices.percent(20)) {
            Some(before) if client.choices.percent(70) => before,
            Some(before) => relabelled(before, &mut client),
            None => any_fork(&mut client, &source, revision),
        };
        if client.choices.percent(25) {
            give_up_while_copied(&mut client, request.clone()).await;
        } else {
            fork_several(&mut client, request.clone()).await;
        }
        last = Some(request).filter(|request| !request.request_id.is_empty());
        client.pause(0, 25).await;
    }
}

fn any_fork(client: &mut Client, source: &Table, revision: u64) -> pb::ForkGameRequest {
    let at_revision = if client.choices.percent(50) { 0 } else { client.choices.between(1, revision) };
    let label = ("fork".to_owned(), format!("{}", client.choices.below(1_000)));
    pb::ForkGameRequest {
        game_id: source.name.clone(),
        at_revision,
        same_seed: client.choices.percent(30),
        labels: BTreeMap::from([label]),
        request_id: if client.choices.percent(95) { client.new_id().to_string() } else { String::new() },
    }
}

/// Another fork under the same id.
fn relabelled(request: pb::ForkGameRequest, client: &mut Client) -> pb::ForkGameRequest {
    let label = ("fork".to_owned(), format!("other {}", client.choices.below(1_000)));
    pb::ForkGameRequest { labels: BTreeMap::from([label]), ..request }
}

/// The same fork from several clients at once, sometimes another under the same id among them.
async fn fork_several(client: &mut Client, request: pb::ForkGameRequest) {
    let count = if request.request_id.is_empty() { 1 } else { client.choices.between(1, 4) };
    let mut calls = tokio::task::JoinSet::new();
    for place in 0..count {
        let Some(connection) = client.connection().await else { break };
        let different = place > 0 && client.choices.percent(15);
        let request = if different { relabelled(request.clone(), client) } else { request.clone() };
        let patience = Patience::draw(&mut client.choices, 15);
        let (recorder, number) = (Arc::clone(&client.shared.recorder), client.number);
        calls.spawn(async move { send(&recorder, number, connection, request, patience, false).await });
    }
    while let Some(outcome) = calls.join_next().await {
        if let Ok(Outcome::Done(Done { game: Some(game), .. })) = outcome {
            client.shared.tables.remember(Table::new(game));
        }
    }
}

/// Makes the call and notes it.
pub(super) async fn send(
    recorder: &Recorder,
    client: u32,
    connection: Connection,
    request: pb::ForkGameRequest,
    patience: Patience,
    quiet: bool,
) -> Outcome {
    let body = fingerprint(&pb::ForkGameRequest { request_id: String::new(), ..request.clone() });
    let Some(source) = game_id(&request.game_id) else { return Outcome::Hung { limit_ms: 0 } };
    let (request_id, at_revision) = (request.request_id.as_str().into(), request.at_revision);
    let asked = Request::Fork(Fork { request_id, source, at_revision, body });
    recorder.keep(body, || Creation::Fork(request.clone()));
    let invoked = recorder.invoke_write();
    let mut audit = connection.audit();
    let outcome = match call(patience, request, |request| audit.fork_game(request)).await {
        Ok(response) => Outcome::Done(response.game.as_ref().map(done_by_game).unwrap_or_default()),
        Err(outcome) => outcome,
    };
    recorder.answer(client, invoked, quiet, asked, outcome.clone());
    outcome
}

/// Forks, and abandons the fork as soon as it can be seen.
async fn give_up_while_copied(client: &mut Client, request: pb::ForkGameRequest) {
    let Some(connection) = client.connection().await else { return };
    let (recorder, number) = (Arc::clone(&client.shared.recorder), client.number);
    let source = request.game_id.clone();
    let labels = request.labels.clone();
    let again = request.clone();
    let forking =
        tokio::spawn(async move { send(&recorder, number, connection, request, Patience::Full(LIMIT), false).await });
    if let Some(game) = find_fork(client, &source, labels).await {
        let table = Table::new(game);
        players::abandon(client, &table).await;
    }
    // Ends by itself, with the limit of a call.
    drop(forking.await);
    // A fork that was given up is not whole, however often it is asked for.
    if let Some(connection) = client.connection().await.filter(|_| !again.request_id.is_empty()) {
        let recorder = Arc::clone(&client.shared.recorder);
        send(&recorder, client.number, connection, again, Patience::Full(LIMIT), false).await;
    }
}

async fn find_fork(client: &mut Client, source: &str, labels: BTreeMap<String, String>) -> Option<GameId> {
    for _ in 0..MAX_LOOKUPS {
        let connection = client.connection().await?;
        let recorder = Arc::clone(&client.shared.recorder);
        let request = pb::ListGamesRequest { page_size: 8, labels: labels.clone(), ..Default::default() };
        let invoked = recorder.invoke_read();
        let mut games = connection.games();
        let listed = call(Patience::Full(LIMIT), request, |request| games.list_games(request)).await;
        let outcome = match &listed {
            Ok(_) => Outcome::Done(Done::default()),
            Err(outcome) => outcome.clone(),
        };
        recorder.answer(client.number, invoked, false, Request::Other("ListGames"), outcome);
        let found = listed.ok()?.games.into_iter().find(|game| game.fork_of == source);
        if let Some(found) = found {
            return game_id(&found.game_id);
        }
    }
    None
}
