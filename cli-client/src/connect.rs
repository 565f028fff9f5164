//! The connection to the server: one channel, a deadline on every wait, and errors that say what happened.

use std::{error::Error, future::Future, time::Duration};

use divelog_proto::v1::{
    Game, GetGameRequest, GetGameResponse, Viewer, audit_service_client::AuditServiceClient,
    game_service_client::GameServiceClient, transparency_service_client::TransparencyServiceClient,
};
use tonic::{
    Request, Response, Status, Streaming,
    transport::{Channel, Endpoint},
};

use crate::{args::Global, errors::CliError, status::Refused};

/// Added to the client's own clock, so that the server's answer about its deadline arrives first: it says more.
const GRACE: Duration = Duration::from_millis(500);

/// The largest answer that is read: a bundle comes in one message.
const MAX_MESSAGE_BYTES: usize = 68 * 1024 * 1024;

/// A server that answers, or did so when this was made.
#[derive(Debug, Clone)]
pub struct Connection {
    channel: Channel,
    server: String,
    timeout: Duration,
}

impl Connection {
    /// Connects, within the timeout.
    pub async fn open(global: &Global) -> Result<Self, CliError> {
        let timeout = Duration::from_secs(global.timeout);
        let server = global.server.clone();
        let channel = endpoint(&server)?
            .connect_timeout(timeout)
            .connect()
            .await
            .map_err(|error| CliError::Unreachable { server: server.clone(), cause: root_cause(&error) })?;
        Ok(Self { channel, server, timeout })
    }

    /// The games.
    pub fn games(&self) -> GameServiceClient<Channel> {
        GameServiceClient::new(self.channel.clone())
    }

    /// The logs.
    pub fn audit(&self) -> AuditServiceClient<Channel> {
        AuditServiceClient::new(self.channel.clone()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// The transparency log.
    pub fn transparency(&self) -> TransparencyServiceClient<Channel> {
        TransparencyServiceClient::new(self.channel.clone()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// A unary request that carries its deadline.
    pub fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.set_timeout(self.timeout);
        request
    }

    /// Waits for the answer to a unary call, or for a stream to open.
    pub async fn answer<T>(&self, call: impl Future<Output = Result<Response<T>, Status>>) -> Result<T, CliError> {
        self.within(self.timeout + GRACE, call).await.map(Response::into_inner)
    }

    /// Waits for the next message of a stream that is expected to go on at once.
    pub async fn next<T>(&self, stream: &mut Streaming<T>) -> Result<Option<T>, CliError> {
        self.within(self.timeout, stream.message()).await
    }

    /// Waits for the next message of a stream that may be silent for so long.
    pub async fn next_within<T>(&self, silence: Duration, stream: &mut Streaming<T>) -> Result<Option<T>, CliError> {
        self.within(silence, stream.message()).await
    }

    async fn within<T>(&self, wait: Duration, work: impl Future<Output = Result<T, Status>>) -> Result<T, CliError> {
        match tokio::time::timeout(wait, work).await {
            Ok(result) => result.map_err(|status| CliError::Status(Box::new(Refused::from_status(&status)))),
            Err(_) => Err(CliError::Timeout { server: self.server.clone(), seconds: wait.as_secs() }),
        }
    }

    /// A game and its table: most commands need to know its kind and its players first.
    pub async fn get_game(&self, game_id: &str, viewer: Option<Viewer>) -> Result<GetGameResponse, CliError> {
        let request = self.request(GetGameRequest { game_id: game_id.to_owned(), viewer });
        self.answer(self.games().get_game(request)).await
    }

    /// A game without its table.
    pub async fn game(&self, game_id: &str) -> Result<Game, CliError> {
        required(self.get_game(game_id, None).await?.game, "it has no game")
    }
}

/// A field that the service promises to set.
pub fn required<T>(field: Option<T>, otherwise: &str) -> Result<T, CliError> {
    field.ok_or_else(|| CliError::Protocol(otherwise.to_owned()))
}

fn endpoint(server: &str) -> Result<Endpoint, CliError> {
    let usage =
        |message: String| CliError::usage_with(message, "--server takes an address such as http://127.0.0.1:7646");
    let (scheme, _) = server.split_once("://").ok_or_else(|| usage(format!("{server:?} is not a URL")))?;
    if scheme != "http" {
        return Err(usage(format!("this client cannot speak {scheme}, only http")));
    }
    Endpoint::from_shared(server.to_owned()).map_err(|error| usage(format!("{server:?} is not a URL: {error}")))
}

/// The innermost error: the outer ones say no more than "transport error".
fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        args::{Format, Lang, When},
        errors::Exit,
    };

    #[test]
    fn addresses_are_checked_before_dialling() {
        assert!(endpoint("http://127.0.0.1:1").is_ok());
        for bad in ["127.0.0.1:1", "https://h:1", "http://", "http://a b"] {
            assert_eq!(endpoint(bad).unwrap_err().exit(), Exit::Usage, "{bad}");
        }
    }

    #[tokio::test]
    async fn a_closed_port_is_unreachable() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let server = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let global = Global { server, output: Format::Table, timeout: 2, color: When::Never, lang: Lang::En };
        let error = Connection::open(&global).await.unwrap_err();
        assert_eq!(error.exit(), Exit::Unreachable);
        assert!(error.to_string().contains("refused"), "{error}");
    }
}
