//! Clients who read, replay, verify and export, follow the transparency log, and take backups.

use std::sync::Arc;

use divelog_client::Connection;
use divelog_proto::v1 as pb;
use pb::backup_response::Message;

use super::calls::{LIMIT, Patience, call, hash, outcome_of};
use super::client::{Client, read_log, viewer_to_wire};
use super::tables::Table;
use super::watchers::known_hash;
use crate::history::{Backup, Done, Outcome, Read, Refusal, Request, Seen, StreamEnd, Watch, fingerprint};

/// Audits until the round is over.
pub(super) async fn audit(mut client: Client) {
    while let Some(connection) = client.connection().await {
        let Some(table) = client.shared.tables.pick_any(&mut client.choices) else {
            client.pause(1, 5).await;
            continue;
        };
        match client.choices.below(100) {
            0..20 => log(&client, connection, &table).await,
            20..45 => replay(&mut client, connection, &table).await,
            45..65 => verify(&client, connection, &table).await,
            65..72 => backup(&mut client, connection).await,
            _ => other(&mut client, connection, &table).await,
        }
        client.pause(0, 8).await;
    }
}

async fn log(client: &Client, connection: Connection, table: &Table) {
    let recorder = &client.shared.recorder;
    let invoked = recorder.invoke_read();
    let outcome = match read_log(connection, &table.name, LIMIT).await {
        Ok(log) => Outcome::Done(Done { revision: log.revision, hash: hash(&log.head_hash), ..Done::default() }),
        Err(outcome) => outcome,
    };
    recorder.answer(client.number, invoked, false, Request::Read(table.id, Read::Log), outcome);
}

async fn verify(client: &Client, connection: Connection, table: &Table) {
    let recorder = &client.shared.recorder;
    let request = pb::VerifyGameRequest { game_id: table.name.clone() };
    let invoked = recorder.invoke_read();
    let mut audit = connection.audit();
    let outcome = match call(Patience::Full(LIMIT), request, |request| audit.verify_game(request)).await {
        Ok(verdict) if verdict.verified => Outcome::Done(Done {
            revision: verdict.records_verified,
            hash: hash(&verdict.head_hash),
            ..Done::default()
        }),
        // On a sound store this is a fault.
        Ok(verdict) => Outcome::Refused(Refusal {
            code: "DATA_LOSS",
            reason: "NOT_VERIFIED".into(),
            revision: None,
            sentence: verdict.failure.map(|failure| failure.message.into()),
        }),
        Err(outcome) => outcome,
    };
    recorder.answer(client.number, invoked, false, Request::Read(table.id, Read::Verify), outcome);
}

/// A replay shows what a watch from its first revision on would have shown.
async fn replay(client: &mut Client, connection: Connection, table: &Table) {
    let recorder = Arc::clone(&client.shared.recorder);
    let (revision, seats) = table.known().unwrap_or((1, 2));
    let viewer = client.viewer(seats);
    let from = client.choices.between(1, revision.max(1));
    let views = client.choices.percent(30);
    let request = pb::ReplayGameRequest {
        game_id: table.name.clone(),
        viewer: viewer_to_wire(viewer),
        from_revision: from,
        include_views: views,
        ..Default::default()
    };
    let invoked = recorder.invoke_read();
    let (number, game, after) = (client.number, table.id, Some(from - 1));
    let mut watch = Watch { client: number, game, viewer, invoked, replay: true, after, views, seen: Vec::new() };
    let reading = async {
        let mut steps = connection.audit().replay_game(request).await?.into_inner();
        while let Some(step) = steps.message().await? {
            let update = pb::Update {
                revision: step.revision,
                record_hash: step.record_hash,
                time: step.time,
                seat: step.seat,
                events: step.events,
                status: step.status,
                to_act: step.to_act,
                view: step.view,
            };
            let (revision, hash) = (update.revision, known_hash(&update.record_hash));
            watch.seen.push((recorder.tick(), Seen::Update { revision, hash, content: fingerprint(&update) }));
        }
        Ok(())
    };
    let outcome = match tokio::time::timeout(LIMIT, reading).await {
        Ok(Ok(())) => Outcome::Done(Done::default()),
        Ok(Err(status)) => outcome_of(&status),
        Err(_) => Outcome::Hung { limit_ms: LIMIT.as_millis() as u64 },
    };
    recorder.note_watch(watch);
    recorder.answer(number, invoked, false, Request::Other("ReplayGame"), outcome);
}

