//! The command line: the run itself, and the two helper processes it starts.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::fairness::{Attack, AttackArgs, BurnArgs, VictimArgs};

/// The most seconds a measurement may take: longer ones only fill the disk.
const MAX_SECONDS: u64 = 600;
/// The most rounds.
const MAX_ROUNDS: u64 = 99;

/// Measures divelog, and a bare gRPC echo to compare it with.
#[derive(Debug, Parser)]
#[command(
    name = "divelog-bench",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  divelog-bench                     everything, about seven minutes\n  divelog-bench --quick             everything, one second and one round each\n  divelog-bench --only unary -o json\n  divelog-bench --echo-only         what the stack can do, without divelogd\n  divelog-bench --only fairness     what attacks do to another caller, a minute each\n  divelog-bench --only fairness --quick --attack pings,resets"
)]
pub struct Args {
    /// The helper process to run as, if any.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What to measure otherwise.
    #[command(flatten)]
    pub run: RunArgs,
}

/// The processes that a run starts.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the echoes (started by a run).
    #[command(hide = true)]
    EchoServer(EchoArgs),
    /// Generate load and print one line of JSON (started by a run).
    #[command(hide = true)]
    Load(LoadArgs),
    /// Play beside an attack (started by a run).
    #[command(hide = true)]
    Victim(VictimArgs),
    /// Attack a server (started by a run).
    #[command(hide = true)]
    Attack(AttackArgs),
    /// Burn processor time (started by a run).
    #[command(hide = true)]
    Burn(BurnArgs),
}

/// What a run measures and how.
#[derive(Debug, ClapArgs)]
pub struct RunArgs {
    /// One second and one round per point: to see that everything works, not to publish.
    #[arg(long)]
    pub quick: bool,
    /// Only these parts. `fairness` is measured only if it is named, and by itself.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub only: Vec<Part>,
    /// Only these attacks of the part fairness.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub attack: Vec<Attack>,
    /// Seconds per measurement, after one second of warm-up [default: 5, with --quick 1; fairness 60, with --quick 5].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MAX_SECONDS))]
    pub seconds: Option<u64>,
    /// Rounds per point; the median is reported [default: 3, with --quick 1].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MAX_ROUNDS))]
    pub rounds: Option<u64>,
    /// How to print the results.
    #[arg(short, long, value_enum, default_value = "table")]
    pub output: Output,
    /// The server under test [default: divelogd beside this program].
    #[arg(long, env = "DIVELOG_BENCH_SERVER")]
    pub server_bin: Option<PathBuf>,
    /// Where the temporary data folder is made [default: the build's target folder]. Its disk is what is measured.
    #[arg(long, env = "DIVELOG_BENCH_DATA")]
    pub data_dir: Option<PathBuf>,
    /// Measure the echoes and the disk only; divelogd is not needed.
    #[arg(long)]
    pub echo_only: bool,
}

impl RunArgs {
    /// How long one measurement takes.
    pub fn window(&self) -> Duration {
        Duration::from_secs(self.seconds.unwrap_or(if self.quick { 1 } else { 5 }))
    }

    /// How often each point is measured.
    pub fn rounds(&self) -> u64 {
        self.rounds.unwrap_or(if self.quick { 1 } else { 3 })
    }

    /// Whether `fairness` was asked for, which is measured by itself.
    pub fn wants_fairness(&self) -> bool {
        self.only.contains(&Part::Fairness) || !self.attack.is_empty()
    }

    /// Whether a part was asked for.
    pub fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

/// The parts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// SubmitAction, from 1 to 256 games in flight.
    Unary,
    /// SubmitActions, 1,024 games in flight over 8 streams.
    Stream,
    /// SubmitActions, 256 streams with one game each.
    Streams,
    /// The raw disk, and the bytes an action takes on it.
    Disk,
    /// Replaying from the log, on one core.
    Replay,
    /// Play with a checkpoint every second, compared with play without any.
    Sealing,
    /// The rules alone, on one core.
    Engine,
    /// A player beside attacks on the server, compared with the same player beside a process that only burns processor
    /// time. Exits with 1 if an attack does more than it may.
    Fairness,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people.
    Table,
    /// For programs: one JSON document, with every round.
    Json,
}

/// The echo server's options.
#[derive(Debug, ClapArgs)]
pub struct EchoArgs {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
}

/// One measurement.
#[derive(Debug, Clone, ClapArgs)]
pub struct LoadArgs {
    /// The server.
    #[arg(long)]
    pub address: SocketAddr,
    /// What answers there.
    #[arg(long, value_enum)]
    pub target: Target,
    /// Games in flight; each has one action in flight.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub games: u32,
    /// Connections.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub connections: u32,
    /// Streams that share the games; 0 is one unary call per action.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=65_536))]
    pub streams: u32,
    /// Milliseconds before the measurement.
    #[arg(long, default_value_t = 1_000)]
    pub warmup_ms: u64,
    /// Milliseconds of the measurement.
    #[arg(long, default_value_t = 5_000)]
    pub window_ms: u64,
}

/// What a load generator talks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// An echo of 100 bytes: nothing simpler can be served. Printed for comparison; no target depends on it.
    Plain,
    /// divelog's own messages with canned answers: the same bytes on the wire, no rules and no log. The targets are
    /// shares of its rate.
    Typed,
    /// divelogd.
    Divelog,
}

impl Target {
    /// Its name on the command line and in progress lines.
    pub fn name(self) -> &'static str {
        match self {
            Target::Plain => "plain",
            Target::Typed => "typed",
            Target::Divelog => "divelog",
        }
    }
}
