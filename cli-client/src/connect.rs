//! The connection to the server that the flags name.

use std::time::Duration;

use divelog_client::{CallError, Endpoint};
use divelog_proto::v1::{Game, GetGameRequest, GetGameResponse, Viewer};

pub use divelog_client::Connection;

use crate::{args::Global, errors::CliError};

/// Connects, within the timeout.
pub async fn open(global: &Global) -> Result<Connection, CliError> {
    let endpoint: Endpoint = global.server.parse().map_err(CallError::Address)?;
    Ok(Connection::open(&endpoint, Duration::from_secs(global.timeout)).await?)
}

/// A game and its table: most commands need to know its kind and its players first.
pub async fn get_game(
    connection: &Connection,
    game_id: &str,
    viewer: Option<Viewer>,
) -> Result<GetGameResponse, CliError> {
    Ok(connection.call(GetGameRequest { game_id: game_id.to_owned(), viewer }).await?)
}

/// A game without its table.
pub async fn game(connection: &Connection, game_id: &str) -> Result<Game, CliError> {
    required(get_game(connection, game_id, None).await?.game, "it has no game")
}

/// A field that the service promises to set.
pub fn required<T>(field: Option<T>, otherwise: &str) -> Result<T, CliError> {
    field.ok_or_else(|| CliError::Protocol(otherwise.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{errors::Exit, test_server};

    async fn failure(server: &str) -> CliError {
        open(&Global { timeout: 2, ..test_server::global(server) }).await.unwrap_err()
    }

    #[tokio::test]
    async fn addresses_are_checked_before_connecting() {
        for bad in ["127.0.0.1", "https://h:1", "http://", "http://a b", ""] {
            assert_eq!(failure(bad).await.exit(), Exit::Usage, "{bad}");
        }
    }

    #[tokio::test]
    async fn a_closed_port_is_unreachable() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        for server in [address.to_string(), format!("http://{address}")] {
            let error = failure(&server).await;
            assert_eq!(error.exit(), Exit::Unreachable);
            let text = error.to_string();
            assert!(text.starts_with(&format!("cannot reach the server at {server}: ")), "{text}");
            assert!(text.contains("refused"), "{text}");
        }
    }
}
