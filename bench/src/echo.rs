//! The echo server: what gRPC itself costs here.
//!
//! Two echoes share one process. The plain one sends 100 bytes back: nothing simpler can be served. The typed one speaks
//! divelog's own API with canned answers of the real size, so that the difference between it and divelogd is rules and
//! durability, and the difference between the two echoes is the messages. The typed one is what divelogd is compared with: it bears
//! the same load.

use std::{
    io::Write,
    pin::Pin,
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;
use divelog_proto::{
    games::deep_sea_adventure::v1 as dsa,
    v1::{
        self,
        game_service_server::{GameService, GameServiceServer},
    },
};
use tokio_stream::{Stream, StreamExt};
use tonic::{
    Request, Response, Status, Streaming,
    transport::{Server, server::TcpIncoming},
};

use crate::{
    args::EchoArgs,
    echo_proto::{
        EchoRequest, EchoResponse, EchoStreamRequest, EchoStreamResponse,
        echo_service_server::{EchoService, EchoServiceServer},
    },
    load::SEATS,
};

/// Where a canned move goes: a space, so that a search follows as in most real turns.
const CANNED_SPACE: u32 = 5;
/// One of so many actions ends its game, as in the load on divelogd: there, too, games are created during the load.
const GAME_ACTIONS: u64 = 112;
/// A canned air, of the usual one byte.
const CANNED_AIR: i32 = 17;

/// Answers of a stream.
type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Serves both echoes until the process is ended. The first line on stdout says where.
pub async fn serve(args: &EchoArgs) -> Result<(), String> {
    let incoming = TcpIncoming::bind(args.listen)
        .map_err(|error| format!("cannot listen on {}: {error}", args.listen))?
        .with_nodelay(Some(true));
    let address = incoming.local_addr().map_err(|error| format!("cannot find out the address: {error}"))?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "listening on {address}")
        .and_then(|()| stdout.flush())
        .map_err(|error| format!("cannot print the address: {error}"))?;
    Server::builder()
        .add_service(EchoServiceServer::new(PlainEcho))
        .add_service(GameServiceServer::new(TypedEcho::default()))
        .serve_with_incoming(incoming)
        .await
        .map_err(|error| format!("the echo server failed: {error}"))
}

/// Sends bytes back.
struct PlainEcho;

#[tonic::async_trait]
impl EchoService for PlainEcho {
    type EchoStreamStream = Answers<EchoStreamResponse>;

    async fn echo(&self, request: Request<EchoRequest>) -> Result<Response<EchoResponse>, Status> {
        let payload = request.into_inner().payload;
        Ok(Response::new(EchoResponse { payload }))
    }

    async fn echo_stream(
        &self,
        request: Request<Streaming<EchoStreamRequest>>,
    ) -> Result<Response<Self::EchoStreamStream>, Status> {
        let answers =
            request.into_inner().map(|message| message.map(|message| EchoStreamResponse { payload: message.payload }));
        Ok(Response::new(Box::pin(answers)))
    }
}

/// Answers actions at once, without rules and without a log.
#[derive(Default)]
struct TypedEcho {
    revision: std::sync::Arc<AtomicU64>,
    games: AtomicU64,
}

/// An answer of the size that divelogd gives, built afresh for each call as divelogd must.
fn canned(revision: &AtomicU64, request: &v1::SubmitActionRequest) -> v1::SubmitActionResponse {
    use dsa::{action::Action, event::Event};
    let seat = request.seat;
    let action = request.action.as_ref().and_then(|action| action.action.as_ref());
    let dives = match action {
        Some(v1::game_action::Action::DeepSeaAdventure(action)) => matches!(action.action, Some(Action::Dive(_))),
        _ => false,
    };
    let (events, next) = if dives {
        let moved =
            dsa::Moved { seat, dice: Some(dsa::Dice { first: 2, second: 3 }), steps: 5, from: 0, to: CANNED_SPACE };
        (vec![game_event(Event::Moved(moved))], seat)
    } else {
        let next = (seat + 1) % SEATS;
        let turn = dsa::TurnStarted { seat: next, air_used: 1, air: CANNED_AIR };
        let left = Event::LeftSpace(dsa::LeftSpace { seat });
        (vec![game_event(left), game_event(Event::TurnStarted(turn))], next)
    };
    let revision = revision.fetch_add(1, Ordering::Relaxed) + 1;
    let over = revision.is_multiple_of(GAME_ACTIONS);
    let status = if over { v1::GameStatus::Finished } else { v1::GameStatus::Running };
    let mut hash = [0x5a; 32];
    hash[..8].copy_from_slice(&revision.to_be_bytes());
    v1::SubmitActionResponse {
        revision,
        record_hash: Bytes::copy_from_slice(&hash),
        time: Some(std::time::SystemTime::now().into()),
        events,
        status: status.into(),
        to_act: if over { Vec::new() } else { vec![next] },
    }
}

