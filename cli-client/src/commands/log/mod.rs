//! `divelog log ...`: the records as stored, their verification, and the proofs about them; a file per command.

mod checkpoint;
mod impact;
mod open_draw;
mod prove;
mod refusals;
mod show;
#[cfg(test)]
mod tests;
mod verify;
mod verify_all;

pub use show::records;

use divelog_proto::v1::{ForkOrigin, ReadLogRequest, Record, StoredRecord, record::Body};
use divelog_text::Seating;
use prost::Message as _;

use super::standings;
use crate::{
    args::{Global, LogCommand},
    connect::Connection,
    errors::CliError,
    log_file::{Collector, Log},
    output::Output,
};

/// Runs one of the log commands.
pub async fn run(global: &Global, command: LogCommand, out: &mut Output) -> Result<(), CliError> {
    match command {
        LogCommand::Show { game, include_secret } => show::run(global, &game, include_secret, out).await,
        LogCommand::Verify(args) if args.all => verify_all::run(global, &args.filter, out).await,
        LogCommand::Verify(args) => verify::run(global, args, out).await,
        LogCommand::Checkpoint(args) => checkpoint::run(global, &args, out).await,
        LogCommand::Prove { game, revision, key } => prove::run(global, &game, revision, &key, out).await,
        LogCommand::OpenDraw { game, record } => open_draw::run(global, &game, record, out).await,
        LogCommand::Refusals { game } => refusals::run(global, &game, out).await,
        LogCommand::Impact(args) => impact::run(global, &args, out).await,
    }
}

/// The whole log of a game.
async fn read(connection: &Connection, game_id: &str, include_secret: bool) -> Result<Log, CliError> {
    let call = ReadLogRequest { game_id: game_id.to_owned(), include_secret };
    let mut stream = connection.open_stream(call).await?;
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

/// The players as record 0 names them, and whether it is a fork; nobody if it cannot be read.
pub fn seating(first: Option<&[u8]>) -> Seating {
    match first.and_then(|bytes| Record::decode(bytes).ok()).and_then(|record| record.body) {
        Some(Body::Setup(setup)) => {
            let origin = setup.fork.map(|fork| ForkOrigin {
                game_id: divelog_ledger::GameId(fork.game_id.as_ref().try_into().unwrap_or_default()).to_string(),
                revision: fork.revision,
                head_hash: fork.head_hash,
                same_seed: fork.same_seed,
            });
            Seating::new(setup.players.iter().map(|player| &player.name)).forked(origin.as_ref())
        }
        _ => Seating::default(),
    }
}

/// The same of a log with hashes beside its records.
fn seating_of(records: &[StoredRecord]) -> Seating {
    seating(records.first().map(|stored| stored.record.as_ref()))
}
