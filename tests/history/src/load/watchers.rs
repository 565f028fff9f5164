//! Clients who watch games, fast and slowly, and go on where they were.

use std::sync::Arc;
use std::time::Duration;

use divelog_client::Connection;
use divelog_engine::Viewer;
use divelog_ledger::Hash;
use divelog_proto::v1 as pb;
use pb::watch_game_response::Message;

use super::calls::{LIMIT, hash, outcome_of};
use super::client::{Client, viewer_to_wire};
use super::tables::Table;
use crate::history::{Done, Outcome, Request, Seen, Watch, fingerprint};

/// How many messages one watch reads at most.
const MAX_MESSAGES: u64 = 400;

/// Watches until the round is over.
pub(super) async fn watch(mut client: Client) {
    while client.connection().await.is_some() {
        let Some(table) = client.shared.tables.pick_any(&mut client.choices) else {
            client.pause(1, 5).await;
            continue;
        };
        let (revision, seats) = table.known().unwrap_or((0, 2));
        let viewer = client.viewer(seats);
        let mut after = match client.choices.below(4) {
            0 => None,
            1 => Some(0),
            _ => Some(client.choices.between(0, revision)),
        };
        // The same watch in several parts, each going on where the last one ended.
        for _ in 0..client.choices.between(1, 4) {
            let Some(connection) = client.connection().await else { return };
            let Some(reached) = watch_once(&mut client, connection, &table, viewer, after).await else { break };
            after = Some(reached);
        }
    }
}

/// One watch; says how far it came, if it is worth to go on.
async fn watch_once(
    client: &mut Client,
    connection: Connection,
    table: &Arc<Table>,
    viewer: Viewer,
    after: Option<u64>,
) -> Option<u64> {
    let recorder = Arc::clone(&client.shared.recorder);
    let views = client.choices.percent(50);
    let request = pb::WatchGameRequest {
        game_id: table.name.clone(),
        viewer: viewer_to_wire(viewer),
        after_revision: after,
        include_views: views,
        heartbeat_seconds: 1,
    };
    let invoked = recorder.invoke_read();
    let answer = tokio::time::timeout(LIMIT, connection.games().watch_game(request)).await;
    let outcome = match &answer {
        Ok(Ok(_)) => Outcome::Done(Done::default()),
        Ok(Err(status)) => outcome_of(status),
        Err(_) => Outcome::Hung { limit_ms: LIMIT.as_millis() as u64 },
    };
    recorder.answer(client.number, invoked, false, Request::Other("WatchGame"), outcome);
    let mut messages = answer.ok()?.ok()?.into_inner();
    let mut watch =
        Watch { client: client.number, game: table.id, viewer, invoked, replay: false, after, views, seen: Vec::new() };
    let slow = client.choices.percent(25);
    let until = tokio::time::Instant::now() + Duration::from_millis(client.choices.between(5, 1_500));
    let most = client.choices.between(1, MAX_MESSAGES);
    let mut over = false;
    while (watch.seen.len() as u64) < most && !over && !recorder.is_closing() {
        let Ok(message) = tokio::time::timeout_at(until, messages.message()).await else { break };
        let Ok(Some(pb::WatchGameResponse { message: Some(message) })) = message else { break };
        over = matches!(&message, Message::End(end) if end.cause() == pb::watch_end::Cause::GameOver);
        watch.seen.extend(seen(&message).map(|seen| (recorder.tick(), seen)));
        if slow {
            client.pause(0, 30).await;
        }
    }
    let reached = watch.seen.last().map(|(_, seen)| match seen {
        Seen::Snapshot { revision, .. } | Seen::Update { revision, .. } | Seen::UpTo { revision } => *revision,
    });
    recorder.note_watch(watch);
    reached.filter(|_| !over)
}

fn seen(message: &Message) -> Option<Seen> {
    Some(match message {
        Message::Snapshot(snapshot) => {
            let game = snapshot.game.as_ref()?;
            Seen::Snapshot {
                revision: game.revision,
                hash: known_hash(&game.head_hash),
                content: fingerprint(snapshot),
            }
        }
        Message::Update(update) => Seen::Update {
            revision: update.revision,
            hash: known_hash(&update.record_hash),
            content: fingerprint(update),
        },
        Message::Heartbeat(heartbeat) => Seen::UpTo { revision: heartbeat.revision },
        Message::End(end) => Seen::UpTo { revision: end.revision },
    })
}

/// A hash of another length is no record's.
pub(super) fn known_hash(bytes: &[u8]) -> Hash {
    hash(bytes).unwrap_or_default()
}
