//! The connections to whichever server is there now.

use std::sync::Arc;
use std::time::Duration;

use divelog_proto::v1::admin_service_client::AdminServiceClient;
use divelog_proto::v1::audit_service_client::AuditServiceClient;
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_proto::v1::transparency_service_client::TransparencyServiceClient;
use tokio::sync::watch;
use tonic::transport::{Channel, Endpoint};

use crate::Dice;

const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Larger than any answer to this load.
const MAX_ANSWER: usize = 64 * 1024 * 1024;

/// Connections to one run of the server.
pub(super) type Connections = Arc<Vec<Channel>>;

/// Connects so many times.
pub(super) async fn connect(url: &str, count: usize) -> Result<Connections, String> {
    let mut channels = Vec::new();
    for _ in 0..count {
        let endpoint = Endpoint::from_shared(url.to_owned()).map_err(|error| error.to_string())?;
        let endpoint = endpoint.connect_timeout(CONNECT_LIMIT).tcp_nodelay(true);
        channels.push(endpoint.connect().await.map_err(|error| format!("cannot connect to the server: {error}"))?);
    }
    Ok(Arc::new(channels))
}

/// How clients reach the server.
#[derive(Clone)]
pub(super) struct Link {
    pub current: watch::Receiver<Option<Connections>>,
}

impl Link {
    /// A connection, once there is a server; none when there will be no more.
    pub async fn channel(&mut self, dice: &mut Dice) -> Option<Channel> {
        let connections = self.current.wait_for(Option::is_some).await.ok()?.clone()?;
        Some(dice.pick(&connections).clone())
    }
}

pub(super) fn games(channel: Channel) -> GameServiceClient<Channel> {
    GameServiceClient::new(channel).max_decoding_message_size(MAX_ANSWER)
}

pub(super) fn audit(channel: Channel) -> AuditServiceClient<Channel> {
    AuditServiceClient::new(channel).max_decoding_message_size(MAX_ANSWER)
}

pub(super) fn admin(channel: Channel) -> AdminServiceClient<Channel> {
    AdminServiceClient::new(channel).max_decoding_message_size(MAX_ANSWER)
}

pub(super) fn transparency(channel: Channel) -> TransparencyServiceClient<Channel> {
    TransparencyServiceClient::new(channel).max_decoding_message_size(MAX_ANSWER)
}
