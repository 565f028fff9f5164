//! The data that every attack starts with: a store with many games, and a long one that is over.

use std::{collections::BTreeMap, fs, io, net::SocketAddr, path::Path, time::Duration};

use divelog_proto::v1::game_service_client::GameServiceClient;
use tokio::task::JoinSet;
use tonic::{
    Status,
    transport::{Channel, Endpoint},
};

use super::long_game::LongGame;

/// How many games the store has beside the long one.
const GAMES: usize = 2_000;
/// How many of them are created at a time.
const AT_ONCE: usize = 64;
/// Labels of each game, of the largest size (docs/operating.md): a list of games is as large as it can be.
const LABELS: usize = 16;
/// The largest key or value of a label, in bytes.
const LABEL_BYTES: usize = 64;
/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Opens a connection.
pub async fn connect(address: SocketAddr) -> Result<Channel, String> {
    endpoint(address)?.connect().await.map_err(|error| format!("cannot connect to {address}: {error}"))
}

/// How connections to the server are opened.
pub fn endpoint(address: SocketAddr) -> Result<Endpoint, String> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"));
    Ok(endpoint.map_err(|error| format!("bad address {address}: {error}"))?.connect_timeout(CONNECT_TIMEOUT))
}

/// Fills an empty server, and returns the id of the game that is over.
pub async fn fill(address: SocketAddr) -> Result<String, String> {
    let client = GameServiceClient::new(connect(address).await?);
    let failed = |status: Status| format!("cannot fill the store: {status}");
    let mut creating: JoinSet<Result<(), Status>> = JoinSet::new();
    for number in 0..GAMES {
        if creating.len() >= AT_ONCE {
            joined(creating.join_next().await)?.map_err(failed)?;
        }
        let mut client = client.clone();
        let mut request = LongGame::create();
        request.labels = labels(number);
        creating.spawn(async move { client.create_game(request).await.map(drop) });
    }
    while !creating.is_empty() {
        joined(creating.join_next().await)?.map_err(failed)?;
    }
    play_to_the_end(client).await.map_err(failed)
}

/// The result of a task; a panic is an error.
fn joined<T>(task: Option<Result<T, tokio::task::JoinError>>) -> Result<T, String> {
    task.ok_or("no task")?.map_err(|error| format!("a task failed: {error}"))
}

/// Labels that differ from game to game.
fn labels(game: usize) -> BTreeMap<String, String> {
    (0..LABELS).map(|label| (format!("{label:0LABEL_BYTES$}"), format!("{game:0LABEL_BYTES$}"))).collect()
}

/// Plays one game to its end, and returns its id.
async fn play_to_the_end(mut client: GameServiceClient<Channel>) -> Result<String, Status> {
    let answer = client.create_game(LongGame::create()).await?.into_inner();
    let mut game = LongGame::created(answer).ok_or_else(|| Status::internal("a new game asks nobody"))?;
    while !game.is_over() {
        let answer = client.submit_action(game.request(String::new())).await?;
        game.follow_answer(answer.get_ref());
    }
    Ok(game.id().to_owned())
}

/// Copies a folder with all that is in it, onto the disk: what is still to be written would hold up whoever syncs next.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    copy_files(from, to)?;
    rustix::fs::sync();
    Ok(())
}

fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy_files(&from, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_copied_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("a/b")).expect("folders");
        fs::write(from.join("a/b/c"), "text").expect("a file");
        copy(&from, &to).expect("copied");
        assert_eq!(fs::read_to_string(to.join("a/b/c")).expect("the copy"), "text");
    }

    #[test]
    fn labels_are_as_many_and_as_large_as_they_may_be() {
        let labels = labels(7);
        assert_eq!(labels.len(), LABELS);
        assert!(labels.iter().all(|(key, value)| key.len() == LABEL_BYTES && value.len() == LABEL_BYTES));
    }
}
