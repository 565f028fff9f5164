//! `divelogd backup`: asks a server for its blocks and writes them to a file.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufWriter, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use divelog_client::{CallError, Connection, Endpoint};
use divelog_proto::v1 as pb;
use pb::backup_response::Message;
use serde::Serialize;
use tonic::Streaming;

use super::file::{self, Facts, Writer};
use crate::files::{self, Readers};
use crate::permissions;
use crate::recovery::{Progress, RecoveryError};
use crate::store::sync_dir;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the server may be silent in the middle of a backup.
const SILENCE: Duration = Duration::from_secs(60);

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The server's address.
    pub server: &'a str,
    /// The backup file; continued if it is there.
    pub to: &'a Path,
}

/// What was done.
#[derive(Clone, Debug, Serialize)]
pub struct Taken {
    /// The file.
    pub to: PathBuf,
    /// Whether it was there and was continued.
    pub continued: bool,
    /// Blocks added, also those that an earlier run had missed.
    pub added: u64,
    /// The number after the last block in the file.
    pub end_block: u64,
    /// Blocks that the file lacks: the server could not give them, in this run or in one before.
    pub missing: Vec<u64>,
    /// How many blocks it lacks beside these because they are lost for good, which the operator has accepted.
    pub accepted: u64,
}

/// Takes a backup, or continues one.
pub async fn take(options: Options<'_>, progress: &Progress) -> Result<Taken, RecoveryError> {
    let bad = |problem: String| RecoveryError::Backup { path: options.to.to_path_buf(), problem };
    permissions::report_file(options.to);
    let before = match options.to.exists() {
        true => Some(file::inspect(options.to, progress)?),
        false => None,
    };
    if before.as_ref().is_some_and(|facts| facts.sound_bytes == 0) {
        return Err(bad("it is there and holds no whole run; move it away, or name another file".into()));
    }
    // From the first block that the file lacks on, and the last one once more, to see that it is the same server's.
    let from_block = before.as_ref().map_or(0, |facts| {
        let last = facts.last_block.as_ref().map(|(number, _)| *number);
        facts.not_accepted().next().into_iter().chain(last).min().unwrap_or(0)
    });
    let mut run = Run::ask(options.server, from_block).await?;
    if let Some(facts) = &before
        && run.header.end_block < facts.end_block
    {
        let (ours, theirs) = (facts.end_block, run.header.end_block);
        return Err(bad(format!(
            "it has {ours} blocks and the server only {theirs}: the server has lost some, or is another one"
        )));
    }
    progress.begin("receiving blocks".into(), run.header.end_block.saturating_sub(from_block));
    let part = part_of(options.to);
    let (path, writer) = match &before {
        Some(facts) => (options.to, go_on(options.to, facts)?),
        None => (part.as_path(), begin(&part)?),
    };
    let received = receive(&mut run, writer, before.as_ref(), path, progress).await;
    let (added, missing) = received.inspect_err(|_| {
        if let Some(facts) = &before {
            // A run that has no end counts for nothing; without it the file is what it was.
            let cut = File::options().write(true).open(path).and_then(|file| file.set_len(facts.sound_bytes));
            if let Err(error) = cut {
                tracing::warn!(path = %path.display(), %error, "the unfinished run stays at the end of the backup");
            }
        }
    })?;
    if before.is_none() {
        fs::rename(&part, options.to).map_err(RecoveryError::io("renaming", &part))?;
    }
    let folder = options.to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sync_dir(folder)?;
    progress.end();
    let to = options.to.to_path_buf();
    let known = before.as_ref().and_then(|facts| facts.accepted).max(run.header.accepted_block);
    let (accepted, missing): (Vec<u64>, Vec<u64>) = missing.into_iter().partition(|number| Some(*number) <= known);
    let (accepted, end_block) = (accepted.len() as u64, run.header.end_block);
    Ok(Taken { to, continued: before.is_some(), added, end_block, missing, accepted })
}

