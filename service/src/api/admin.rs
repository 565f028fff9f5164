//! `AdminService`.

use std::sync::Arc;

use bytes::Bytes;
use divelog_proto::v1 as pb;
use divelog_proto::v1::admin_service_server::AdminService;
use pb::backup_response::Message;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use super::errors;
use crate::session::{Error, Games};
use crate::store::{RawBlock, Store};
use crate::telemetry::rpc;
use crate::transparency::Transparency;

/// Backups that may be under way at once: each keeps the disk busy.
const MAX_BACKUPS: usize = 2;
/// Bytes that are read ahead of a client at most, give or take a block.
const CHUNK_BYTES: usize = 1024 * 1024;
/// Messages that wait for a slow connection before the reader waits.
const MESSAGES_AHEAD: usize = 4;

/// The handlers of `AdminService`.
#[derive(Clone)]
pub struct Admin {
    games: Games,
    transparency: Transparency,
    draining: watch::Receiver<bool>,
    backups: Arc<Semaphore>,
}

impl Admin {
    /// Handlers on these games and their transparency log.
    pub fn new(games: Games, transparency: Transparency, draining: watch::Receiver<bool>) -> Admin {
        Admin { games, transparency, draining, backups: Arc::new(Semaphore::new(MAX_BACKUPS)) }
    }
}

#[tonic::async_trait]
impl AdminService for Admin {
    type BackupStream = ReceiverStream<Result<pb::BackupResponse, Status>>;

    async fn backup(&self, request: Request<pb::BackupRequest>) -> Result<Response<Self::BackupStream>, Status> {
        let from_block = request.into_inner().from_block;
        rpc("Backup", "", async {
            let alone = Arc::clone(&self.backups).try_acquire_owned();
            let alone = alone.map_err(|_| Error::Busy("other backups are under way"))?;
            let store = self.games.store().clone();
            // Before the last block is fixed: a backup holds everything that its checkpoint covers.
            let checkpoint = self.transparency.newest().map(|signed| signed.note.clone()).unwrap_or_default();
            // As of now: what is appended from here on is for the next backup.
            let end_block = store.durable_block().map_or(0, |last| last.saturating_add(1));
            if from_block > end_block {
                return Err(Error::invalid(
                    "from_block",
                    format!("the log has {end_block} blocks, so none from {from_block} on"),
                ));
            }
            let signing_key = self.transparency.signing_key().to_owned();
            let header = pb::BackupHeader { from_block, end_block, checkpoint, signing_key };
            let (sender, receiver) = mpsc::channel(MESSAGES_AHEAD);
            let sending =
                Sending { games: self.games.clone(), store, sender, draining: self.draining.clone(), _alone: alone };
            tokio::spawn(sending.run(header));
            Ok((ReceiverStream::new(receiver), end_block))
        })
        .await
    }
}

/// A backup under way.
struct Sending {
    games: Games,
    store: Store,
    sender: mpsc::Sender<Result<pb::BackupResponse, Status>>,
    draining: watch::Receiver<bool>,
    _alone: OwnedSemaphorePermit,
}

impl Sending {
    async fn run(mut self, header: pb::BackupHeader) {
        let (mut next, end) = (header.from_block, header.end_block);
        if self.send(Ok(Message::Header(header))).await.is_err() {
            return;
        }
        while next < end {
            let store = self.store.clone();
            // A chunk at a time: no thread waits for the client, and nothing is read that the client has no room for.
            let chunk = match self.games.blocking(move || read_chunk(&store, next, end)).await {
                Ok(chunk) => chunk,
                Err(error) => {
                    let _told = self.send(Err(error)).await;
                    return;
                }
            };
            next += chunk.len() as u64;
            for block in chunk {
                if self.send(Ok(Message::Block(block))).await.is_err() {
                    return;
                }
            }
        }
    }

    /// An error: nobody listens any more, or the server goes down.
    async fn send(&mut self, message: Result<Message, Error>) -> Result<(), ()> {
        let message = match message {
            Ok(message) => Ok(pb::BackupResponse { message: Some(message) }),
            Err(error) => Err(errors::status(&error)),
        };
        let sent = tokio::select! {
            sent = self.sender.send(message) => sent.map_err(drop),
            _ = self.draining.wait_for(|draining| *draining) => Err(()),
        };
        if sent.is_err() && *self.draining.borrow() {
            // There is room unless the client has stopped reading; then it will see the connection's end.
            drop(self.sender.try_send(Err(errors::status(&Error::ShuttingDown))));
        }
        sent
    }
}

fn read_chunk(store: &Store, from: u64, end: u64) -> Result<Vec<pb::BackupBlock>, Error> {
    let mut chunk = Vec::new();
    let mut bytes = 0;
    for number in from..end {
        let block = match store.read_block(number) {
            Ok(Some(RawBlock { number, block, secrets })) => pb::BackupBlock { number, block, secrets },
            Ok(None) => {
                tracing::error!(block = number, "a block is missing; the backup goes on without it");
                pb::BackupBlock { number, block: Bytes::new(), secrets: Bytes::new() }
            }
            Err(error) => return Err(Error::reading(error)),
        };
        bytes += block.block.len() + block.secrets.len();
        chunk.push(block);
        if bytes >= CHUNK_BYTES {
            break;
        }
    }
    Ok(chunk)
}
