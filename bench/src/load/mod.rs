//! The load generator: a process of its own with low priority, so that it takes from the server as little as it can.
//!
//! It opens its connections and games, warms up, measures, and prints one line of JSON.

mod game_pool;
mod histogram;
mod stream;
mod table;
mod tally;
mod unary;

use std::{sync::Arc, time::Duration};

use divelog_client::Connection;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

pub use histogram::Histogram;
pub use table::SEATS;

use self::{
    game_pool::GamePool,
    table::Table,
    tally::{Tally, Window},
};
use crate::{
    args::{LoadArgs, Target},
    echo_proto::echo_service_client::EchoServiceClient,
};

/// The lowest priority there is.
const NICE: i32 = 19;
/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the answers of the last actions may take after the window has closed.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long creating the games may take.
const OPEN_TIMEOUT: Duration = Duration::from_secs(60);
/// What the plain echo sends: 100 bytes.
static PAYLOAD: [u8; 100] = [0xa5; 100];

/// What a load generator reports to its parent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LoadResult {
    /// Answered actions per second within the window.
    pub rate: f64,
    /// The median latency in microseconds.
    pub p50_us: f64,
    /// The latency that 99 % stay within, in microseconds.
    pub p99_us: f64,
    /// The actions within the window.
    pub measured_actions: u64,
    /// All answered actions, with the warm-up and the end.
    pub all_actions: u64,
    /// The games created, before and during the load.
    pub games_created: u64,
    /// How often a place stood empty until a game was created.
    pub waits_for_game: u64,
    /// Actions that the rules refused: 0 in a good run.
    pub refusals: u64,
    /// Other failures: 0 in a good run.
    pub failures: u64,
    /// The first refusals and failures in words.
    pub samples: Vec<String>,
}

/// Runs one measurement.
pub async fn main(args: &LoadArgs) -> Result<(), String> {
    // Not worth failing for: the parent's numbers are then merely lower.
    if let Err(error) = rustix::process::nice(NICE) {
        eprintln!("divelog-bench load: cannot lower the priority: {error}");
    }
    let connections = connect(args).await?;
    let tally = Arc::new(Tally::new());
    let mut tasks = JoinSet::new();
    let window = if args.target == Target::Plain {
        let window = window(args);
        spawn_echoes(args, &connections, window, &tally, &mut tasks);
        window
    } else {
        spawn_games(args, &connections, &tally, &mut tasks).await?
    };
    let deadline = tokio::time::Instant::from_std(window.end() + DRAIN_TIMEOUT);
    while let Some(done) = tokio::time::timeout_at(deadline, tasks.join_next())
        .await
        .map_err(|_| format!("the server stopped answering; {}", tally.samples_text()))?
    {
        done.map_err(|error| format!("a load task failed: {error}"))?;
    }
    let result =
        serde_json::to_string(&tally.result(&window)).map_err(|error| format!("cannot write the result: {error}"))?;
    println!("{result}");
    Ok(())
}

/// The window, beginning now.
fn window(args: &LoadArgs) -> Window {
    Window::after(Duration::from_millis(args.warmup_ms), Duration::from_millis(args.window_ms))
}

/// Opens the connections.
async fn connect(args: &LoadArgs) -> Result<Vec<Connection>, String> {
    let mut connections = Vec::new();
    for _ in 0..args.connections {
        let connection = Connection::open(&args.address.into(), CONNECT_TIMEOUT).await;
        connections.push(connection.map_err(|error| error.to_string())?);
    }
    Ok(connections)
}

/// Starts the tasks of a plain echo.
fn spawn_echoes(
    args: &LoadArgs,
    connections: &[Connection],
    window: Window,
    tally: &Arc<Tally>,
    tasks: &mut JoinSet<()>,
) {
    let clients = connections.iter().map(|connection| EchoServiceClient::new(connection.channel())).cycle();
    if args.streams == 0 {
        for client in clients.take(args.games as usize) {
            tasks.spawn(unary::echo(client, window, tally.clone()));
        }
    } else {
        for (client, games) in clients.zip(shares(args.games, args.streams)) {
            tasks.spawn(stream::echo(client, games, window, tally.clone()));
        }
    }
}

/// Opens the games and starts the tasks that play them.
async fn spawn_games(
    args: &LoadArgs,
    connections: &[Connection],
    tally: &Arc<Tally>,
    tasks: &mut JoinSet<()>,
) -> Result<Window, String> {
    let clients: Vec<_> = connections.iter().map(Connection::games).collect();
    let opening = GamePool::open(clients.clone(), args.games as usize, tally.clone());
    let (pool, mut tables) = tokio::time::timeout(OPEN_TIMEOUT, opening)
        .await
        .map_err(|_| "creating the games took too long".to_owned())?
        .map_err(|status| format!("cannot create the games: {status}"))?;
    let window = window(args);
    let clients = clients.into_iter().cycle();
    if args.streams == 0 {
        for (client, table) in clients.zip(tables) {
            tasks.spawn(unary::play(client, table, pool.clone(), window, tally.clone()));
        }
    } else {
        for (client, games) in clients.zip(shares(args.games, args.streams)) {
            let stream_tables: Vec<Table> = tables.split_off(tables.len().saturating_sub(games));
            tasks.spawn(stream::play(client, stream_tables, pool.clone(), window, tally.clone()));
        }
    }
    Ok(window)
}

/// How many games each stream carries: as even as can be.
fn shares(games: u32, streams: u32) -> impl Iterator<Item = usize> {
    (0..streams).map(move |stream| {
        let extra = u32::from(stream < games % streams);
        (games / streams + extra) as usize
    })
}
