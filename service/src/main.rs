//! `divelogd`: reads the settings, starts a runtime, serves; or runs one of the commands for backup and restore.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use divelog_service::config::{Cli, Command, ServeArgs, Settings};
use divelog_service::recovery::RecoveryError;
use divelog_service::recovery::command::{self, Completeness, Done};
use divelog_service::session::BLOCKING_THREADS;
use divelog_service::telemetry::{self, LogFormat};
use divelog_service::{files, server, signals};

/// Faster than the system's with the many small buffers of short calls.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Before there is a second thread, and before anything is made.
    files::make_private();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(instead) => return explain(&instead),
    };
    match cli.command {
        Command::Serve(args) => serve(*args),
        Command::Backup(args) => recover(|| command::backup(&args)),
        Command::Fsck(args) => recover(|| command::fsck(&args)),
        Command::Restore(args) => recover(|| command::restore(&args)),
    }
}

/// Runs a command that ends by itself.
fn recover(command: impl FnOnce() -> Result<Done, RecoveryError>) -> ExitCode {
    // Warnings only: what the command has to say is its report.
    if let Err(error) = telemetry::start("warn", LogFormat::Text) {
        return fail(2, &error);
    }
    let Done { completeness, unwritten } = match command() {
        Ok(done) => done,
        Err(error) => return fail(1, &error),
    };
    // That something is missing is the worse news of the two, whoever reads it.
    let code = match (completeness, &unwritten) {
        (Completeness::NotWhole, _) => 4,
        (Completeness::Whole, Some(_)) => UNWRITTEN,
        (Completeness::Whole, None) => 0,
    };
    match unwritten {
        Some(source) => fail(code, &Unwritten { source }),
        None => ExitCode::from(code),
    }
}

/// The exit code of a command that did its work, but whose report or help could not be written.
const UNWRITTEN: u8 = 6;

/// Standard output has not taken a report or help.
#[derive(Debug, thiserror::Error)]
#[error("the command is done, but standard output does not take what it prints: {source}")]
struct Unwritten {
    source: std::io::Error,
}

/// What clap prints instead of running a command: help, the version, or what is wrong with the arguments.
fn explain(instead: &clap::Error) -> ExitCode {
    let printed = instead.print().and_then(|()| std::io::stdout().flush());
    match printed {
        _ if instead.use_stderr() => ExitCode::from(2),
        Err(source) if source.kind() != std::io::ErrorKind::BrokenPipe => fail(UNWRITTEN, &Unwritten { source }),
        _ => ExitCode::SUCCESS,
    }
}

fn serve(args: ServeArgs) -> ExitCode {
    let settings = match Settings::from_args(args) {
        Ok(settings) => settings,
        Err(error) => return fail(2, &error),
    };
    if let Err(error) = telemetry::start(&settings.log, settings.log_format) {
        return fail(2, &error);
    }
    // The store's large, short-lived buffers would be zeroed 2 MiB at a time, and push everything else out of the caches.
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(%error, "huge pages stay on");
    }
    let runtime = match runtime(settings.threads) {
        Ok(runtime) => runtime,
        Err(error) => return fail(1, &NoThreads { threads: settings.threads, source: error }),
    };
    // The signals first: whoever reads that the server listens may stop it at once.
    match runtime.block_on(async { server::run(&settings, announce, signals::stop()).await }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(1, &error),
    }
}

/// The system does not let the process have its threads.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} threads to serve calls: {source}. Nothing was changed. Choose fewer by --threads")]
struct NoThreads {
    threads: usize,
    source: std::io::Error,
}

/// One thread serves calls and another writes the log: on few cores that is faster than a pool that hands calls around.
fn runtime(threads: usize) -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = match threads {
        1 => tokio::runtime::Builder::new_current_thread(),
        threads => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(threads);
            builder
        }
    };
    // The scheduler's task runs those of all connections, for a tenth of a millisecond at a time: after that sockets, and
    // what the writer hands back, are looked at.
    builder.event_interval(1).global_queue_interval(1);
    builder.enable_all().max_blocking_threads(BLOCKING_THREADS).build()
}

/// Says where the server can be reached: the one line on standard output.
fn announce(address: std::net::SocketAddr) {
    let mut out = std::io::stdout();
    // Nobody may be listening to standard output; the server serves all the same.
    drop(writeln!(out, "listening on {address}").and_then(|()| out.flush()));
}

fn fail(code: u8, error: &dyn std::error::Error) -> ExitCode {
    // Nobody may be listening to standard error; the code says enough then.
    drop(writeln!(std::io::stderr(), "divelogd: {error}"));
    ExitCode::from(code)
}
