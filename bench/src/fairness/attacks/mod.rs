//! The attacks. Each is a process that does one thing as fast as it can until it is ended.
//!
//! An attacker may be refused, slowed down or disconnected; it then tries again after a pause that grows.

mod floods;
mod frames;
mod idle;
mod pipeline;
mod raw;
mod repeat;
mod short;
mod unread;
mod watchers;

use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};

use clap::{Args, ValueEnum};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::task::{JoinSet, LocalSet};

pub use self::repeat::{AttackResult, Counts};
use super::{helper::wait_for_end, lower_priority};

/// How long to wait for an attack to begin. Where the server does not let it, it never does.
const BEGIN_WITHIN: Duration = Duration::from_secs(20);
/// How often to check whether it has.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The open descriptors that a service has if nobody says otherwise. Idle connections are meant to use them up.
const USUAL_DESCRIPTORS: u64 = 1_024;

/// What is done to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Attack {
    /// 160 replays of a long game at once, read as fast as they come.
    Replays,
    /// 160 replays that are never read.
    UnreadReplays,
    /// Games created on 8 connections, 256 at a time on each.
    Creations,
    /// HTTP/2 pings without pause on 4 connections.
    Pings,
    /// A game with 10,000 watchers in which somebody acts every 20 ms.
    Watchers,
    /// 10,000 watchers of the victim's own game.
    WatchedVictim,
    /// 1,200 lists of games on one connection, never read.
    UnreadLists,
    /// 3,000 requests of 250 KB of which only half is sent.
    HalfSent,
    /// 2,000 connections without a request.
    IdleConnections,
    /// 6 streams of small actions without any pause.
    Pipeline,
    /// GetGame, ListGames, ReadLog and VerifyGame, 16 of each at a time.
    Reads,
    /// Calls that are opened and reset without pause on 4 connections.
    Resets,
    /// 32 connections at a time, each closed after the beginning of one answer and opened again.
    ShortConnections,
    /// 3,000 calls on each of 200 connections of which nothing comes but the head.
    Heads,
}

impl fmt::Display for Attack {
    /// Its name on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_possible_value().as_ref().map_or("", |value| value.get_name()))
    }
}

/// One attack in a run.
pub struct Plan {
    /// Which.
    pub attack: Attack,
    /// Its name in the report.
    pub name: &'static str,
    /// The server's limit of open descriptors, if it is not this process's.
    pub descriptors: Option<u64>,
    /// The longest it is measured, if that is not the run's window.
    pub longest: Option<Duration>,
    /// Whether the victim's p99 has a bound.
    pub judged: bool,
}

impl Plan {
    /// All, in the order of the report.
    pub fn all() -> impl Iterator<Item = Plan> {
        Attack::value_variants().iter().map(|attack| Plan::of(*attack))
    }

    fn of(attack: Attack) -> Plan {
        let name = match attack {
            Attack::Replays => "replays",
            Attack::UnreadReplays => "unread replays",
            Attack::Creations => "creations",
            Attack::Pings => "pings",
            Attack::Watchers => "watchers",
            Attack::WatchedVictim => "victim watched",
            Attack::UnreadLists => "unread lists",
            Attack::HalfSent => "half-sent requests",
            Attack::IdleConnections => "idle connections",
            Attack::Pipeline => "fast pipeline",
            Attack::Reads => "reads",
            Attack::Resets => "rapid resets",
            Attack::ShortConnections => "short connections",
            Attack::Heads => "heads of calls",
        };
        // The victim's game has to last: it is over after about 2,000 actions, and then nobody watches any more.
        let watched = attack == Attack::WatchedVictim;
        Plan {
            attack,
            name,
            descriptors: (attack == Attack::IdleConnections).then_some(USUAL_DESCRIPTORS),
            longest: watched.then_some(Duration::from_secs(15)),
            judged: !watched,
        }
    }
}

/// An attacker's options.
#[derive(Debug, Clone, Args)]
pub struct AttackArgs {
    /// The server.
    #[arg(long)]
    pub address: SocketAddr,
    /// What to do to it.
    #[arg(long, value_enum)]
    pub attack: Attack,
    /// The id of a long game that is over.
    #[arg(long)]
    pub finished: String,
    /// The id of the victim's game.
    #[arg(long)]
    pub watched: String,
    /// It ends after so many seconds, if it is not ended before.
    #[arg(long)]
    pub seconds: u64,
}

/// What every task of an attack needs.
#[derive(Clone)]
struct AttackContext {
    address: SocketAddr,
    finished: String,
    counts: Arc<Counts>,
}

/// Attacks until it is ended, and prints what it achieved. All on one thread, as a client with few resources would.
pub async fn main(args: &AttackArgs) -> Result<(), String> {
    LocalSet::new().run_until(attack(args)).await
}

async fn attack(args: &AttackArgs) -> Result<(), String> {
    lower_priority();
    raise_descriptors();
    let counts = Arc::new(Counts::default());
    let context = AttackContext { address: args.address, finished: args.finished.clone(), counts: counts.clone() };
    let mut tasks = JoinSet::new();
    start(args, &context, &mut tasks)?;
    let begun = async {
        while counts.begun() == 0 {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    // Getting to its full strength is a part of the attack, and often the worst one: the victim plays from here on.
    let _ = tokio::time::timeout(BEGIN_WITHIN, begun).await;
    println!("attacking");
    wait_for_end(Duration::from_secs(args.seconds)).await?;
    tasks.abort_all();
    println!("{}", serde_json::to_string(&counts.result()).map_err(|error| error.to_string())?);
    Ok(())
}

/// Starts the tasks of an attack.
fn start(args: &AttackArgs, context: &AttackContext, tasks: &mut JoinSet<()>) -> Result<(), String> {
    match args.attack {
        Attack::Replays => floods::replays(context, tasks)?,
        Attack::Creations => floods::creations(context, tasks)?,
        Attack::Reads => floods::reads(context, tasks)?,
        Attack::UnreadReplays => unread::unread_replays(context, tasks),
        Attack::UnreadLists => unread::unread_lists(context, tasks),
        Attack::HalfSent => unread::half_sent(context, tasks),
        Attack::Pings => raw::pings(context, tasks),
        Attack::Resets => raw::resets(context, tasks),
        Attack::ShortConnections => short::connections(context, tasks),
        Attack::Heads => raw::heads(context, tasks),
        Attack::IdleConnections => idle::connections(context, tasks),
        Attack::Pipeline => pipeline::streams(context, tasks),
        Attack::Watchers => watchers::of_a_busy_game(context, tasks)?,
        Attack::WatchedVictim => watchers::of_game(context, args.watched.clone(), tasks)?,
    }
    Ok(())
}

/// Allows this process as many connections as it can have.
fn raise_descriptors() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where it fails, the attack is weaker, which its counts show.
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        eprintln!("divelog-bench attack: cannot open more descriptors: {error}");
    }
}