/// Writes a run to its end. Answers with the blocks added, and those that the whole file lacks.
async fn receive(
    run: &mut Run,
    mut writer: Writer<BufWriter<File>>,
    before: Option<&Facts>,
    path: &Path,
    progress: &Progress,
) -> Result<(u64, BTreeSet<u64>), RecoveryError> {
    let io = |error| RecoveryError::io("writing", path)(error);
    let from_block = run.header.from_block;
    let end_before = before.map_or(0, |facts| facts.end_block);
    let last_before = before.and_then(|facts| facts.last_block.as_ref());
    let mut missing = before.map(|facts| facts.missing.clone()).unwrap_or_default();
    let mut added = 0;
    writer.header(&pb::BackupHeader { from_block: end_before, ..run.header.clone() }).map_err(io)?;
    while let Some(block) = run.next().await? {
        progress.at(block.number.saturating_sub(from_block));
        if last_before.is_some_and(|(number, known)| *number == block.number && known.block != block.block) {
            return Err(RecoveryError::Backup {
                path: path.to_path_buf(),
                problem: format!(
                    "its block {} is another one than the server's: it is the backup of another server",
                    block.number
                ),
            });
        }
        let is_new = block.number >= end_before;
        let is_given = !block.block.is_empty();
        if is_given {
            added += u64::from(missing.remove(&block.number) || is_new);
        } else if is_new {
            missing.insert(block.number);
        }
        if is_new || (is_given && before.is_some_and(|facts| facts.missing.contains(&block.number))) {
            writer.block(&block).map_err(io)?;
        }
    }
    let file = writer.end().map_err(io)?.into_inner().map_err(|error| io(error.into_error()))?;
    file.sync_all().map_err(io)?;
    Ok((added, missing))
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// A new file that only its owner may read: it will hold secrets and the signing key.
fn begin(path: &Path) -> Result<Writer<BufWriter<File>>, RecoveryError> {
    let file = files::create(path, Readers::Owner);
    let file = file.map_err(RecoveryError::io("creating", path))?;
    Writer::begin(BufWriter::new(file)).map_err(RecoveryError::io("writing", path))
}

/// The file, cut where its last sound run ends. Until a new end is written, everything after that counts as not there.
fn go_on(path: &Path, facts: &Facts) -> Result<Writer<BufWriter<File>>, RecoveryError> {
    let io = RecoveryError::io("continuing", path);
    let open = || -> std::io::Result<File> {
        let mut file = File::options().write(true).open(path)?;
        file.set_len(facts.sound_bytes)?;
        file.seek(SeekFrom::End(0))?;
        Ok(file)
    };
    Ok(Writer::go_on(BufWriter::new(open().map_err(io)?), facts))
}

/// A backup as it comes from a server.
struct Run {
    server: String,
    connection: Connection,
    header: pb::BackupHeader,
    messages: Streaming<pb::BackupResponse>,
    next: u64,
}

impl Run {
    async fn ask(server: &str, from_block: u64) -> Result<Run, RecoveryError> {
        let problem = |problem: String| RecoveryError::Server { server: server.to_owned(), problem };
        let asking = async {
            let endpoint: Endpoint = server.parse()?;
            let connection = Connection::open(&endpoint, CONNECT_TIMEOUT).await?.with_timeout(SILENCE);
            let mut messages = connection.open_stream(pb::BackupRequest { from_block }).await?;
            let first = connection.next(&mut messages).await?;
            Ok::<_, CallError>((connection, messages, first))
        };
        let (connection, messages, first) = asking.await.map_err(|error| problem(in_words(&error)))?;
        match first.and_then(|first| first.message) {
            Some(Message::Header(header)) if header.from_block == from_block => {
                Ok(Run { server: server.to_owned(), connection, header, messages, next: from_block })
            }
            _ => Err(problem("the backup does not begin with its header".into())),
        }
    }

    /// The next block; none after the last that the header has promised.
    async fn next(&mut self) -> Result<Option<pb::BackupBlock>, RecoveryError> {
        let problem = |problem: String| RecoveryError::Server { server: self.server.clone(), problem };
        let message = self.connection.next(&mut self.messages).await.map_err(|error| problem(in_words(&error)))?;
        match message.map(|message| message.message) {
            Some(Some(Message::Block(block))) if block.number == self.next && self.next < self.header.end_block => {
                self.next += 1;
                Ok(Some(block))
            }
            None if self.next == self.header.end_block => Ok(None),
            None => Err(problem(format!("the backup broke off before block {}", self.next))),
            Some(_) => Err(problem(format!("the backup goes on with something else than block {}", self.next))),
        }
    }
}

/// What went wrong, where the server is named already.
fn in_words(error: &CallError) -> String {
    match error {
        CallError::Unreachable { cause, .. } => format!("cannot connect: {cause}"),
        CallError::NoAnswer { waited, .. } => format!("silent for {} seconds", waited.as_secs()),
        other => other.to_string(),
    }
}
