//! `divelog log open-draw`: one record's chance, shown without showing any other, and checked against the commitment that
//! was made before the action was known.

use bytes::Bytes;
use divelog_ledger::check_draw;
use divelog_proto::v1::{GameStatus, OpenDrawRequest, OpenDrawResponse, StoredRecord};
use divelog_text::Seating;

use super::{read, seating_of};
use crate::{
    args::{GameArg, Global},
    commands::sentences,
    connect::{self, required},
    errors::CliError,
    input,
    output::{Output, table},
    verify,
};

/// Opens a draw.
pub async fn run(global: &Global, game: &GameArg, record: u64, out: &mut Output) -> Result<(), CliError> {
    let game_id = input::game_id(game)?;
    let connection = connect::open(global).await?;
    let response = connection.call(OpenDrawRequest { game_id: game_id.clone(), sequence: record }).await?;
    let log = read(&connection, &game_id, false).await?;
    let checked = check(&response, record, &log.records);
    let seating = seating_of(&log.records);
    let is_good = checked.is_ok();
    out.judged(checked, |out| match out.is_table() {
        true if is_good => print(&response, &game_id, record, &seating, out),
        // The error says everything.
        true => Ok(()),
        false => out.message(&response),
    })
}

fn print(
    response: &OpenDrawResponse,
    game_id: &str,
    record: u64,
    seating: &Seating,
    out: &mut Output,
) -> Result<(), CliError> {
    let screen = out.screen();
    let draw = required(response.draw.as_ref(), "it has no draw")?;
    out.text(&screen.paint.good(&format!("OPENED: the key fits the commitment {}", committed_in(record))))?;
    let pairs =
        [("game", game_id.to_owned()), ("record", record.to_string()), ("chance key", hex::encode(&draw.chance_key))];
    out.text(&table::pairs(&pairs, out.table_screen()))?;
    let lines = sentences(&response.events, GameStatus::Running, seating, screen.lang);
    if lines.is_empty() {
        return out.text("\nNothing happened that anybody could see.");
    }
    out.text(&format!("\n{}", lines.join("\n")))
}

fn committed_in(record: u64) -> String {
    match record.checked_sub(1) {
        Some(before) => format!("in record {before}, written before this action was known"),
        None => "in record 0 itself".into(),
    }
}

/// That the draw is the one that was asked for, and that its key fits the log's commitment.
fn check(response: &OpenDrawResponse, record: u64, log: &[StoredRecord]) -> Result<(), CliError> {
    let draw = required(response.draw.as_ref(), "it has no draw")?;
    if draw.sequence != record {
        return Err(CliError::Protocol(format!("it opened record {}", draw.sequence)));
    }
    let records: Vec<Bytes> = log.iter().map(|stored| stored.record.clone()).collect();
    check_draw(&records, draw).map_err(verify::unverified)
}