/// A new game of the size that divelogd gives.
fn canned_game(number: u64, request: v1::CreateGameRequest) -> v1::Game {
    let now = Some(std::time::SystemTime::now().into());
    v1::Game {
        game_id: format!("00000000-0000-7000-8000-{number:012x}"),
        kind: v1::GameKind::DeepSeaAdventure.into(),
        rules_version: 1,
        options: request.options,
        players: request.players.into_iter().map(|player| player.name).collect(),
        labels: request.labels,
        status: v1::GameStatus::Running.into(),
        revision: 1,
        head_hash: Bytes::copy_from_slice(&[0x5a; 32]),
        create_time: now,
        update_time: now,
        to_act: vec![0],
        seed_commitment: Bytes::copy_from_slice(&[0xa5; 32]),
        ..Default::default()
    }
}

/// Wraps an event as the API sends it.
fn game_event(event: dsa::event::Event) -> v1::GameEvent {
    v1::GameEvent { event: Some(v1::game_event::Event::DeepSeaAdventure(dsa::Event { event: Some(event) })) }
}

/// The refusal of everything that the load does not use.
fn not_served<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("the echo takes actions and new games only"))
}

#[tonic::async_trait]
impl GameService for TypedEcho {
    type SubmitActionsStream = Answers<v1::SubmitActionsResponse>;
    type WatchGameStream = Answers<divelog_proto::encoded::WatchGameResponse>;

    async fn submit_action(
        &self,
        request: Request<v1::SubmitActionRequest>,
    ) -> Result<Response<v1::SubmitActionResponse>, Status> {
        Ok(Response::new(canned(&self.revision, request.get_ref())))
    }

    async fn submit_actions(
        &self,
        request: Request<Streaming<v1::SubmitActionsRequest>>,
    ) -> Result<Response<Self::SubmitActionsStream>, Status> {
        let revision = self.revision.clone();
        let answers = request.into_inner().map(move |message| {
            let message = message?;
            let action = message.action.ok_or_else(|| Status::invalid_argument("a request without an action"))?;
            let done = canned(&revision, &action);
            Ok(v1::SubmitActionsResponse {
                tag: message.tag,
                result: Some(v1::submit_actions_response::Result::Done(done)),
            })
        });
        Ok(Response::new(Box::pin(answers)))
    }

    async fn list_game_kinds(
        &self,
        _: Request<v1::ListGameKindsRequest>,
    ) -> Result<Response<v1::ListGameKindsResponse>, Status> {
        not_served()
    }

    async fn prepare_game(
        &self,
        _: Request<v1::PrepareGameRequest>,
    ) -> Result<Response<v1::PrepareGameResponse>, Status> {
        not_served()
    }

    async fn create_game(
        &self,
        request: Request<v1::CreateGameRequest>,
    ) -> Result<Response<v1::CreateGameResponse>, Status> {
        let number = self.games.fetch_add(1, Ordering::Relaxed);
        let game = Some(canned_game(number, request.into_inner()));
        Ok(Response::new(v1::CreateGameResponse { game }))
    }

    async fn get_game(&self, _: Request<v1::GetGameRequest>) -> Result<Response<v1::GetGameResponse>, Status> {
        not_served()
    }

    async fn list_games(&self, _: Request<v1::ListGamesRequest>) -> Result<Response<v1::ListGamesResponse>, Status> {
        not_served()
    }

    async fn list_legal_actions(
        &self,
        _: Request<v1::ListLegalActionsRequest>,
    ) -> Result<Response<v1::ListLegalActionsResponse>, Status> {
        not_served()
    }

    async fn watch_game(&self, _: Request<v1::WatchGameRequest>) -> Result<Response<Self::WatchGameStream>, Status> {
        not_served()
    }

    async fn abandon_game(
        &self,
        _: Request<v1::AbandonGameRequest>,
    ) -> Result<Response<v1::AbandonGameResponse>, Status> {
        not_served()
    }
}
