//! Lists: games by the store's index, refused requests of one game. And what the index needs to know of a record.

use std::collections::BTreeMap;

use divelog_engine::Kind;
use divelog_ledger::{GameId, Status};
use divelog_proto::v1 as pb;
use prost::Message;

use super::refusal;
use super::{Error, Games};
use crate::store::{self, Page};

/// How many index entries one ListGames looks at at most, so that a rare filter cannot occupy the server.
const LIST_SCAN: usize = 10_000;

/// How many bytes the games of a page take at most; a page that would take more is cut short.
pub const MAX_PAGE_BYTES: usize = 256 * 1024;
/// What an entry takes on the wire at most, beside its labels, and what a label takes beside its key and its value.
const ENTRY_BYTES: usize = 256;
const LABEL_BYTES: usize = 8;

/// Which games a list shows.
#[derive(Clone, Debug, Default)]
pub struct ListFilter {
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only this status.
    pub status: Option<Status>,
    /// Only games with all these labels.
    pub labels: BTreeMap<String, String>,
}

impl ListFilter {
    fn wants(&self, entry: &store::GameEntry) -> bool {
        self.kind.is_none_or(|kind| kind as u32 == entry.kind)
            && self.status.is_none_or(|status| status == entry.status)
            && self.labels.iter().all(|(key, value)| entry.labels.iter().any(|(k, v)| k == key && v == value))
    }
}

/// What the store's index needs to know of a record.
pub fn describe(record: &[u8]) -> Result<store::RecordFacts, String> {
    let record = pb::Record::decode(record).map_err(|error| error.to_string())?;
    let creation = match record.body {
        Some(pb::record::Body::Setup(setup)) => Some(store::CreationFacts {
            kind: u32::try_from(setup.kind).unwrap_or_default(),
            seats: u8::try_from(setup.players.len()).unwrap_or(u8::MAX),
            request_id: record.request_id,
            labels: setup.labels.into_iter().collect(),
            fork_of: setup.fork.and_then(|fork| Some(GameId(fork.game_id[..].try_into().ok()?))),
        }),
        _ => None,
    };
    Ok(store::RecordFacts { time_ms: record.time_ms, creation })
}

/// As much of a page as it may have bytes; the next one goes on behind that.
fn cut_short(mut page: Page) -> Page {
    let mut bytes = 0;
    let fitting = page.entries.iter().take_while(|entry| {
        let labels = entry.labels.iter().map(|(key, value)| key.len() + value.len() + LABEL_BYTES);
        bytes += ENTRY_BYTES + labels.sum::<usize>();
        bytes <= MAX_PAGE_BYTES
    });
    let fitting = fitting.count();
    if fitting < page.entries.len() {
        page.entries.truncate(fitting);
        page.next = page.entries.last().map(|entry| entry.id);
    }
    page
}

impl Games {
    /// The games that pass a filter, newest first.
    pub async fn list(&self, before: Option<GameId>, page: usize, filter: ListFilter) -> Result<Page, Error> {
        let reader = self.shared.reader.clone();
        let read = move || reader.list(before, LIST_SCAN, |entry| filter.wants(entry), page).map_err(Error::reading);
        let page = cut_short(self.shared.pools.audit.run(self.caller, read).await?);
        self.all_answered().await;
        Ok(page)
    }

    /// The refused requests of a game, newest first, and what is known of others.
    pub async fn refusals(&self, id: GameId) -> Result<pb::ListRefusalsResponse, Error> {
        let reader = self.shared.reader.clone();
        let read = move || {
            reader.entry(id).map_err(Error::reading)?.ok_or(Error::NotFound(id))?;
            let kept = reader.list_refusals(id).map_err(Error::reading)?;
            Ok(refusal::listed(&kept))
        };
        self.shared.pools.audit.run(self.caller, read).await
    }
}
