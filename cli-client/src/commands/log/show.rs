//! `divelog log show`: the records as stored.

use divelog_proto::v1::{ReadLogResponse, Record, read_log_response::Message, record::Body};
use divelog_text::Seating;
use prost::Message as _;

use super::read;
use crate::{
    args::{GameArg, Global},
    commands::print_table,
    connect,
    errors::CliError,
    input,
    output::{self, Output, json::LogDocument, table::Table},
};

/// Reads and prints a log.
pub async fn run(global: &Global, game: &GameArg, include_secret: bool, out: &mut Output) -> Result<(), CliError> {
    let game_id = input::game_id(game)?;
    let connection = connect::open(global).await?;
    let log = read(&connection, &game_id, include_secret).await?;
    if out.is_table() {
        let stored = log.records.iter().map(|stored| (stored.record.as_ref(), stored.hash.as_ref()));
        return print_table(&records(stored), out);
    }
    if out.is_jsonl() {
        out.message(&ReadLogResponse { message: Some(Message::Header(log.header)) })?;
        return log
            .records
            .into_iter()
            .try_for_each(|record| out.message(&ReadLogResponse { message: Some(Message::Record(record)) }));
    }
    out.text(&LogDocument { header: &log.header, records: &log.records }.pretty()?)
}

/// Records, each with its hash, in a table.
pub fn records<'a>(records: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Table {
    let header = ["seq", "time", "seat", "action", "hash", "request id"];
    let mut table = Table::new(header).wrapping(&["action"]).optional(&["request id", "hash"]);
    for (at, (record, hash)) in records.enumerate() {
        table.row(row(at, record, hash));
    }
    table
}

fn row(at: usize, record: &[u8], hash: &[u8]) -> [String; 6] {
    let hash = output::short_hash(hash);
    // A log that is disputed may well hold damaged records: the others are still shown.
    let Ok(record) = Record::decode(record) else {
        return [at.to_string(), "-".into(), "-".into(), "(not a record)".into(), hash, "-".into()];
    };
    let seat = match &record.body {
        Some(Body::Move(turn)) => turn.seat.to_string(),
        _ => "-".into(),
    };
    [
        record.sequence.to_string(),
        output::time_ms(record.time_ms),
        seat,
        body(record.body.as_ref()),
        hash,
        output::or_dash(record.request_id),
    ]
}

fn body(body: Option<&Body>) -> String {
    match body {
        Some(Body::Setup(setup)) => {
            let seating = Seating::new(setup.players.iter().map(|player| &player.name));
            let kind = divelog_text::code_name(setup.kind());
            let fork = setup.fork.as_ref().map(|fork| format!(", FORK at {}", fork.revision)).unwrap_or_default();
            format!("create {kind}, rules version {}{fork}: {}", setup.rules_version, seating.all())
        }
        Some(Body::Move(turn)) => turn.action.as_ref().map_or_else(|| "(nothing)".into(), divelog_text::action_words),
        Some(Body::Abandonment(end)) if end.reason.is_empty() => "abandon".into(),
        Some(Body::Abandonment(end)) => format!("abandon: {}", end.reason),
        None => "(unknown to this client)".into(),
    }
}
