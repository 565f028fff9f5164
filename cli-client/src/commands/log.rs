//! `divelog log ...`: the records as stored, and their verification.

use divelog_proto::v1::{
    ReadLogRequest, ReadLogResponse, Record, StoredRecord, VerifyGameRequest, VerifyGameResponse,
    read_log_response::Message, record::Body,
};
use prost::Message as _;

use super::standings;
use crate::{
    args::{GameArg, Global, LogCommand, VerifyArgs},
    boards::{self, Seating},
    connect::Connection,
    errors::CliError,
    input,
    logfile::{self, Collector, Log},
    output::{self, Output, Paint, json::LogDocument, table, table::Table},
    verify,
};

/// Runs one of the log commands.
pub async fn run(global: &Global, command: LogCommand, out: &mut Output) -> Result<(), CliError> {
    match command {
        LogCommand::Show { game, include_secret } => show(global, &game, include_secret, out).await,
        LogCommand::Verify(args) => verify(global, args, out).await,
    }
}

async fn show(global: &Global, game: &GameArg, include_secret: bool, out: &mut Output) -> Result<(), CliError> {
    let game_id = input::game_id(game)?;
    let connection = Connection::open(global).await?;
    let log = read(&connection, &game_id, include_secret).await?;
    if out.is_table() {
        return out.text(&records(&log, out.screen().paint));
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

async fn read(connection: &Connection, game_id: &str, include_secret: bool) -> Result<Log, CliError> {
    let call = ReadLogRequest { game_id: game_id.to_owned(), include_secret };
    let mut stream = connection.answer(connection.audit().read_log(call)).await?;
    let mut collector = Collector::default();
    let protocol = |error: String| CliError::Protocol(format!("of the log it sent, {error}"));
    while let Some(response) = connection.next(&mut stream).await? {
        collector.push(response).map_err(protocol)?;
    }
    let log = collector.finish().map_err(protocol)?;
    if log.header.game_id != game_id {
        return Err(CliError::Protocol(format!("it sent the log of {}", log.header.game_id)));
    }
    Ok(log)
}

async fn verify(global: &Global, args: VerifyArgs, out: &mut Output) -> Result<(), CliError> {
    let (game_id, response, seating, checked) = match (args.game, args.file) {
        (_, Some(file)) => {
            let log = logfile::read(&file)?;
            let response = verify::verify_log(&log.header, &log.records)?;
            let seating = seating(&log);
            (log.header.game_id, response, seating, format!("here, from a file: {}", verify::CHECKS))
        }
        (Some(game), None) => {
            let game_id = input::game_id(&GameArg { game })?;
            let connection = Connection::open(global).await?;
            if args.on_server {
                let request = connection.request(VerifyGameRequest { game_id: game_id.clone() });
                let response = connection.answer(connection.audit().verify_game(request)).await?;
                (
                    game_id,
                    response,
                    Seating::default(),
                    "by the server; without --on-server this client checks for itself".into(),
                )
            } else {
                let log = read(&connection, &game_id, true).await?;
                let response = verify::verify_log(&log.header, &log.records)?;
                (game_id, response, seating(&log), format!("here: {}", verify::CHECKS))
            }
        }
        // clap asks for one of them.
        (None, None) => return Err(CliError::usage("give a game or --file")),
    };
    if out.is_table() {
        out.text(&verdict(&game_id, &response, &seating, checked, out.screen().paint))?;
    } else {
        out.message(&response)?;
    }
    // The verdict stands on stdout before the exit code tells it again.
    out.flush()?;
    verify::judge(&response)
}

/// The players as record 0 names them; nobody if it cannot be read.
fn seating(log: &Log) -> Seating {
    let first = log.records.first().and_then(|stored| Record::decode(stored.record.as_ref()).ok());
    match first.and_then(|record| record.body) {
        Some(Body::Setup(setup)) => Seating::new(setup.players.iter().map(|player| &player.name)),
        _ => Seating::default(),
    }
}

fn verdict(game_id: &str, response: &VerifyGameResponse, seating: &Seating, checked: String, paint: Paint) -> String {
    let verified = verify::judge(response).is_ok();
    let outcome = response.outcome.as_ref().map(|outcome| standings(outcome, seating));
    let headline = if verified { paint.good("VERIFIED") } else { paint.alarm("NOT VERIFIED") };
    let pairs = table::pairs(
        &[
            ("game", game_id.to_owned()),
            ("checks", checked),
            ("good records", response.records_verified.to_string()),
            ("head hash", output::or_dash(output::hex(&response.head_hash))),
            ("outcome", outcome.unwrap_or_default()),
        ],
        paint,
    );
    format!("{headline}\n{pairs}")
}

fn records(log: &Log, paint: Paint) -> String {
    let mut table = Table::new(["seq", "time", "seat", "action", "request id", "hash"]);
    for (at, stored) in log.records.iter().enumerate() {
        table.row(record_row(at, stored));
    }
    table.render(paint)
}

fn record_row(at: usize, stored: &StoredRecord) -> [String; 6] {
    let hash = output::short_hash(&stored.hash);
    // A log that is disputed may well hold damaged records: the others are still shown.
    let Ok(record) = Record::decode(stored.record.as_ref()) else {
        return [at.to_string(), "-".into(), "-".into(), "(not a record)".into(), "-".into(), hash];
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
        output::or_dash(record.request_id),
        hash,
    ]
}

fn body(body: Option<&Body>) -> String {
    match body {
        Some(Body::Setup(setup)) => {
            let seating = Seating::new(setup.players.iter().map(|player| &player.name));
            let kind = boards::code_name(setup.kind());
            format!("create {kind}, rules version {}: {}", setup.rules_version, seating.all())
        }
        Some(Body::Move(turn)) => turn.action.as_ref().map_or_else(|| "(nothing)".into(), boards::action_words),
        Some(Body::Abandonment(end)) if end.reason.is_empty() => "abandon".into(),
        Some(Body::Abandonment(end)) => format!("abandon: {}", end.reason),
        None => "(unknown to this client)".into(),
    }
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
