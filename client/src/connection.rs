//! The connection to a server: one channel, a deadline on every wait, and calls that are made again where that is safe.

use std::{future::Future, time::Duration};

use backon::{ExponentialBuilder, Retryable};
use divelog_proto::v1::{
    admin_service_client::AdminServiceClient, audit_service_client::AuditServiceClient,
    game_service_client::GameServiceClient, transparency_service_client::TransparencyServiceClient,
};
use tokio::time::Instant;
use tonic::{
    Request, Response, Status, Streaming,
    transport::{Channel, Endpoint as Transport},
};

use crate::{CallError, Endpoint, ErrorDetails, ServerStream, Unary, retry};

/// Added to the client's own time limit, so that the server's error about the deadline arrives first: it says more.
const GRACE: Duration = Duration::from_millis(500);

/// The largest message that is read: a bundle is one message.
pub const MAX_MESSAGE_BYTES: usize = 68 * 1024 * 1024;

/// A server that answers, or did so when this was made. If the connection breaks, the next call makes a new one.
#[derive(Debug, Clone)]
pub struct Connection {
    channel: Channel,
    server: Endpoint,
    timeout: Duration,
    backoff: ExponentialBuilder,
}

impl Connection {
    /// Connects within the timeout, which is then each call's too. A failure is reported at once: a first connection fails
    /// for a wrong address more often than for a restart.
    pub async fn open(server: &Endpoint, timeout: Duration) -> Result<Self, CallError> {
        let transport = Transport::from(server.uri().clone()).connect_timeout(timeout);
        let channel = transport.connect().await.map_err(|error| CallError::unreachable(server, &error))?;
        Ok(Self { channel, server: server.clone(), timeout, backoff: retry::backoff() })
    }

    /// The same connection with another timeout for calls.
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    #[cfg(test)]
    pub(crate) fn with_backoff(self, backoff: ExponentialBuilder) -> Self {
        Self { backoff, ..self }
    }

    /// The underlying channel, for services that this crate does not know.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// The game service, called directly: each call is made once, and without a deadline.
    pub fn games(&self) -> GameServiceClient<Channel> {
        GameServiceClient::new(self.channel()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// The audit service, called directly.
    pub fn audit(&self) -> AuditServiceClient<Channel> {
        AuditServiceClient::new(self.channel()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// The transparency service, called directly.
    pub fn transparency(&self) -> TransparencyServiceClient<Channel> {
        TransparencyServiceClient::new(self.channel()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// The admin service, called directly.
    pub fn admin(&self) -> AdminServiceClient<Channel> {
        AdminServiceClient::new(self.channel()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Makes a call within the timeout, several times if that is safe and may help.
    pub async fn call<M: Unary>(&self, message: M) -> Result<M::Response, CallError> {
        let once = |left| {
            let mut request = Request::new(message.clone());
            request.set_timeout(left);
            self.within(left + GRACE, M::send(self, request))
        };
        self.repeat(message.may_repeat(), once).await.map(Response::into_inner)
    }

    /// Opens a stream of answers within the timeout. The stream has no deadline, as it may last for hours: [`Self::next`]
    /// and [`Self::next_within`] notice when it falls silent. Once it is open nothing is repeated.
    pub async fn open_stream<M: ServerStream>(&self, message: M) -> Result<Streaming<M::Response>, CallError> {
        let once = |left| self.within(left + GRACE, M::send(self, Request::new(message.clone())));
        self.repeat(message.may_repeat(), once).await.map(Response::into_inner)
    }

    /// Waits for the next message of a stream that is expected soon.
    pub async fn next<T>(&self, stream: &mut Streaming<T>) -> Result<Option<T>, CallError> {
        self.next_within(self.timeout, stream).await
    }

    /// Waits for the next message of a stream that may be silent for so long.
    pub async fn next_within<T>(&self, silence: Duration, stream: &mut Streaming<T>) -> Result<Option<T>, CallError> {
        self.within(silence, stream.message()).await
    }

    /// Tries until an answer comes, the error is permanent, or the time is up. `once` gets the time that is left.
    async fn repeat<T, F>(&self, may_repeat: bool, once: impl Fn(Duration) -> F) -> Result<T, CallError>
    where
        F: Future<Output = Result<T, CallError>>,
    {
        let deadline = Instant::now() + self.timeout;
        let left = || deadline.saturating_duration_since(Instant::now());
        (|| once(left()))
            .retry(self.backoff)
            .when(|error| may_repeat && status(error).is_some_and(retry::is_transient))
            .adjust(|error, backoff| retry::delay(status(error)?, backoff, left()))
            .await
    }

    async fn within<T>(&self, wait: Duration, work: impl Future<Output = Result<T, Status>>) -> Result<T, CallError> {
        match tokio::time::timeout(wait, work).await {
            Ok(result) => result.map_err(CallError::from),
            Err(_) => Err(CallError::NoAnswer { server: self.server.to_string(), waited: wait }),
        }
    }
}

fn status(error: &CallError) -> Option<&ErrorDetails> {
    match error {
        CallError::Status(details) => Some(details),
        _ => None,
    }
}
