//! Clients who play by single calls, look at what they play, and repeat themselves.

use std::collections::VecDeque;
use std::sync::Arc;

use divelog_client::Connection;
use divelog_engine::Kind;
use divelog_ledger::convert;
use divelog_proto::v1 as pb;

use super::calls::{LIMIT, Patience, call, hash};
use super::client::{Client, done_by_game, game_id, viewer_to_wire};
use super::recorder::Recorder;
use super::tables::{Table, opening};
use crate::history::{Abandon, Done, Operation, Outcome, Read, Request, fingerprint};

/// How many requests a player remembers to repeat them.
const REMEMBERED: usize = 32;
/// How many of a hundred calls have a tiny deadline or are dropped.
const HASTY_PERCENT: u64 = 6;

/// Plays until the round is over.
pub(super) async fn play(mut client: Client) {
    let mut sent: VecDeque<pb::SubmitActionRequest> = VecDeque::new();
    while client.connection().await.is_some() {
        let Some(table) = client.shared.tables.pick(&mut client.choices) else {
            client.pause(1, 5).await;
            continue;
        };
        match client.choices.below(100) {
            0..70 => {
                if let Some(request) = next_request(&mut client, &table).await {
                    if sent.len() >= REMEMBERED {
                        sent.pop_front();
                    }
                    sent.push_back(request.clone());
                    submit(&mut client, &table, request).await;
                }
            }
            70..78 => repeat(&mut client, &sent).await,
            78..86 => get_game(&mut client, &table).await,
            86..92 => list_legal(&mut client, &table).await,
            92..95 => dry_run(&mut client, &table).await,
            95..99 => guess(&mut client, &table).await,
            _ => {
                if client.choices.percent(15) {
                    abandon(&mut client, &table).await;
                }
            }
        }
    }
}

/// A move that should be legal, with a new id.
async fn next_request(client: &mut Client, table: &Arc<Table>) -> Option<pb::SubmitActionRequest> {
    client.refresh(table).await;
    let next = table.next_move(&mut client.choices)?;
    let expected_revision = match client.choices.below(10) {
        0..2 => Some(next.revision),
        2 => Some(next.revision.saturating_sub(client.choices.below(3) as u64)),
        _ => None,
    };
    let request_id = if client.choices.percent(97) { client.new_id().to_string() } else { String::new() };
    Some(pb::SubmitActionRequest {
        game_id: table.name.clone(),
        seat: next.seat,
        action: Some(next.action),
        expected_revision,
        request_id,
        validate_only: false,
    })
}

async fn submit(client: &mut Client, table: &Arc<Table>, request: pb::SubmitActionRequest) {
    table.sent();
    let outcome = send(client, request).await;
    table.answered();
    if !matches!(outcome, Some(Outcome::Done(_))) {
        table.mark_stale();
    }
}

async fn send(client: &mut Client, request: pb::SubmitActionRequest) -> Option<Outcome> {
    let connection = client.connection().await?;
    let patience = Patience::draw(&mut client.choices, HASTY_PERCENT);
    Some(if client.choices.percent(4) && !request.request_id.is_empty() {
        // The same request several times at once, one of them perhaps cut short.
        let other = client.connection().await?;
        let (one, two) = (
            client.act(connection, request.clone(), patience),
            client.act(other, request.clone(), Patience::Full(LIMIT)),
        );
        tokio::join!(one, two).1
    } else if client.choices.percent(2) && !request.request_id.is_empty() {
        // Another request with the same id at the same time.
        let other = client.connection().await?;
        let different = pb::SubmitActionRequest { seat: (request.seat + 1) % 3, ..request.clone() };
        let (one, two) = (client.act(connection, request, patience), client.act(other, different, patience));
        tokio::join!(one, two).0
    } else {
        client.act(connection, request, patience).await
    })
}

/// Something sent before, once more: as it was, or another request with the same id.
async fn repeat(client: &mut Client, sent: &VecDeque<pb::SubmitActionRequest>) {
    let Some(request) = sent.get(client.choices.below(sent.len())) else { return };
    if request.request_id.is_empty() {
        return;
    }
    let mut request = request.clone();
    if client.choices.percent(25) {
        request.seat = (request.seat + 1) % 3;
    }
    let Some(connection) = client.connection().await else { return };
    let patience = Patience::draw(&mut client.choices, HASTY_PERCENT);
    client.act(connection, request, patience).await;
}

/// An action without any look at the game.
async fn guess(client: &mut Client, table: &Arc<Table>) {
    let kind = *client.choices.pick(&[Kind::DeepSeaAdventure, Kind::KeyLargo]);
    let (seat, action) = opening(kind, 4, &mut client.choices);
    let request_id = client.new_id().to_string();
    let request = pb::SubmitActionRequest {
        game_id: table.name.clone(),
        seat,
        action: Some(action),
        request_id,
        ..Default::default()
    };
    let Some(connection) = client.connection().await else { return };
    let outcome = client.act(connection, request, Patience::Full(LIMIT)).await;
    if matches!(outcome, Outcome::Done(_)) {
        table.mark_stale();
    }
}

async fn get_game(client: &mut Client, table: &Arc<Table>) {
    let seats = table.known().map_or(2, |(_, seats)| seats);
    let viewer = client.viewer(seats);
    let Some(connection) = client.connection().await else { return };
    let recorder = Arc::clone(&client.shared.recorder);
    let request = pb::GetGameRequest { game_id: table.name.clone(), viewer: viewer_to_wire(viewer) };
    let invoked = recorder.invoke_read();
    let patience = Patience::draw(&mut client.choices, 1);
    let mut games = connection.games();
    let outcome = match call(patience, request, |request| games.get_game(request)).await {
        Ok(response) => {
            let game = response.game.as_ref().map(done_by_game).unwrap_or_default();
            Outcome::Done(Done { game: None, content: Some(fingerprint(&response)), ..game })
        }
        Err(outcome) => outcome,
    };
    recorder.answer(client.number, invoked, false, Request::Read(table.id, Read::Game(viewer)), outcome);
}

