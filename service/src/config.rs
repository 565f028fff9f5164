//! Settings: flags first, then the environment, then a TOML file, then defaults.
//!
//! Joined here and not by a crate for layered settings: clap has filled the flags from the environment already and
//! explains them, so that a file is one `or` for each setting, and checks that name it are needed either way.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Deserialize;

use crate::telemetry::LogFormat;

/// Where the server listens if nobody says otherwise.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:7646";
const DEFAULT_DATA: &str = "divelog-data";
const DEFAULT_LOG: &str = "info";
const DEFAULT_CACHE_GAMES: usize = 8_192;
const DEFAULT_QUEUE: usize = 16_384;
const DEFAULT_MAX_WATCHERS: usize = 10_000;
const DEFAULT_DRAIN_SECONDS: u64 = 10;
const DEFAULT_STORE_CACHE_MIB: u64 = 64;

const DEFAULT_SEAL_INTERVAL: &str = "1s";
const SHORTEST_TIME: Duration = Duration::from_millis(10);
const LONGEST_TIME: Duration = Duration::from_secs(3600);

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
  divelogd fsck --data copy --no-trial -o json    without asking the storage engine; for programs

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
    /// Do not try whether the storage engine opens a copy of the folder. Saves the room that the copy takes in TMPDIR.
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
    /// Go on under the same key with a backup alone. Your word that the lost server signed nothing after the backup
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
    config: Option<PathBuf>,
    /// The folder of the log; created if absent [default: divelog-data]
    #[arg(long, env = "DIVELOG_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
    /// The address to listen on; loopback only; port 0 takes any free port [default: 127.0.0.1:7646]
    #[arg(long, env = "DIVELOG_LISTEN", value_name = "ADDR")]
    listen: Option<String>,
    /// What to log: a level, or a filter such as info,divelog_service=debug; debug shows every call, and libraries show
    /// that much only where the filter names them, such as debug,h2=debug [default: info]
    #[arg(long, env = "DIVELOG_LOG", value_name = "FILTER")]
    log: Option<String>,
    /// How log lines look [default: text]
    #[arg(long, env = "DIVELOG_LOG_FORMAT", value_name = "FORMAT")]
    log_format: Option<LogFormat>,
    /// How many games are kept in memory [default: 8192]
    #[arg(long, env = "DIVELOG_CACHE_GAMES", value_name = "N")]
    cache_games: Option<usize>,
    /// How many records may wait for the disk before callers are told to retry [default: 16384]
    #[arg(long, env = "DIVELOG_QUEUE", value_name = "N")]
    queue: Option<usize>,
    /// How many connections may be open [default: 16384, or 64 less than the limit of open files, which is raised as far as
    /// the system allows]
    #[arg(long, env = "DIVELOG_MAX_CONNECTIONS", value_name = "N")]
    max_connections: Option<usize>,
    /// How many watches may be open [default: 10000]
    #[arg(long, env = "DIVELOG_MAX_WATCHERS", value_name = "N")]
    max_watchers: Option<usize>,
    /// How long running calls may take to finish after SIGTERM [default: 10]
    #[arg(long, env = "DIVELOG_DRAIN_SECONDS", value_name = "SECONDS")]
    drain_seconds: Option<u64>,
    /// The storage engine's cache [default: 64]
    #[arg(long, env = "DIVELOG_STORE_CACHE_MIB", value_name = "MIB")]
    store_cache_mib: Option<u64>,
    /// Threads that serve calls; 1 is fastest on up to four cores [default: 1]
    #[arg(long, env = "DIVELOG_THREADS", value_name = "N")]
    threads: Option<usize>,
    /// The folder in which the transparency log is published [default: DATA/tlog]
    #[arg(long, env = "DIVELOG_PUBLISH", value_name = "DIR")]
    publish: Option<PathBuf>,
    /// Publish games that are over there too, whole: they can be rebuilt from that folder alone
    #[arg(long, env = "DIVELOG_PUBLISH_GAMES")]
    publish_games: bool,
    /// The key that checkpoints are signed with; made at the first start if none is given [default: DATA/signing-key]
    #[arg(long, env = "DIVELOG_SIGNING_KEY", value_name = "FILE")]
    signing_key: Option<PathBuf>,
    /// The transparency log's name, when its key is made [default: divelog- and 16 random hex digits]
    #[arg(long, env = "DIVELOG_ORIGIN", value_name = "NAME")]
    origin: Option<String>,
    /// How often new records are sealed into the transparency log, such as 500ms or 1s [default: 1s]
    #[arg(long, env = "DIVELOG_SEAL_INTERVAL", value_name = "TIME")]
    seal_interval: Option<String>,
    /// Stay up after the store has failed, so that games in memory can still be read, instead of ending with an error
    #[arg(long, env = "DIVELOG_SERVE_AFTER_FAILURE")]
    serve_after_failure: bool,
    /// Serve only if there is a store in the data folder already: never begin a new one
    #[arg(long, env = "DIVELOG_EXISTING")]
    existing: bool,
    /// If the store is damaged, make a new one of it as `divelogd restore` does, put it in the place of the damaged one,
    /// which is kept under another name, and serve. Refused where that would lose anything, unless --accept-loss is given
    #[arg(long)]
    repair: bool,
    /// Start once although the store is missing committed blocks, and go on with what is there
    #[arg(long)]
    accept_loss: bool,
}