async fn backup(client: &mut Client, connection: Connection) {
    let recorder = Arc::clone(&client.shared.recorder);
    let invoked = recorder.invoke_read();
    let slow = client.choices.percent(40);
    let mut backup = Backup { announced: None, blocks: Vec::new(), empty: 0, end: StreamEnd::Dropped };
    let reading = async {
        let mut messages = connection.admin().backup(pb::BackupRequest { from_block: 0 }).await?.into_inner();
        while let Some(message) = messages.message().await? {
            match message.message {
                Some(Message::Header(header)) => backup.announced = Some((header.from_block, header.end_block)),
                Some(Message::Block(block)) => {
                    backup.blocks.push(block.number);
                    backup.empty += u64::from(block.block.is_empty());
                    if slow && client.choices.percent(10) {
                        client.pause(0, 20).await;
                    }
                }
                None => {}
            }
        }
        Ok(())
    };
    let outcome = match tokio::time::timeout(LIMIT * 2, reading).await {
        Ok(Ok(())) => {
            backup.end = StreamEnd::Ok;
            Outcome::Done(Done::default())
        }
        Ok(Err(status)) => {
            backup.end = StreamEnd::Error;
            outcome_of(&status)
        }
        // A slow reader may well take that long.
        Err(_) => Outcome::Unclear(crate::history::Unclear::Cancelled),
    };
    recorder.note_backup(backup);
    recorder.answer(client.number, invoked, false, Request::Other("Backup"), outcome);
}

/// Calls that are checked for being answered, and not with a fault.
async fn other(client: &mut Client, connection: Connection, table: &Table) {
    let recorder = Arc::clone(&client.shared.recorder);
    let game_id = table.name.clone();
    let full = Patience::Full(LIMIT);
    let mut audit = connection.audit();
    let mut publish = connection.transparency();
    let mut games = connection.games();
    let invoked = recorder.invoke_read();
    let (name, answer) = match client.choices.below(8) {
        0 => {
            let request =
                pb::ExportBundleRequest { game_id, include_secret: client.choices.percent(50), open_draws: vec![] };
            ("ExportBundle", call(full, request, |request| audit.export_bundle(request)).await.map(drop))
        }
        1 => {
            let request = pb::OpenDrawRequest { game_id, sequence: client.choices.below(20) as u64 };
            ("OpenDraw", call(full, request, |request| audit.open_draw(request)).await.map(drop))
        }
        2 | 3 => {
            let request = pb::ListRefusalsRequest { game_id };
            ("ListRefusals", call(full, request, |request| audit.list_refusals(request)).await.map(drop))
        }
        4 => {
            let request = pb::GetCheckpointRequest { seal_now: client.choices.percent(30) };
            ("GetCheckpoint", call(full, request, |request| publish.get_checkpoint(request)).await.map(drop))
        }
        5 => {
            let request = pb::GetInclusionProofRequest { game_id, revision: 0 };
            ("GetInclusionProof", call(full, request, |request| publish.get_inclusion_proof(request)).await.map(drop))
        }
        6 => {
            let request = pb::GetConsistencyProofRequest { old_size: 1, new_size: 0 };
            (
                "GetConsistencyProof",
                call(full, request, |request| publish.get_consistency_proof(request)).await.map(drop),
            )
        }
        _ => {
            let request = pb::ListGameKindsRequest {};
            ("ListGameKinds", call(full, request, |request| games.list_game_kinds(request)).await.map(drop))
        }
    };
    let outcome = match answer {
        Ok(()) => Outcome::Done(Done::default()),
        Err(outcome) => outcome,
    };
    recorder.answer(client.number, invoked, false, Request::Other(name), outcome);
}