async fn list_legal(client: &mut Client, table: &Arc<Table>) {
    let seats = table.known().map_or(2, |(_, seats)| seats);
    let seat = client.choices.below(seats.into()) as u32;
    let Some(connection) = client.connection().await else { return };
    let recorder = Arc::clone(&client.shared.recorder);
    let request = pb::ListLegalActionsRequest { game_id: table.name.clone(), seat };
    let invoked = recorder.invoke_read();
    let mut games = connection.games();
    let outcome = match call(Patience::Full(LIMIT), request, |request| games.list_legal_actions(request)).await {
        Ok(response) => Outcome::Done(Done {
            revision: response.revision,
            content: Some(fingerprint(&response)),
            ..Done::default()
        }),
        Err(outcome) => outcome,
    };
    recorder.answer(client.number, invoked, false, Request::Read(table.id, Read::Legal(seat)), outcome);
}

async fn dry_run(client: &mut Client, table: &Arc<Table>) {
    let (seat, action) = opening(Kind::DeepSeaAdventure, 3, &mut client.choices);
    let Some(connection) = client.connection().await else { return };
    let recorder = Arc::clone(&client.shared.recorder);
    let request = pb::SubmitActionRequest {
        game_id: table.name.clone(),
        seat,
        action: Some(action),
        validate_only: true,
        request_id: client.new_id().to_string(),
        ..Default::default()
    };
    let invoked = recorder.invoke_read();
    let mut games = connection.games();
    let outcome = match call(Patience::Full(LIMIT), request, |request| games.submit_action(request)).await {
        Ok(response) => Outcome::Done(Done { revision: response.revision, ..Done::default() }),
        Err(outcome) => outcome,
    };
    recorder.answer(client.number, invoked, false, Request::Read(table.id, Read::DryRun), outcome);
}

/// Abandons a game.
pub(super) async fn abandon(client: &mut Client, table: &Arc<Table>) {
    let Some(connection) = client.connection().await else { return };
    let request_id = client.new_id();
    let abandon = Abandon { game: table.id, request_id, reason: "enough".into(), expected_revision: None };
    let patience = Patience::draw(&mut client.choices, HASTY_PERCENT);
    let recorder = Arc::clone(&client.shared.recorder);
    match send_abandon(&recorder, client.number, connection, abandon, patience, false).await {
        Outcome::Done(_) => table.set_over(),
        _ => table.mark_stale(),
    }
}

/// Makes the call and notes it.
pub(super) async fn send_abandon(
    recorder: &Recorder,
    client: u32,
    connection: Connection,
    abandon: Abandon,
    patience: Patience,
    quiet: bool,
) -> Outcome {
    let request = pb::AbandonGameRequest {
        game_id: abandon.game.to_string(),
        reason: abandon.reason.to_string(),
        expected_revision: abandon.expected_revision,
        request_id: abandon.request_id.to_string(),
    };
    let invoked = recorder.invoke_write();
    let mut games = connection.games();
    let outcome = match call(patience, request, |request| games.abandon_game(request)).await {
        Ok(response) => {
            let game = response.game.as_ref().map(done_by_game).unwrap_or_default();
            Outcome::Done(Done { game: None, ..game })
        }
        Err(outcome) => outcome,
    };
    recorder.answer(client, invoked, quiet, Request::Abandon(abandon), outcome.clone());
    outcome
}

/// Takes games from the list, whoever made them, and acts in them at once.
pub(super) async fn take_from_list(mut client: Client) {
    while let Some(connection) = client.connection().await {
        let request = pb::ListGamesRequest { page_size: client.choices.between(1, 6) as u32, ..Default::default() };
        let recorder = Arc::clone(&client.shared.recorder);
        let invoked = recorder.invoke_read();
        let mut games = connection.games();
        let listed = call(Patience::Full(LIMIT), request, |request| games.list_games(request)).await;
        let outcome = match &listed {
            Ok(_) => Outcome::Done(Done::default()),
            Err(outcome) => outcome.clone(),
        };
        recorder.answer(client.number, invoked, false, Request::Other("ListGames"), outcome);
        let listed = listed.map(|listed| listed.games).unwrap_or_default();
        let returned = recorder.tick();
        for game in &listed {
            let Some(id) = game_id(&game.game_id) else { continue };
            let done = Done { revision: game.revision, hash: hash(&game.head_hash), ..Done::default() };
            let (asked, outcome) = (Request::Read(id, Read::Listed), Outcome::Done(done));
            recorder.note(Operation { client: client.number, invoked, returned, quiet: false, asked, outcome });
        }
        for game in listed.iter().filter(|game| game.revision < 4) {
            let Some(kind) = convert::kind_from_proto(game.kind) else { continue };
            let (seat, action) = opening(kind, game.seat_count, &mut client.choices);
            let request = pb::SubmitActionRequest {
                game_id: game.game_id.clone(),
                seat,
                action: Some(action),
                request_id: client.new_id().to_string(),
                ..Default::default()
            };
            client.act(connection.clone(), request, Patience::Full(LIMIT)).await;
        }
        client.pause(0, 4).await;
    }
}
