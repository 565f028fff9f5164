//! The commands as they are typed: flags in, report on standard output, progress on standard error.

use std::io::{self, Write};

use serde::Serialize;

use super::backup::{self, Taken};
use super::signing::LogOptions;
use super::{Progress, RecoveryError, Report, fsck as check, restore as rebuild};
use crate::config::{BackupArgs, Format, FsckArgs, RestoreArgs};
use crate::store;

/// How a command ended that did its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Nothing is missing or damaged.
    Whole,
    /// Something is: the report names it.
    NotWhole,
}

/// A command that did its work, and what became of its report.
#[derive(Debug)]
pub struct Done {
    /// What the report says in a word.
    pub completeness: Completeness,
    /// Why standard output did not take the report; none also where nobody reads it.
    pub unwritten: Option<io::Error>,
}

/// `divelogd backup`.
pub fn backup(args: &BackupArgs) -> Result<Done, RecoveryError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| RecoveryError::Server {
        server: args.server.clone(),
        problem: format!("no runtime to connect with: {error}"),
    })?;
    let options = backup::Options { server: &args.server, to: &args.to };
    let taken = runtime.block_on(backup::take(options, &Progress::on_stderr()))?;
    let completeness = if taken.missing.is_empty() { Completeness::Whole } else { Completeness::NotWhole };
    Ok(print(args.output, completeness, &taken, || backup_summary(&taken)))
}

fn backup_summary(taken: &Taken) -> String {
    let Taken { to, continued, added, end_block, missing, accepted } = taken;
    let what = if *continued { "continued" } else { "written" };
    let to = to.display();
    let mut text = match missing.first() {
        None => format!("{to} {what}: {added} blocks added, all before {end_block} are in it\n"),
        Some(first) => format!(
            "{to} {what}: {added} blocks added, all before {end_block} are in it but {}\n- the server could not give {} \
             blocks, the first of them block {first}; the next run asks for them again\n",
            missing.len(),
            missing.len()
        ),
    };
    if *accepted > 0 {
        text += &format!("- {accepted} blocks are lost for good, which was accepted\n");
    }
    text
}

/// `divelogd fsck`.
pub fn fsck(args: &FsckArgs) -> Result<Done, RecoveryError> {
    let options = check::Options { data: &args.data, tiles: args.tiles.as_deref(), open_copy: !args.no_trial };
    let report = check::fsck(options, &Progress::on_stderr())?;
    Ok(print_report(args.output, &report))
}

/// `divelogd restore`.
pub fn restore(args: &RestoreArgs) -> Result<Done, RecoveryError> {
    let options = rebuild::Options {
        from: &args.from,
        data: &args.data,
        tiles: args.tiles.as_deref(),
        log: LogOptions {
            checkpoint: args.checkpoint.as_deref(),
            nothing_signed_since: args.nothing_signed_since,
            new_log: args.new_log,
            origin: args.origin.as_deref(),
        },
        journal_bytes: store::JOURNAL_BYTES,
    };
    let report = rebuild::restore(options, &Progress::on_stderr())?;
    Ok(print_report(args.output, &report))
}

fn print_report(format: Format, report: &Report) -> Done {
    let completeness = if report.whole { Completeness::Whole } else { Completeness::NotWhole };
    print(format, completeness, report, || report.to_table())
}

fn print(format: Format, completeness: Completeness, report: &impl Serialize, table: impl FnOnce() -> String) -> Done {
    let text = match format {
        Format::Table => table(),
        Format::Json => serde_json::to_string_pretty(report).expect("reports have text keys and plain values") + "\n",
    };
    let mut out = io::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    // A reader who stops early, as `head` does, has what they want.
    Done { completeness, unwritten: written.err().filter(|error| error.kind() != io::ErrorKind::BrokenPipe) }
}
