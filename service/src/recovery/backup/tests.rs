//! The client of a backup against a server that cannot give everything, or does not say so.

use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use divelog_proto::v1 as pb;
use divelog_proto::v1::admin_service_server::{AdminService, AdminServiceServer};
use pb::backup_response::Message;
use tokio::net::TcpListener;
use tokio_stream::Stream;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

use super::{Options, Taken, file, take};
use crate::recovery::{Progress, RecoveryError};

/// A server with these blocks; of an empty one it says that it cannot read it.
#[derive(Clone, Default)]
struct ScriptedServer {
    blocks: Arc<Mutex<Vec<Bytes>>>,
    /// Ends well before the last block.
    stops_early: Arc<Mutex<bool>>,
    asked: Arc<Mutex<Vec<u64>>>,
    /// Up to which block a loss was accepted.
    accepted: Arc<Mutex<Option<u64>>>,
}

type Messages = Vec<Result<pb::BackupResponse, Status>>;

#[tonic::async_trait]
impl AdminService for ScriptedServer {
    type BackupStream = Pin<Box<dyn Stream<Item = Result<pb::BackupResponse, Status>> + Send>>;

    async fn backup(&self, request: Request<pb::BackupRequest>) -> Result<Response<Self::BackupStream>, Status> {
        let from_block = request.into_inner().from_block;
        self.asked.lock().unwrap().push(from_block);
        let blocks = self.blocks.lock().unwrap().clone();
        let accepted_block = *self.accepted.lock().unwrap();
        let end_block = blocks.len() as u64;
        let header = pb::BackupHeader { from_block, end_block, accepted_block, ..Default::default() };
        let block = |(number, block)| Message::Block(pb::BackupBlock { number, block, secrets: Bytes::new() });
        let mut messages = vec![Message::Header(header)];
        messages.extend((0..).zip(blocks).skip(from_block as usize).map(block));
        if *self.stops_early.lock().unwrap() {
            messages.pop();
        }
        let messages: Messages =
            messages.into_iter().map(|message| Ok(pb::BackupResponse { message: Some(message) })).collect();
        Ok(Response::new(Box::pin(tokio_stream::iter(messages))))
    }
}

impl ScriptedServer {
    async fn serve(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let service = AdminServiceServer::new(self.clone());
        tokio::spawn(
            tonic::transport::Server::builder().add_service(service).serve_with_incoming(TcpIncoming::from(listener)),
        );
        url
    }

    fn has(&self, blocks: &[&'static str]) {
        *self.blocks.lock().unwrap() = blocks.iter().map(|block| Bytes::from_static(block.as_bytes())).collect();
    }
}

async fn taken(server: &str, to: &Path) -> Result<Taken, RecoveryError> {
    take(Options { server, to }, &Progress::hidden()).await
}

#[tokio::test]
async fn a_block_that_an_earlier_run_missed_is_asked_for_again_until_the_file_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("log.dlbackup");
    let scripted = ScriptedServer::default();
    let server = scripted.serve().await;
    scripted.has(&["zero", "", "two", "", "four"]);
    let run = taken(&server, &to).await.unwrap();
    assert_eq!((run.added, run.missing), (3, vec![1, 3]));

    // Nothing new, and nothing fixed: the file is as far from whole as before.
    let run = taken(&server, &to).await.unwrap();
    assert_eq!((run.added, run.missing), (0, vec![1, 3]));

    scripted.has(&["zero", "one", "two", "", "four", "five"]);
    let run = taken(&server, &to).await.unwrap();
    assert_eq!((run.added, run.missing), (2, vec![3]));

    scripted.has(&["zero", "one", "two", "three", "four", "five", "six"]);
    let run = taken(&server, &to).await.unwrap();
    assert_eq!((run.added, run.missing), (2, vec![]));
    let facts = file::inspect(&to, &Progress::hidden()).unwrap();
    assert!(facts.problem.is_none() && facts.end_block == 7, "{facts:?}");

    // From the first that is missing on, and no further back than needed.
    let run = taken(&server, &to).await.unwrap();
    assert_eq!((run.added, run.missing), (0, vec![]));
    assert_eq!(*scripted.asked.lock().unwrap(), [0, 1, 1, 3, 6]);
}

/// Otherwise a backup after `--accept-loss` would never be whole again, and would ask for everything since the loss each time.
#[tokio::test]
async fn blocks_whose_loss_was_accepted_are_not_asked_for_again() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("log.dlbackup");
    let scripted = ScriptedServer::default();
    let server = scripted.serve().await;
    scripted.has(&["zero", "", "two", "", "four"]);
    *scripted.accepted.lock().unwrap() = Some(1);
    let run = taken(&server, &to).await.unwrap();
    assert_eq!((run.added, run.missing, run.accepted), (3, vec![3], 1));
    *scripted.accepted.lock().unwrap() = Some(3);
    let run = taken(&server, &to).await.unwrap();
    assert_eq!((run.added, run.missing, run.accepted), (0, vec![], 2));
    assert!(file::inspect(&to, &Progress::hidden()).unwrap().problem.is_none());
    taken(&server, &to).await.unwrap();
    assert_eq!(*scripted.asked.lock().unwrap(), [0, 3, 4]);
}

#[tokio::test]
async fn another_servers_blocks_do_not_mend_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("log.dlbackup");
    let scripted = ScriptedServer::default();
    let server = scripted.serve().await;
    scripted.has(&["zero", "", "two"]);
    taken(&server, &to).await.unwrap();
    let before = std::fs::read(&to).unwrap();
    scripted.has(&["zero", "one", "of another server"]);
    let error = taken(&server, &to).await.unwrap_err().to_string();
    assert!(error.contains("another server"), "{error}");
    assert!(std::fs::read(&to).unwrap() == before, "the refused run has changed the file");
}

#[tokio::test]
async fn a_server_that_ends_before_its_last_block_is_noticed_and_the_file_stays_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("log.dlbackup");
    let scripted = ScriptedServer::default();
    let server = scripted.serve().await;
    scripted.has(&["zero", "one", "two"]);
    *scripted.stops_early.lock().unwrap() = true;
    let error = taken(&server, &to).await.unwrap_err().to_string();
    assert!(error.contains("broke off"), "{error}");
    assert!(!to.exists());
    *scripted.stops_early.lock().unwrap() = false;
    taken(&server, &to).await.unwrap();
    let before = std::fs::read(&to).unwrap();
    scripted.has(&["zero", "one", "two", "three", "four"]);
    *scripted.stops_early.lock().unwrap() = true;
    let error = taken(&server, &to).await.unwrap_err().to_string();
    assert!(error.contains("broke off"), "{error}");
    assert!(std::fs::read(&to).unwrap() == before, "the broken run is in the file");
}
