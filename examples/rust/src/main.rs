//! A backend in small: it creates a game, plays it for all seats, and shows a spectator what happens, while the server may be
//! restarted under it at any moment.
//!
//! ```sh
//! cargo run --bin divelog-example -- 127.0.0.1:7646
//! ```

use std::{env, process::ExitCode, time::Duration};

use divelog_client::{CallError, Connection, Endpoint, Unary};
use divelog_proto::{games::deep_sea_adventure::v1 as dsa, v1 as pb};
use pb::watch_game_response::Message;
use tokio::time::sleep;
use uuid::Uuid;

/// How long one call may take, with the tries that the client library makes within it.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait before the next attempt, when the server cannot be reached.
const PAUSE: Duration = Duration::from_millis(500);
/// How often a watch without news says that it is alive, and after how long without any message it is given up.
const HEARTBEAT_SECONDS: u32 = 5;
const LONGEST_SILENCE: Duration = Duration::from_secs(20);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7646".to_owned());
    match run(&address).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(address: &str) -> Result<(), CallError> {
    let endpoint: Endpoint = address.parse()?;
    let server = Connection::open(&endpoint, TIMEOUT).await?;

    let game = create(&server).await?;
    println!("game {}", game.game_id);
    // One task acts and the other one watches, as two programs would.
    let (game, ()) = tokio::try_join!(play(&server, &game.game_id), follow(&server, &game.game_id))?;

    for (player, standing) in game.players.iter().zip(game.outcome.unwrap_or_default().standings) {
        println!("{player}: {} points, rank {}", standing.points, standing.rank);
    }
    Ok(())
}

/// Creates a game for two. If the answer is lost, the same request id finds the game that the first attempt has made.
async fn create(server: &Connection) -> Result<pb::Game, CallError> {
    let options = pb::game_options::Options::DeepSeaAdventure(dsa::Options {});
    let player = |name: &str| pb::NewPlayer { name: name.to_owned(), ..Default::default() };
    let request = pb::CreateGameRequest {
        options: Some(pb::GameOptions { options: Some(options) }),
        players: vec![player("ada"), player("grace")],
        request_id: Uuid::new_v4().to_string(),
        ..Default::default()
    };
    let response = until_answered(server, request).await?;
    // Absent only in answers to requests with `validate_only`.
    Ok(response.game.unwrap_or_default())
}

/// Plays until nobody is asked to act any more; gives the game as it is then.
async fn play(server: &Connection, game_id: &str) -> Result<pb::Game, CallError> {
    loop {
        let request = pb::GetGameRequest { game_id: game_id.to_owned(), viewer: None };
        let game = until_answered(server, request).await?.game.unwrap_or_default();
        let Some(&seat) = game.to_act.first() else { return Ok(game) };

        let request = pb::ListLegalActionsRequest { game_id: game_id.to_owned(), seat };
        let legal = until_answered(server, request).await?;
        let request = pb::SubmitActionRequest {
            game_id: game_id.to_owned(),
            seat,
            action: choose(&legal.legal_actions),
            // Only if nobody has acted since we looked.
            expected_revision: Some(legal.revision),
            // One id for one decision: however often it is sent, it is done once.
            request_id: Uuid::new_v4().to_string(),
            ..Default::default()
        };
        match until_answered(server, request).await {
            Ok(_) => {}
            // Somebody has acted: look again, and decide again.
            Err(CallError::Status(details)) if details.reason.as_deref() == Some("STALE_REVISION") => {}
            Err(error) => return Err(error),
        }
    }
}

/// Picks up whatever there is and goes home with it; otherwise the first action that is legal.
fn choose(legal: &[pb::LegalAction]) -> Option<pb::GameAction> {
    use dsa::action::Action::{Dive, PickUp};

    let mut actions = legal.iter().filter_map(|entry| match &entry.legal_action {
        Some(pb::legal_action::LegalAction::DeepSeaAdventure(entry)) => entry.action,
        _ => None,
    });
    let wanted = |action: &dsa::Action| match action.action {
        Some(PickUp(_)) => true,
        Some(Dive(dive)) => dive.turn_back,
        _ => false,
    };
    let first = actions.clone().next();
    let action = actions.find(wanted).or(first)?;
    Some(pb::GameAction { action: Some(pb::game_action::Action::DeepSeaAdventure(action)) })
}

/// Shows every record of a game once and in order, from the first to the last, however often the connection breaks.
async fn follow(server: &Connection, game_id: &str) -> Result<(), CallError> {
    // A program that may be restarted itself stores this number with what it has made of the records.
    let mut seen = 0;
    loop {
        match watch(server, game_id, &mut seen).await {
            Ok(true) => return Ok(()),
            Ok(false) => eprintln!("the server stops: the watch goes on after revision {seen}"),
            Err(error) if error.is_passing() => eprintln!("{error}: the watch goes on after revision {seen}"),
            Err(error) => return Err(error),
        }
        sleep(PAUSE).await;
    }
}

/// One watch, which begins after the last revision that was seen. Whether the game is over.
async fn watch(server: &Connection, game_id: &str, seen: &mut u64) -> Result<bool, CallError> {
    let request = pb::WatchGameRequest {
        game_id: game_id.to_owned(),
        // A spectator. A player's watch names the seat: everybody gets what they may see, and nothing else.
        viewer: None,
        after_revision: Some(*seen),
        heartbeat_seconds: HEARTBEAT_SECONDS,
        ..Default::default()
    };
    let mut stream = server.open_stream(request).await?;
    while let Some(response) = server.next_within(LONGEST_SILENCE, &mut stream).await? {
        match response.message {
            Some(Message::Update(update)) => {
                let who = update.seat.map_or("the table".to_owned(), |seat| format!("seat {seat}"));
                println!("revision {}: {who}, {} events", update.revision, update.events.len());
                *seen = update.revision;
            }
            Some(Message::End(end)) => return Ok(end.cause() == pb::watch_end::Cause::GameOver),
            // A sign of life. A table comes first only where the request has no `after_revision`.
            Some(Message::Heartbeat(_) | Message::Snapshot(_)) | None => {}
        }
    }
    Ok(false)
}

/// Makes a call until the server has answered it. The library tries some times within the timeout; a backend with a decision
/// to deliver goes on, because only an answer says what became of it. The request and its id stay the same.
async fn until_answered<M: Unary>(server: &Connection, request: M) -> Result<M::Response, CallError> {
    loop {
        match server.call(request.clone()).await {
            Err(error) if error.is_passing() => eprintln!("{error}: asked again"),
            result => return result,
        }
        sleep(PAUSE).await;
    }
}
