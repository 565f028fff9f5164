//! `AdminService`.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use divelog_proto::v1 as pb;
use divelog_proto::v1::admin_service_server::AdminService;
use pb::backup_response::Message;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tonic::{Request, Response, Status};

use super::call::Call;
use super::pull::{Cursor, Pulled, pulled};
use crate::session::{Error, Games};
use crate::store::{RawBlock, Store};
use crate::transparency::Transparency;

/// Backups that may be under way at once: each keeps the disk busy.
const MAX_BACKUPS: usize = 2;
/// Bytes that are read ahead of a client at most, give or take a block.
const CHUNK_BYTES: usize = 1024 * 1024;
/// What a block takes beside its bytes: a gap of blocks that are not there is bounded too.
const BLOCK_OVERHEAD_BYTES: usize = 128;

/// The handlers of `AdminService`.
#[derive(Clone)]
pub struct AdminHandlers {
    games: Games,
    transparency: Transparency,
    draining: watch::Receiver<bool>,
    backups: Arc<Semaphore>,
}

impl AdminHandlers {
    /// Handlers on these games and their transparency log.
    pub fn new(games: Games, transparency: Transparency, draining: watch::Receiver<bool>) -> AdminHandlers {
        AdminHandlers { games, transparency, draining, backups: Arc::new(Semaphore::new(MAX_BACKUPS)) }
    }
}

#[tonic::async_trait]
impl AdminService for AdminHandlers {
    type BackupStream = Pulled<pb::BackupResponse>;

    async fn backup(&self, request: Request<pb::BackupRequest>) -> Result<Response<Self::BackupStream>, Status> {
        let (call, pb::BackupRequest { from_block }) = Call::of(request)?;
        call.answer(async {
            let alone = Arc::clone(&self.backups).try_acquire_owned();
            let alone = alone.map_err(|_| Error::Busy("other backups are under way"))?;
            let store = self.games.store().clone();
            // Before the last block is fixed: a backup holds everything that its checkpoint covers.
            let checkpoint = self.transparency.newest().map(|signed| signed.note.clone()).unwrap_or_default();
            // As of now: what is appended from here on is for the next backup.
            let end_block = store.durable_block().map_or(0, |last| last.saturating_add(1));
            self.games.all_answered().await;
            if from_block > end_block {
                return Err(Error::invalid(
                    "from_block",
                    format!("the log has {end_block} blocks, so none from {from_block} on"),
                ));
            }
            let signing_key = self.transparency.signing_key().to_owned();
            let accepted = {
                let store = store.clone();
                self.games.blocking(move || store.accepted_block().map_err(Error::reading)).await?
            };
            let header = pb::BackupHeader { from_block, end_block, checkpoint, signing_key, accepted_block: accepted };
            let sending = Sending {
                games: self.games.clone(),
                store,
                draining: self.draining.clone(),
                next: from_block,
                end: end_block,
                read: VecDeque::new(),
                accepted,
                header: Some(header),
                _alone: alone,
            };
            Ok(pulled(call.clone(), sending))
        })
        .await
    }
}

/// A backup as its reader pulls it. It ends well only after the last block that its header announces: when the server is
/// stopped before that, the last thing is an error, however slow the reader.
struct Sending {
    games: Games,
    store: Store,
    draining: watch::Receiver<bool>,
    /// Sent first of all.
    header: Option<pb::BackupHeader>,
    /// Blocks that were read and not sent yet.
    read: VecDeque<pb::BackupBlock>,
    /// The first block that was not read yet.
    next: u64,
    end: u64,
    /// Blocks up to this one may be missing: that was accepted.
    accepted: Option<u64>,
    _alone: OwnedSemaphorePermit,
}

impl Cursor for Sending {
    type Message = pb::BackupResponse;

    async fn next(&mut self) -> Result<Option<pb::BackupResponse>, Error> {
        let message = match self.header.take() {
            Some(header) => Some(Message::Header(header)),
            None => self.next_block().await?.map(Message::Block),
        };
        Ok(message.map(|message| pb::BackupResponse { message: Some(message) }))
    }
}

impl Sending {
    async fn next_block(&mut self) -> Result<Option<pb::BackupBlock>, Error> {
        if self.read.is_empty() && self.next == self.end {
            return Ok(None);
        }
        if *self.draining.borrow() {
            return Err(Error::ShuttingDown);
        }
        if self.read.is_empty() {
            let (store, next, end, accepted) = (self.store.clone(), self.next, self.end, self.accepted);
            // A chunk at a time: nothing is read that the client has no room for.
            self.read = tokio::select! {
                chunk = self.games.blocking(move || read_chunk(&store, next, end, accepted)) => chunk?,
                _ = self.draining.wait_for(|draining| *draining) => return Err(Error::ShuttingDown),
            };
            self.next += self.read.len() as u64;
        }
        Ok(self.read.pop_front())
    }
}

fn read_chunk(store: &Store, from: u64, end: u64, accepted: Option<u64>) -> Result<VecDeque<pb::BackupBlock>, Error> {
    let mut chunk = VecDeque::new();
    let mut bytes = 0;
    for number in from..end {
        let block = match store.read_block(number) {
            Ok(Some(RawBlock { number, block, secrets })) => pb::BackupBlock { number, block, secrets },
            Ok(None) => {
                if accepted < Some(number) {
                    tracing::error!(block = number, "a block is missing; the backup goes on without it");
                }
                pb::BackupBlock { number, block: Bytes::new(), secrets: Bytes::new() }
            }
            Err(error) => return Err(Error::reading(error)),
        };
        bytes += block.block.len() + block.secrets.len() + BLOCK_OVERHEAD_BYTES;
        chunk.push_back(block);
        if bytes >= CHUNK_BYTES {
            break;
        }
    }
    Ok(chunk)
}