/// The file: the same settings, each of which may be missing. Unknown names are refused, so that a typo is noticed.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
struct File {
    data: Option<PathBuf>,
    listen: Option<String>,
    log: Option<String>,
    log_format: Option<LogFormat>,
    cache_games: Option<usize>,
    queue: Option<usize>,
    max_connections: Option<usize>,
    max_watchers: Option<usize>,
    drain_seconds: Option<u64>,
    store_cache_mib: Option<u64>,
    threads: Option<usize>,
    publish: Option<PathBuf>,
    publish_games: Option<bool>,
    signing_key: Option<PathBuf>,
    origin: Option<String>,
    seal_interval: Option<String>,
    serve_after_failure: Option<bool>,
    existing: Option<bool>,
}

/// Checked settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The folder of the log.
    pub data: PathBuf,
    /// Where to listen.
    pub listen: SocketAddr,
    /// What to log.
    pub log: String,
    /// How log lines look.
    pub log_format: LogFormat,
    /// How many games are kept in memory.
    pub cache_games: usize,
    /// How many records may wait for the disk.
    pub queue: usize,
    /// How many connections may be open; none: as many as the descriptors allow.
    pub max_connections: Option<usize>,
    /// How many watches may be open.
    pub max_watchers: usize,
    /// How long running calls may take to finish.
    pub drain: Duration,
    /// The storage engine's cache.
    pub store_cache_bytes: u64,
    /// Threads that serve calls.
    pub threads: usize,
    /// The folder in which the transparency log is published.
    pub publish: PathBuf,
    /// Whether games that are over are published there too.
    pub publish_games: bool,
    /// The key that checkpoints are signed with; none: in the data folder.
    pub signing_key: Option<PathBuf>,
    /// The transparency log's name, when its key is made.
    pub origin: Option<String>,
    /// How often new records are sealed.
    pub seal_interval: Duration,
    /// Whether the server stays up after its store has failed.
    pub serve_after_failure: bool,
    /// Whether there must be a store already.
    pub existing: bool,
    /// Whether a damaged store is repaired.
    pub repair: bool,
    /// Go on although the store is missing committed blocks.
    pub accept_loss: bool,
}

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadSetting {
    /// The file cannot be read.
    #[error("the configuration file {path}: {problem}", path = .path.display())]
    File { path: PathBuf, problem: String },
    /// The address is none.
    #[error("listen {address:?} is not an address: {problem}; use HOST:PORT such as {DEFAULT_LISTEN}")]
    Address { address: String, problem: String },
    /// The address is open to others.
    #[error(
        "listen {address} is not a loopback address: there is no access control yet, so divelogd serves this machine only; \
         use {DEFAULT_LISTEN}, or [::1]:7646"
    )]
    NotLoopback { address: SocketAddr },
    /// A number that makes no sense.
    #[error("{name} must be at least 1")]
    Zero { name: &'static str },
    /// A time that is none.
    #[error("{name} {text:?} is not a time: use numbers with units, such as 500ms, 1s or 1m 30s, from 10ms to 1 hour")]
    Time { name: &'static str, text: String },
}

impl Settings {
    /// Joins flags (which clap has filled from the environment), file and defaults.
    pub fn from_args(args: ServeArgs) -> Result<Settings, BadSetting> {
        let file = match &args.config {
            Some(path) => read_file(path)?,
            None => File::default(),
        };
        let listen = args.listen.or(file.listen).unwrap_or_else(|| DEFAULT_LISTEN.into());
        let at_least_1 = |name, value: usize| if value == 0 { Err(BadSetting::Zero { name }) } else { Ok(value) };
        let data = args.data.or(file.data).unwrap_or_else(|| DEFAULT_DATA.into());
        let seal_interval = args.seal_interval.or(file.seal_interval).unwrap_or_else(|| DEFAULT_SEAL_INTERVAL.into());
        Ok(Settings {
            publish: args.publish.or(file.publish).unwrap_or_else(|| data.join("tlog")),
            publish_games: args.publish_games || file.publish_games.unwrap_or(false),
            signing_key: args.signing_key.or(file.signing_key),
            origin: args.origin.or(file.origin),
            seal_interval: time("seal_interval", &seal_interval)?,
            data,
            listen: loopback(&listen)?,
            log: args.log.or(file.log).unwrap_or_else(|| DEFAULT_LOG.into()),
            log_format: args.log_format.or(file.log_format).unwrap_or(LogFormat::Text),
            cache_games: at_least_1(
                "cache_games",
                args.cache_games.or(file.cache_games).unwrap_or(DEFAULT_CACHE_GAMES),
            )?,
            queue: at_least_1("queue", args.queue.or(file.queue).unwrap_or(DEFAULT_QUEUE))?,
            max_connections: args
                .max_connections
                .or(file.max_connections)
                .map(|most| at_least_1("max_connections", most))
                .transpose()?,
            max_watchers: args.max_watchers.or(file.max_watchers).unwrap_or(DEFAULT_MAX_WATCHERS),
            drain: Duration::from_secs(args.drain_seconds.or(file.drain_seconds).unwrap_or(DEFAULT_DRAIN_SECONDS)),
            store_cache_bytes: args.store_cache_mib.or(file.store_cache_mib).unwrap_or(DEFAULT_STORE_CACHE_MIB)
                * 1024
                * 1024,
            threads: at_least_1("threads", args.threads.or(file.threads).unwrap_or(1))?,
            serve_after_failure: args.serve_after_failure || file.serve_after_failure.unwrap_or(false),
            existing: args.existing || file.existing.unwrap_or(false),
            repair: args.repair,
            accept_loss: args.accept_loss,
        })
    }
}

/// A time such as `500ms`, `1s` or `1m 30s`.
fn time(name: &'static str, text: &str) -> Result<Duration, BadSetting> {
    let time = humantime::parse_duration(text).ok().filter(|time| (SHORTEST_TIME..=LONGEST_TIME).contains(time));
    time.ok_or_else(|| BadSetting::Time { name, text: text.to_owned() })
}

fn read_file(path: &Path) -> Result<File, BadSetting> {
    let problem = |problem: String| BadSetting::File { path: path.to_path_buf(), problem };
    let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    toml::from_str(&text).map_err(|error| problem(error.to_string()))
}

/// The address, if only this machine can reach it.
fn loopback(listen: &str) -> Result<SocketAddr, BadSetting> {
    let bad = |problem: String| BadSetting::Address { address: listen.to_owned(), problem };
    let addresses: Vec<SocketAddr> = listen.to_socket_addrs().map_err(|error| bad(error.to_string()))?.collect();
    match addresses.iter().find(|address| !address.ip().is_loopback()) {
        Some(open) => Err(BadSetting::NotLoopback { address: *open }),
        None => addresses.first().copied().ok_or_else(|| bad("it names no address".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(args: &[&str]) -> Result<Settings, BadSetting> {
        let cli = Cli::try_parse_from(["divelogd", "serve"].iter().chain(args)).unwrap();
        let Command::Serve(args) = cli.command else { panic!("not serve") };
        Settings::from_args(*args)
    }

    #[test]
    fn without_anything_the_defaults_hold() {
        let settings = settings(&[]).unwrap();
        assert_eq!(settings.listen, DEFAULT_LISTEN.parse().unwrap());
        assert_eq!(settings.data, Path::new("divelog-data"));
        assert_eq!((settings.threads, settings.accept_loss), (1, false));
    }

    #[test]
    fn a_flag_wins_over_the_file_and_the_file_over_the_default() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("divelog.toml");
        std::fs::write(&path, "listen = \"127.0.0.1:9\"\nqueue = 7\nlog_format = \"json\"\n").unwrap();
        let settings = settings(&["--config", path.to_str().unwrap(), "--queue", "8"]).unwrap();
        assert_eq!(settings.listen.port(), 9);
        assert_eq!(settings.queue, 8);
        assert_eq!(settings.log_format, LogFormat::Json);
        assert_eq!(settings.cache_games, DEFAULT_CACHE_GAMES);
    }

    #[test]
    fn a_typo_in_the_file_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("divelog.toml");
        std::fs::write(&path, "lisen = \"127.0.0.1:9\"\n").unwrap();
        let error = settings(&["--config", path.to_str().unwrap()]).unwrap_err().to_string();
        assert!(error.contains("lisen") && error.contains("divelog.toml"), "{error}");
    }

    #[test]
    fn times_have_a_unit_and_bounds() {
        assert_eq!(settings(&[]).unwrap().seal_interval, Duration::from_secs(1));
        assert_eq!(settings(&["--seal-interval", "250ms"]).unwrap().seal_interval, Duration::from_millis(250));
        assert_eq!(settings(&["--seal-interval", "2s"]).unwrap().seal_interval, Duration::from_secs(2));
        assert_eq!(settings(&["--seal-interval", "1m 30s"]).unwrap().seal_interval, Duration::from_secs(90));
        for bad in ["", "1", "s", "-1s", "1 year", "1x", "9ms", "3601s", "99999999999999999999s"] {
            assert!(matches!(settings(&[&format!("--seal-interval={bad}")]), Err(BadSetting::Time { .. })), "{bad}");
        }
    }

    #[test]
    fn the_log_is_published_in_the_data_folder_unless_said_otherwise() {
        assert_eq!(settings(&["--data", "d"]).unwrap().publish, Path::new("d/tlog"));
        let elsewhere = settings(&["--data", "d", "--publish", "p", "--origin", "o", "--signing-key", "k"]).unwrap();
        assert_eq!(elsewhere.publish, Path::new("p"));
        assert_eq!((elsewhere.origin.as_deref(), elsewhere.signing_key.as_deref()), (Some("o"), Some(Path::new("k"))));
    }

    #[test]
    fn only_loopback_addresses_are_taken() {
        for good in ["127.0.0.1:0", "127.1.2.3:80", "[::1]:7646", "localhost:7646"] {
            assert!(settings(&["--listen", good]).is_ok(), "{good}");
        }
        for open in ["0.0.0.0:7646", "[::]:7646", "192.0.2.1:7646"] {
            assert!(matches!(settings(&["--listen", open]), Err(BadSetting::NotLoopback { .. })), "{open}");
        }
        for none in ["7646", "nonsense", "127.0.0.1"] {
            assert!(matches!(settings(&["--listen", none]), Err(BadSetting::Address { .. })), "{none}");
        }
        assert!(matches!(settings(&["--queue", "0"]), Err(BadSetting::Zero { name: "queue" })));
    }
}
