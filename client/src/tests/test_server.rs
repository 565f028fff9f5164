//! A server that answers by script, on a port of its own.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use divelog_proto::v1::{
    game_service_server::{GameService, GameServiceServer},
    *,
};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::{Iter, wrappers::TcpListenerStream};
use tonic::{Request, Response, Status, Streaming, transport::Server};

type Stream<T> = Iter<std::vec::IntoIter<Result<T, Status>>>;

/// The answer to one call.
pub enum Answer {
    /// An empty message, or a stream without any.
    Empty,
    /// An error.
    Error(Status),
    /// Nothing, ever.
    Silence,
}

/// One call that the server received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedCall {
    /// The method's name.
    pub method: &'static str,
    /// The request id, or nothing.
    pub request_id: String,
    /// Whether it carried a deadline.
    pub has_deadline: bool,
}

#[derive(Clone)]
struct Scripted {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    received: mpsc::UnboundedSender<ReceivedCall>,
}

/// A running server; it ends with the test's runtime.
pub struct TestServer {
    pub address: SocketAddr,
    /// The calls as they come.
    pub received: mpsc::UnboundedReceiver<ReceivedCall>,
}

impl TestServer {
    /// Starts a server that gives these answers, one a call.
    pub async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let (sender, received) = mpsc::unbounded_channel();
        let scripted = Scripted { answers: Arc::new(Mutex::new(answers.into_iter().collect())), received: sender };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server::builder().add_service(GameServiceServer::new(scripted));
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        Self { address, received }
    }

    /// All calls that have come, once no more are under way.
    pub fn all_received(&mut self) -> Vec<ReceivedCall> {
        std::iter::from_fn(|| self.received.try_recv().ok()).collect()
    }
}

impl Scripted {
    async fn answer<M, T: Default>(
        &self,
        method: &'static str,
        request: Request<M>,
        request_id: impl FnOnce(M) -> String,
    ) -> Result<Response<T>, Status> {
        let has_deadline = request.metadata().contains_key("grpc-timeout");
        let call = ReceivedCall { method, request_id: request_id(request.into_inner()), has_deadline };
        self.received.send(call).unwrap();
        let answer = self.answers.lock().unwrap().pop_front();
        match answer.expect("more calls than the script has answers") {
            Answer::Empty => Ok(Response::new(T::default())),
            Answer::Error(status) => Err(status),
            Answer::Silence => std::future::pending().await,
        }
    }
}

fn none<M>(_: M) -> String {
    String::new()
}

type Answered<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl GameService for Scripted {
    type SubmitActionsStream = Stream<SubmitActionsResponse>;
    type WatchGameStream = Stream<divelog_proto::encoded::WatchGameResponse>;

    async fn list_game_kinds(&self, request: Request<ListGameKindsRequest>) -> Answered<ListGameKindsResponse> {
        self.answer("ListGameKinds", request, none).await
    }

    async fn prepare_game(&self, request: Request<PrepareGameRequest>) -> Answered<PrepareGameResponse> {
        self.answer("PrepareGame", request, none).await
    }

    async fn create_game(&self, request: Request<CreateGameRequest>) -> Answered<CreateGameResponse> {
        self.answer("CreateGame", request, |message| message.request_id).await
    }

    async fn get_game(&self, request: Request<GetGameRequest>) -> Answered<GetGameResponse> {
        self.answer("GetGame", request, none).await
    }

    async fn list_games(&self, request: Request<ListGamesRequest>) -> Answered<ListGamesResponse> {
        self.answer("ListGames", request, none).await
    }

    async fn list_legal_actions(
        &self,
        request: Request<ListLegalActionsRequest>,
    ) -> Answered<ListLegalActionsResponse> {
        self.answer("ListLegalActions", request, none).await
    }

    async fn submit_action(&self, request: Request<SubmitActionRequest>) -> Answered<SubmitActionResponse> {
        self.answer("SubmitAction", request, |message| message.request_id).await
    }

    async fn submit_actions(
        &self,
        request: Request<Streaming<SubmitActionsRequest>>,
    ) -> Answered<Self::SubmitActionsStream> {
        let opened: Answered<()> = self.answer("SubmitActions", request, none).await;
        opened.map(|_| Response::new(tokio_stream::iter(Vec::new())))
    }

    async fn watch_game(&self, request: Request<WatchGameRequest>) -> Answered<Self::WatchGameStream> {
        let opened: Answered<()> = self.answer("WatchGame", request, none).await;
        opened.map(|_| Response::new(tokio_stream::iter(Vec::new())))
    }

    async fn abandon_game(&self, request: Request<AbandonGameRequest>) -> Answered<AbandonGameResponse> {
        self.answer("AbandonGame", request, |message| message.request_id).await
    }
}
