//! The connections to whichever server is there now.

use std::sync::Arc;
use std::time::Duration;

use divelog_client::{CallError, Connection, Endpoint};
use tokio::sync::watch;

use crate::Choices;

const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Connections to one run of the server.
pub(super) type Connections = Arc<Vec<Connection>>;

/// Connects so many times.
pub(super) async fn connect(url: &str, count: usize) -> Result<Connections, String> {
    let connecting = async {
        let endpoint: Endpoint = url.parse()?;
        let mut connections = Vec::new();
        for _ in 0..count {
            connections.push(Connection::open(&endpoint, CONNECT_LIMIT).await?);
        }
        Ok(Arc::new(connections))
    };
    connecting.await.map_err(|error: CallError| error.to_string())
}

/// How clients reach the server.
#[derive(Clone)]
pub(super) struct Link {
    pub current: watch::Receiver<Option<Connections>>,
}

impl Link {
    /// A connection, once there is a server; none when there will be no more.
    pub async fn connection(&mut self, choices: &mut Choices) -> Option<Connection> {
        let connections = self.current.wait_for(Option::is_some).await.ok()?.clone()?;
        Some(choices.pick(&connections).clone())
    }
}
