//! A game's log as it is stored.

use std::vec;

use bytes::Bytes;
use divelog_ledger::{GameId, hash_record};
use divelog_proto::v1 as pb;
use pb::read_log_response::Message;
use tokio::sync::OwnedSemaphorePermit;

use super::shown_secret;
use crate::api::pull::Cursor;
use crate::session::Error;
use crate::store::{StoredGame, StoredRecord};

/// A log that is read: the header, then record by record.
pub(super) struct Log {
    header: Option<pb::LogHeader>,
    records: vec::IntoIter<StoredRecord>,
    _permit: OwnedSemaphorePermit,
}

impl Log {
    pub fn new(id: GameId, stored: StoredGame, include_secret: bool, permit: OwnedSemaphorePermit) -> Log {
        let header = log_header(id, &stored, include_secret);
        Log { header: Some(header), records: stored.records.into_iter(), _permit: permit }
    }
}

impl Cursor for Log {
    type Message = pb::ReadLogResponse;

    async fn next(&mut self) -> Result<Option<pb::ReadLogResponse>, Error> {
        let message = match self.header.take() {
            Some(header) => Some(Message::Header(header)),
            None => self.records.next().map(|StoredRecord { bytes, .. }| {
                let hash = Bytes::copy_from_slice(&hash_record(&bytes));
                Message::Record(pb::StoredRecord { record: bytes, hash })
            }),
        };
        Ok(message.map(|message| pb::ReadLogResponse { message: Some(message) }))
    }
}

fn log_header(id: GameId, stored: &StoredGame, include_secret: bool) -> pb::LogHeader {
    pb::LogHeader {
        game_id: id.to_string(),
        revision: stored.head.revision.get(),
        head_hash: Bytes::copy_from_slice(&stored.head.head_hash),
        secret: shown_secret(stored, include_secret).map(|secret| Bytes::copy_from_slice(&secret)).unwrap_or_default(),
    }
}
