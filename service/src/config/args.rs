//! The command line: what divelogd can do, and its flags, which clap fills from the environment.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::DEFAULT_LISTEN;
use crate::telemetry::LogFormat;

const EXAMPLES: &str = "\
Examples:
  divelogd serve                                  serve on 127.0.0.1:7646, data in ./divelog-data
  divelogd serve --data /var/lib/divelog          keep the log there
  divelogd serve --listen 127.0.0.1:0             any free port; standard output says which
  DIVELOG_LOG=debug divelogd serve                log every call
  divelogd serve --config /etc/divelog.toml       settings from a file; flags and environment win
  divelogd backup --to log.dlbackup               copy the log of the running server
  divelogd fsck --data /var/lib/divelog           what is in a data folder, and what is missing
  divelogd restore --from old --from log.dlbackup --data new";

const BACKUP_EXAMPLES: &str = "\
Examples:
  divelogd backup --to log.dlbackup               the whole log, while the server serves
  divelogd backup --to log.dlbackup               the same again: adds what is new
  divelogd backup --server 127.0.0.1:9000 --to log.dlbackup -o json

Exit codes: 0 whole, 4 the file lacks blocks that the server could not give, 1 failure, 2 usage.
The file holds every game's secret and the signing key: only its owner may read it. Keep it so.";

const FSCK_EXAMPLES: &str = "\
Examples:
  divelogd fsck --data /var/lib/divelog           what is there, what is missing, does every game replay
  divelogd fsck --data copy --tiles /srv/tlog     compared with what was published
  divelogd fsck --data copy --no-trial -o json    without asking the database; for programs

Exit codes: 0 whole, 4 something is missing or damaged, 1 failure, 2 usage.";

const RESTORE_EXAMPLES: &str = "\
Examples:
  divelogd restore --from log.dlbackup --data new
  divelogd restore --from damaged --from log.dlbackup --data new      all that either has
  divelogd restore --from damaged --from bundles/ --data new --tiles /srv/tlog
  divelogd restore --from log.dlbackup --data new --checkpoint checkpoint     the log goes on under its key

Exit codes: 0 whole, 4 something is missing or damaged (the rest is restored), 1 failure, 2 usage.
Sources are only read. Then: divelogd serve --data new";

/// divelogd hosts games of sunken treasure behind gRPC, on an append-only log.
#[derive(Parser, Debug)]
#[command(name = "divelogd", version, about, before_help = EXAMPLES, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What divelogd can do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Serve games until SIGTERM or Ctrl-C, then drain and exit.
    #[command(before_help = EXAMPLES)]
    Serve(Box<ServeArgs>),
    /// Copy the log of a running server to a file, or bring that file up to date.
    #[command(before_help = BACKUP_EXAMPLES)]
    Backup(BackupArgs),
    /// Check a data folder that no server has open. Reads only.
    #[command(before_help = FSCK_EXAMPLES)]
    Fsck(FsckArgs),
    /// Make a new data folder from backups, damaged data folders and bundles.
    #[command(before_help = RESTORE_EXAMPLES)]
    Restore(RestoreArgs),
}

/// How a report is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Table,
    /// For programs.
    Json,
}

/// The flags of `backup`.
#[derive(Args, Debug)]
pub struct BackupArgs {
    /// The server's address: HOST:PORT, with or without http:// in front of it.
    #[arg(long, env = "DIVELOG_SERVER", value_name = "ADDRESS", default_value = DEFAULT_LISTEN)]
    pub server: String,
    /// The backup file. One that is there is continued: only new blocks are fetched.
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// How the result is printed.
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: Format,
}

/// The flags of `fsck`.
#[derive(Args, Debug)]
pub struct FsckArgs {
    /// The data folder.
    #[arg(long, env = "DIVELOG_DATA", value_name = "DIR")]
    pub data: PathBuf,
    /// A published transparency log to compare with [default: the data folder's own]
    #[arg(long, value_name = "DIR")]
    pub tiles: Option<PathBuf>,
    /// Do not try whether the database opens a copy of the folder. Saves the space that the copy takes in TMPDIR.
    #[arg(long)]
    pub no_trial: bool,
    /// How the report is printed.
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: Format,
}

/// The flags of `restore`.
#[derive(Args, Debug)]
pub struct RestoreArgs {
    /// A backup, a data folder in any state, a bundle, or a folder of these; may be given several times.
    #[arg(long, value_name = "SOURCE", required = true, num_args = 1..)]
    pub from: Vec<PathBuf>,
    /// The new data folder; must be absent or empty.
    #[arg(long, value_name = "NEWDIR")]
    pub data: PathBuf,
    /// The published transparency log, as it is now: says what is missing, and what was signed last [default: that of the
    /// data folders among the sources]
    #[arg(long, value_name = "DIR")]
    pub tiles: Option<PathBuf>,
    /// The newest checkpoint that was published, if the log itself is not at hand: says what was signed last
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Go on under the same key with a backup alone. You assert that the lost server signed nothing after the backup
    #[arg(long)]
    pub nothing_signed_since: bool,
    /// Begin a new transparency log under a new key in any case
    #[arg(long, conflicts_with = "nothing_signed_since")]
    pub new_log: bool,
    /// The name of a new transparency log [default: divelog- and 16 random hex digits]
    #[arg(long, value_name = "NAME")]
    pub origin: Option<String>,
    /// How the report is printed.
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: Format,
}

