//! Settings: flags first, then the environment, then a TOML file, then defaults.
//!
//! Joined here and not by a crate for layered settings: clap has filled the flags from the environment already and
//! explains them, so that a file is one `or` for each setting, and checks that name it are needed either way.
//!
//! | file | what it holds |
//! |---|---|
//! | `args` | the command line: commands, flags, their help |
//! | `file` | the TOML file |
//! | this one | defaults, and the checked settings that come of all three |

mod args;
mod file;

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use crate::telemetry::LogFormat;

pub use args::{BackupArgs, Cli, Command, Format, FsckArgs, RestoreArgs, ServeArgs};
use file::File;

/// Where the server listens if nobody says otherwise.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:7646";
const DEFAULT_DATA: &str = "divelog-data";
const DEFAULT_LOG: &str = "info";
const DEFAULT_CACHE_GAMES: usize = 8_192;
const DEFAULT_QUEUE: usize = 16_384;
const DEFAULT_MAX_WATCHERS: usize = 10_000;
const DEFAULT_DRAIN_SECONDS: u64 = 10;
const MAX_THREADS: usize = 256;
const DEFAULT_STORE_CACHE_MIB: u64 = 64;

const DEFAULT_SEAL_INTERVAL: &str = "1s";
const MIN_TIME: Duration = Duration::from_millis(10);
const MAX_TIME: Duration = Duration::from_secs(3600);

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
    /// The database's cache.
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
    /// The address is not one.
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
    /// Not a number of threads.
    #[error("threads {count} is not from 1 to {MAX_THREADS}: 1 is fastest on up to four processors")]
    Threads { count: usize },
    /// Not a time.
    #[error("{name} {text:?} is not a time: use numbers with units, such as 500ms, 1s or 1m 30s, from 10ms to 1 hour")]
    Time { name: &'static str, text: String },
}

impl Settings {
    /// Joins flags (which clap has filled from the environment), file and defaults.
    pub fn from_args(args: ServeArgs) -> Result<Settings, BadSetting> {
        let file = match &args.config {
            Some(path) => File::read(path)?,
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
            store_cache_bytes: args
                .store_cache_mib
                .or(file.store_cache_mib)
                .unwrap_or(DEFAULT_STORE_CACHE_MIB)
                .saturating_mul(1024 * 1024),
            threads: threads(args.threads.or(file.threads).unwrap_or(1))?,
            serve_after_failure: args.serve_after_failure || file.serve_after_failure.unwrap_or(false),
            existing: args.existing || file.existing.unwrap_or(false),
            repair: args.repair,
            accept_loss: args.accept_loss,
        })
    }
}

/// Threads that serve calls: more than processors are of no use, and too many are none that a system gives.
fn threads(count: usize) -> Result<usize, BadSetting> {
    if (1..=MAX_THREADS).contains(&count) { Ok(count) } else { Err(BadSetting::Threads { count }) }
}

/// A time such as `500ms`, `1s` or `1m 30s`.
fn time(name: &'static str, text: &str) -> Result<Duration, BadSetting> {
    let time = humantime::parse_duration(text).ok().filter(|time| (MIN_TIME..=MAX_TIME).contains(time));
    time.ok_or_else(|| BadSetting::Time { name, text: text.to_owned() })
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
    use std::path::Path;

    use clap::Parser;

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
        for count in ["0", "257", "100000"] {
            assert!(matches!(settings(&["--threads", count]), Err(BadSetting::Threads { .. })), "{count}");
        }
    }
}
