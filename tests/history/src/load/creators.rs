//! Clients who create games: plainly, repeatedly, several at once under one id, and as promised while others already act.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use divelog_client::Connection;
use divelog_engine::Kind;
use divelog_ledger::convert;
use divelog_proto::v1 as pb;

use super::Role;
use super::calls::{LIMIT, Patience, call};
use super::client::{Client, done_by_game, game_id};
use super::recorder::{Creation, Recorder};
use super::streams::Actions;
use super::tables::{Table, program};
use crate::history::{Create, Done, Outcome, Request, fingerprint};

/// How many creations a client remembers to repeat them.
const REMEMBERED: usize = 16;
/// How often a racer tries to act in a game that is only promised.
const RACER_TRIES: usize = 40;

/// Creates until the round is over.
pub(super) async fn create(mut client: Client) {
    let mut sent: VecDeque<pb::CreateGameRequest> = VecDeque::new();
    while client.connection().await.is_some() {
        let enough = client.shared.tables.open_count() >= client.shared.settings.tables;
        let (creators, racers) = (client.shared.settings.has(Role::Creators), client.shared.settings.has(Role::Racers));
        match client.choices.below(100) {
            0..30 if enough => client.pause(3, 20).await,
            45.. if !creators && (!racers || client.choices.percent(70)) => {
                let request = any_game(&mut client);
                create_once(&mut client, request, 0).await;
            }
            0..45 => {
                let request = any_game(&mut client);
                remember(&mut sent, &request);
                create_once(&mut client, request, if creators { 15 } else { 0 }).await;
            }
            45..60 => {
                let request = any_game(&mut client);
                remember(&mut sent, &request);
                create_several(&mut client, request).await;
            }
            60..75 => {
                if let Some(request) = sent.get(client.choices.below(sent.len())).cloned() {
                    let request = if client.choices.percent(30) { changed(request, &mut client) } else { request };
                    create_once(&mut client, request, 15).await;
                }
            }
            _ if !racers => {}
            _ => {
                if let Some(request) = promised(&mut client).await {
                    remember(&mut sent, &request);
                }
            }
        }
        client.pause(0, 30).await;
    }
}

fn remember(sent: &mut VecDeque<pb::CreateGameRequest>, request: &pb::CreateGameRequest) {
    if sent.len() >= REMEMBERED {
        sent.pop_front();
    }
    if !request.request_id.is_empty() {
        sent.push_back(request.clone());
    }
}

/// A game of any kind, mostly of the two that go fastest.
fn any_game(client: &mut Client) -> pb::CreateGameRequest {
    let kind = match client.choices.below(100) {
        0..50 => Kind::DeepSeaAdventure,
        50..80 => Kind::KeyLargo,
        _ => Kind::ALL[client.choices.below(Kind::ALL.len())],
    };
    let request_id = if client.choices.percent(90) { client.new_id().to_string() } else { String::new() };
    new_game(kind, request_id, client)
}

fn new_game(kind: Kind, request_id: String, client: &mut Client) -> pb::CreateGameRequest {
    let seats = client.choices.between((*kind.seats().start()).into(), (*kind.seats().end()).into());
    let label = format!("{}", client.choices.below(4));
    pb::CreateGameRequest {
        options: Some(convert::options_to_proto(kind.rules_version(), &kind.default_options())),
        players: (0..seats).map(|seat| pb::NewPlayer { name: format!("p{seat}"), ..Default::default() }).collect(),
        labels: BTreeMap::from([("load".to_owned(), label)]),
        request_id,
        ..Default::default()
    }
}

/// Another request with the same id: other labels, or a number of seats that no game has.
fn changed(mut request: pb::CreateGameRequest, client: &mut Client) -> pb::CreateGameRequest {
    if client.choices.percent(50) {
        request.players = vec![pb::NewPlayer::default(); 1];
    } else {
        request.labels.insert("changed".into(), format!("{}", client.choices.below(1000)));
    }
    request
}

/// Whether the rules allow it, as far as this load breaks them.
fn is_legal(request: &pb::CreateGameRequest) -> bool {
    request.players.len() > 1
}

async fn create_once(client: &mut Client, request: pb::CreateGameRequest, hasty_percent: u64) {
    let Some(connection) = client.connection().await else { return };
    let patience = Patience::draw(&mut client.choices, hasty_percent);
    let outcome = send(&client.shared.recorder, client.number, connection, request, patience, false).await;
    open_table(client, &outcome);
}

/// Opens the table of a new game, if more are wanted.
fn open_table(client: &Client, outcome: &Outcome) {
    let Outcome::Done(Done { game: Some(game), .. }) = outcome else { return };
    let table = Table::new(*game);
    if client.shared.tables.open_count() < client.shared.settings.tables {
        client.shared.tables.open(table);
    } else {
        client.shared.tables.remember(table);
    }
}