/// The flags of `serve`, each of which may be missing.
#[derive(Args, Debug, Default)]
pub struct ServeArgs {
    /// A TOML file with the same names as the flags, with underscores.
    #[arg(long, env = "DIVELOG_CONFIG", value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// The folder of the log; created if absent [default: divelog-data]
    #[arg(long, env = "DIVELOG_DATA", value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    /// The address to listen on; loopback only; port 0 takes any free port [default: 127.0.0.1:7646]
    #[arg(long, env = "DIVELOG_LISTEN", value_name = "ADDR")]
    pub(super) listen: Option<String>,
    /// What to log: a level, or a filter such as info,divelog_service=debug; debug shows every call, and libraries show
    /// that much only where the filter names them, such as debug,h2=debug [default: info]
    #[arg(long, env = "DIVELOG_LOG", value_name = "FILTER")]
    pub(super) log: Option<String>,
    /// How log lines look [default: text]
    #[arg(long, env = "DIVELOG_LOG_FORMAT", value_name = "FORMAT")]
    pub(super) log_format: Option<LogFormat>,
    /// How many games are kept in memory [default: 8192]
    #[arg(long, env = "DIVELOG_CACHE_GAMES", value_name = "N")]
    pub(super) cache_games: Option<usize>,
    /// How many records may wait for the disk before callers are asked to retry [default: 16384]
    #[arg(long, env = "DIVELOG_QUEUE", value_name = "N")]
    pub(super) queue: Option<usize>,
    /// How many connections may be open [default: 16384, or 64 less than the limit of open files, which is raised as far as
    /// the system allows]
    #[arg(long, env = "DIVELOG_MAX_CONNECTIONS", value_name = "N")]
    pub(super) max_connections: Option<usize>,
    /// How many watches may be open [default: 10000]
    #[arg(long, env = "DIVELOG_MAX_WATCHERS", value_name = "N")]
    pub(super) max_watchers: Option<usize>,
    /// How long running calls may take to finish after SIGTERM [default: 10]
    #[arg(long, env = "DIVELOG_DRAIN_SECONDS", value_name = "SECONDS")]
    pub(super) drain_seconds: Option<u64>,
    /// The database's cache [default: 64]
    #[arg(long, env = "DIVELOG_STORE_CACHE_MIB", value_name = "MIB")]
    pub(super) store_cache_mib: Option<u64>,
    /// Threads that serve calls; 1 is fastest on up to four cores [default: 1]
    #[arg(long, env = "DIVELOG_THREADS", value_name = "N")]
    pub(super) threads: Option<usize>,
    /// The folder in which the transparency log is published [default: DATA/tlog]
    #[arg(long, env = "DIVELOG_PUBLISH", value_name = "DIR")]
    pub(super) publish: Option<PathBuf>,
    /// Publish games that are over there too, whole: they can be rebuilt from that folder alone
    #[arg(long, env = "DIVELOG_PUBLISH_GAMES")]
    pub(super) publish_games: bool,
    /// The key that checkpoints are signed with; made at the first start if none is given [default: DATA/signing-key]
    #[arg(long, env = "DIVELOG_SIGNING_KEY", value_name = "FILE")]
    pub(super) signing_key: Option<PathBuf>,
    /// The transparency log's name, when its key is made [default: divelog- and 16 random hex digits]
    #[arg(long, env = "DIVELOG_ORIGIN", value_name = "NAME")]
    pub(super) origin: Option<String>,
    /// How often new records are sealed into the transparency log, such as 500ms or 1s [default: 1s]
    #[arg(long, env = "DIVELOG_SEAL_INTERVAL", value_name = "TIME")]
    pub(super) seal_interval: Option<String>,
    /// Stay up after the store has failed, so that games in memory can still be read, instead of ending with an error
    #[arg(long, env = "DIVELOG_SERVE_AFTER_FAILURE")]
    pub(super) serve_after_failure: bool,
    /// Serve only if there is a store in the data folder already: never begin a new one
    #[arg(long, env = "DIVELOG_EXISTING")]
    pub(super) existing: bool,
    /// If the store is damaged, rebuild it as `divelogd restore` does, put the new one in its place, keep the damaged
    /// one under another name, and serve. Refused where that would lose anything, unless --accept-loss is given
    #[arg(long)]
    pub(super) repair: bool,
    /// Start once although the store is missing committed blocks, and go on with what is there
    #[arg(long)]
    pub(super) accept_loss: bool,
}
