//! A server for tests that answers as a script says, on a port of its own.

mod evidence;

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use divelog_proto::encoded;
use divelog_proto::v1::{
    audit_service_server::AuditServiceServer,
    game_service_server::{GameService, GameServiceServer},
    transparency_service_server::TransparencyServiceServer,
    *,
};
use tokio::net::TcpListener;
use tokio_stream::{Iter, wrappers::TcpListenerStream};
use tonic::{Request, Response, Status, Streaming, transport::Server};

use crate::{
    args::{Format, Global, Lang, When},
    log_file::Log,
};

type Stream<T> = Iter<std::vec::IntoIter<Result<T, Status>>>;

/// What one call of WatchGame sends.
pub type WatchScript = Vec<Result<WatchGameResponse, Status>>;

/// The script, and what the server was asked.
#[derive(Default)]
pub struct Script {
    /// The game that GetGame gives.
    pub game: Game,
    /// What CreateGame answers.
    pub created: Option<CreateGameResponse>,
    /// The pages that ListGames gives, in order.
    pub pages: VecDeque<ListGamesResponse>,
    /// What each call of WatchGame sends, in order.
    pub watches: VecDeque<WatchScript>,
    /// What SubmitAction answers.
    pub submit: Option<Result<SubmitActionResponse, Status>>,
    /// What ListLegalActions answers.
    pub legal: Option<Result<ListLegalActionsResponse, Status>>,
    /// The seats for which it was asked.
    pub legal_asked: Vec<u32>,
    /// The requests that it received.
    pub submitted: Vec<SubmitActionRequest>,
    /// The revision after which each watch was asked for.
    pub watched_after: Vec<Option<u64>>,
    /// The sizes of the pages that were asked for.
    pub page_sizes: Vec<u32>,
    /// The logs that ReadLog gives, by game.
    pub logs: BTreeMap<String, Result<Log, Status>>,
    /// The bundles that ExportBundle gives, by game.
    pub bundles: BTreeMap<String, Bundle>,
    /// The steps that ReplayGame gives, by viewer's seat and revision.
    pub steps: BTreeMap<(u32, u64), ReplayGameResponse>,
    /// What ReplayGame gives instead, if anything.
    pub replay: Option<Vec<Result<ReplayGameResponse, Status>>>,
    /// What GetCheckpoint gives.
    pub checkpoint: GetCheckpointResponse,
    /// What GetInclusionProof gives.
    pub inclusion: Option<GetInclusionProofResponse>,
    /// What GetConsistencyProof gives.
    pub consistency: Vec<Bytes>,
}

/// A running server.
pub struct TestServer {
    address: SocketAddr,
    /// The script, to look at afterwards.
    pub script: Arc<Mutex<Script>>,
}

impl TestServer {
    /// Starts a server; it ends with the test's runtime.
    pub async fn start(script: Script) -> Self {
        let script = Arc::new(Mutex::new(script));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let service = GameServiceServer::new(Scripted(script.clone()));
        let audit = AuditServiceServer::new(Scripted(script.clone()));
        let transparency = TransparencyServiceServer::new(Scripted(script.clone()));
        let server = Server::builder().add_service(service).add_service(audit).add_service(transparency);
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        Self { address, script }
    }

    /// The flags that select this server.
    pub fn global(&self) -> Global {
        global(&format!("http://{}", self.address))
    }
}

/// The flags that select a server.
pub fn global(server: &str) -> Global {
    Global {
        server: server.to_owned(),
        output: Format::Table,
        timeout: 5,
        color: When::Never,
        lang: Lang::En,
        typed: Vec::new(),
    }
}

struct Scripted(Arc<Mutex<Script>>);

fn not_in_script<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("not in the script"))
}

#[tonic::async_trait]
impl GameService for Scripted {
    type SubmitActionsStream = Stream<SubmitActionsResponse>;
    type WatchGameStream = Stream<encoded::WatchGameResponse>;

    async fn get_game(&self, _: Request<GetGameRequest>) -> Result<Response<GetGameResponse>, Status> {
        let game = self.0.lock().unwrap().game.clone();
        Ok(Response::new(GetGameResponse { game: Some(game), view: None }))
    }

    async fn list_games(&self, request: Request<ListGamesRequest>) -> Result<Response<ListGamesResponse>, Status> {
        let mut script = self.0.lock().unwrap();
        script.page_sizes.push(request.into_inner().page_size);
        script.pages.pop_front().map(Response::new).ok_or_else(|| Status::internal("no more pages"))
    }

    async fn submit_action(
        &self,
        request: Request<SubmitActionRequest>,
    ) -> Result<Response<SubmitActionResponse>, Status> {
        let mut script = self.0.lock().unwrap();
        script.submitted.push(request.into_inner());
        script.submit.take().unwrap_or_else(|| Err(Status::internal("no answer left"))).map(Response::new)
    }

    async fn watch_game(&self, request: Request<WatchGameRequest>) -> Result<Response<Self::WatchGameStream>, Status> {
        let mut script = self.0.lock().unwrap();
        script.watched_after.push(request.into_inner().after_revision);
        let messages = script.watches.pop_front().ok_or_else(|| Status::not_found("no more watches"))?;
        let messages: Vec<_> = messages.into_iter().map(|message| message.map(Into::into)).collect();
        Ok(Response::new(tokio_stream::iter(messages)))
    }

    async fn list_game_kinds(
        &self,
        _: Request<ListGameKindsRequest>,
    ) -> Result<Response<ListGameKindsResponse>, Status> {
        not_in_script()
    }

    async fn prepare_game(&self, _: Request<PrepareGameRequest>) -> Result<Response<PrepareGameResponse>, Status> {
        not_in_script()
    }

    async fn create_game(&self, _: Request<CreateGameRequest>) -> Result<Response<CreateGameResponse>, Status> {
        self.0.lock().unwrap().created.clone().map_or_else(not_in_script, |created| Ok(Response::new(created)))
    }

    async fn list_legal_actions(
        &self,
        request: Request<ListLegalActionsRequest>,
    ) -> Result<Response<ListLegalActionsResponse>, Status> {
        let mut script = self.0.lock().unwrap();
        script.legal_asked.push(request.into_inner().seat);
        script.legal.clone().unwrap_or_else(|| Err(Status::internal("no answer left"))).map(Response::new)
    }

    async fn submit_actions(
        &self,
        _: Request<Streaming<SubmitActionsRequest>>,
    ) -> Result<Response<Self::SubmitActionsStream>, Status> {
        not_in_script()
    }

    async fn abandon_game(&self, _: Request<AbandonGameRequest>) -> Result<Response<AbandonGameResponse>, Status> {
        not_in_script()
    }
}