/// The same creation several times at once, and sometimes another with the same id among them.
async fn create_several(client: &mut Client, request: pb::CreateGameRequest) {
    let mut calls = tokio::task::JoinSet::new();
    for place in 0..client.choices.between(2, 4) {
        let Some(connection) = client.connection().await else { break };
        let different = place > 0 && !request.request_id.is_empty() && client.choices.percent(30);
        let request = if different { changed(request.clone(), client) } else { request.clone() };
        let patience = Patience::draw(&mut client.choices, 20);
        let (recorder, number) = (Arc::clone(&client.shared.recorder), client.number);
        calls.spawn(async move { send(&recorder, number, connection, request, patience, false).await });
    }
    while let Some(outcome) = calls.join_next().await {
        open_table(client, &outcome.unwrap_or(Outcome::Hung { limit_ms: 0 }));
    }
}

/// Makes the call and notes it.
pub(super) async fn send(
    recorder: &Recorder,
    client: u32,
    connection: Connection,
    request: pb::CreateGameRequest,
    patience: Patience,
    quiet: bool,
) -> Outcome {
    let body = fingerprint(&pb::CreateGameRequest { request_id: String::new(), ..request.clone() });
    let asked = Request::Create(Create {
        request_id: request.request_id.as_str().into(),
        body,
        promised: request.prepared.as_ref().and_then(|prepared| game_id(&prepared.game_id)),
        lawful: is_legal(&request),
    });
    recorder.keep(body, || Creation::Create(Box::new(request.clone())));
    let invoked = recorder.invoke_write();
    let mut games = connection.games();
    let outcome = match call(patience, request, |request| games.create_game(request)).await {
        Ok(response) => Outcome::Done(response.game.as_ref().map(done_by_game).unwrap_or_default()),
        Err(outcome) => outcome,
    };
    recorder.answer(client, invoked, quiet, asked, outcome.clone());
    outcome
}

/// A promised game that others act in while it is being created.
async fn promised(client: &mut Client) -> Option<pb::CreateGameRequest> {
    let connection = client.connection().await?;
    let recorder = Arc::clone(&client.shared.recorder);
    let invoked = recorder.invoke_read();
    let mut games = connection.games();
    let prepared = call(Patience::Full(LIMIT), pb::PrepareGameRequest {}, |request| games.prepare_game(request)).await;
    let outcome = match &prepared {
        Ok(_) => Outcome::Done(Done::default()),
        Err(outcome) => outcome.clone(),
    };
    recorder.answer(client.number, invoked, false, Request::Other("PrepareGame"), outcome);
    let prepared = prepared.ok()?.prepared?;
    let table = Table::new(game_id(&prepared.game_id)?);
    let id = client.new_id().to_string();
    let request = pb::CreateGameRequest { prepared: Some(prepared), ..new_game(Kind::KeyLargo, id, client) };
    let mut racers = tokio::task::JoinSet::new();
    for racer in 0..client.choices.between(1, 3) as u32 {
        let connection = client.connection().await?;
        let number = client.number;
        let ids: Vec<Arc<str>> = (0..RACER_TRIES).map(|_| client.new_id()).collect();
        let actions: Vec<_> = ids.iter().map(|_| program(&mut client.choices)).collect();
        racers.spawn(race(Arc::clone(&recorder), number, connection, Arc::clone(&table), racer, ids, actions));
    }
    let outcome =
        send(&recorder, client.number, connection, request.clone(), Patience::draw(&mut client.choices, 10), false);
    let outcome = outcome.await;
    while racers.join_next().await.is_some() {}
    if matches!(outcome, Outcome::Done(_)) && client.shared.tables.open_count() < client.shared.settings.tables {
        client.shared.tables.open(table);
    }
    Some(request)
}

/// Sends programmes of a day to a game that may not be there yet, until it is.
async fn race(
    recorder: Arc<Recorder>,
    client: u32,
    connection: Connection,
    table: Arc<Table>,
    racer: u32,
    ids: Vec<Arc<str>>,
    actions: Vec<divelog_proto::games::key_largo::v1::Action>,
) {
    let Some(mut stream) = Actions::open(recorder, client, connection).await else { return };
    for (number, (id, action)) in ids.iter().zip(actions).enumerate() {
        let request = pb::SubmitActionRequest {
            game_id: table.name.clone(),
            seat: (racer + number as u32) % 3,
            action: Some(pb::GameAction { action: Some(pb::game_action::Action::KeyLargo(action)) }),
            request_id: id.to_string(),
            ..Default::default()
        };
        stream.send(request, &table);
        if stream.waiting() < 3 {
            continue;
        }
        match stream.answer().await {
            Some((_, Outcome::Refused(refused))) if &*refused.reason == "GAME_NOT_FOUND" => {}
            Some(_) => break,
            None => return,
        }
    }
    stream.close();
    while stream.answer().await.is_some() {}
}
