//! The victim: one player in a game of its own, on a connection of its own, who acts every 10 ms.
//!
//! It plays in an open loop: an action is due at its moment whether or not the one before has been answered, and its
//! latency counts from that moment. So a server that stands still for a second delays a hundred actions, not one.
//! Each action depends on the one before, so those that are due wait for it here.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use clap::Args;
use divelog_proto::v1::{self, game_service_client::GameServiceClient};
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    task::JoinHandle,
    time::{sleep, sleep_until, timeout_at},
};
use tonic::{Code, Status, transport::Channel};

use super::{ACTION_INTERVAL, data, helper, long_game::LongGame};
use crate::load::Histogram;

/// Actions before the first measurement: a new connection's first calls are slower.
const WARMUP_ACTIONS: u32 = 50;
/// How long actions that were due within the window may be answered after it.
pub const GRACE: Duration = Duration::from_secs(10);
/// The pauses before a failed call is repeated double, from this one on.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
/// The longest pause before a failed call is repeated.
const MAX_PAUSE: Duration = Duration::from_millis(200);
/// How long before an action the runtime's timer ends: it is a millisecond late, and a thread's sleep is not.
const TIMER_SLACK: Duration = Duration::from_millis(2);
/// How many failures are reported in words.
const MAX_SAMPLES: usize = 3;

/// The victim's options.
#[derive(Debug, Clone, Args)]
pub struct VictimArgs {
    /// The server.
    #[arg(long)]
    pub address: SocketAddr,
}

/// What the victim measured in one window.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct VictimResult {
    /// The median latency, from the moment an action was due to its answer, in milliseconds.
    pub p50_ms: f64,
    /// The latency that 99 % stay within.
    pub p99_ms: f64,
    /// The median time of the calls alone, from the first sending to the answer, in milliseconds.
    pub call_p50_ms: f64,
    /// Actions that were due.
    pub due: u64,
    /// Actions that were not answered before the end; they count with the time they had waited by then.
    pub unanswered: u64,
    /// Calls that failed and were repeated with the same request id.
    pub failures: u64,
    /// The first of these in words.
    pub samples: Vec<String>,
}

/// Creates a game and prints its id, and then plays for each number of milliseconds that it reads.
pub async fn main(args: &VictimArgs) -> Result<(), String> {
    let client = GameServiceClient::new(data::connect(args.address).await?);
    let mut player = Player::start(client).await?;
    println!("{}", player.game.id());
    let lines = helper::stdin().map_err(|error| format!("standard input is no pipe: {error}"))?;
    let mut lines = BufReader::new(lines).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let window = line.parse().map_err(|_| format!("{line:?} is not a number of milliseconds"))?;
        let result = player.play(Duration::from_millis(window)).await?;
        println!("{}", serde_json::to_string(&result).map_err(|error| error.to_string())?);
    }
    Ok(())
}

/// A player and its counts.
struct Player {
    client: GameServiceClient<Channel>,
    game: LongGame,
    /// The game after this one, made while this one is played.
    next: JoinHandle<Result<LongGame, Status>>,
    /// Makes each request id different.
    request_number: u64,
    result: VictimResult,
}

impl Player {
    /// Creates a game and warms up.
    async fn start(client: GameServiceClient<Channel>) -> Result<Self, String> {
        let game = create(client.clone()).await.map_err(|status| format!("the victim has no game: {status}"))?;
        let next = tokio::spawn(create(client.clone()));
        let mut player = Self { client, game, next, request_number: 0, result: VictimResult::default() };
        let end = Instant::now() + GRACE;
        for _ in 0..WARMUP_ACTIONS {
            if !player.act(end).await? {
                return Err(format!("the victim is not answered: {}", player.result.samples.join("; ")));
            }
        }
        Ok(player)
    }

    /// Plays for `window`.
    async fn play(&mut self, window: Duration) -> Result<VictimResult, String> {
        self.result = VictimResult::default();
        let (latencies, calls) = (Histogram::new(), Histogram::new());
        let begun = Instant::now() + ACTION_INTERVAL;
        let end = begun + window + GRACE;
        for due in due_times(begun, window) {
            self.result.due += 1;
            pause_until(due).await;
            let called = Instant::now();
            let answered = called < end && self.act(end).await?;
            let now = Instant::now();
            latencies.record(now - due);
            if answered {
                calls.record(now - called);
            } else {
                self.result.unanswered += 1;
            }
        }
        Ok(VictimResult {
            p50_ms: latencies.quantile_us(500) / 1_000.0,
            p99_ms: latencies.quantile_us(990) / 1_000.0,
            call_p50_ms: calls.quantile_us(500) / 1_000.0,
            ..std::mem::take(&mut self.result)
        })
    }

    /// Does one action, repeating it until it is answered; whether it was before `end`.
    async fn act(&mut self, end: Instant) -> Result<bool, String> {
        self.request_number += 1;
        let request = self.game.request(format!("victim-{}-{}", std::process::id(), self.request_number));
        let mut pause = FIRST_PAUSE;
        loop {
            match timeout_at(end.into(), self.client.submit_action(request.clone())).await {
                Err(_) => return Ok(false),
                Ok(Ok(answer)) => {
                    self.game.follow_answer(answer.get_ref());
                    break;
                }
                // The rules do not depend on the load: this program has misread the game.
                Ok(Err(status)) if status.code() == Code::FailedPrecondition => {
                    return Err(format!("the victim was refused: {}", status.message()));
                }
                Ok(Err(status)) => self.failed(&status),
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
        if self.game.is_over() {
            return self.change_game(end).await;
        }
        Ok(true)
    }

    /// Goes on with the next game; whether there was one before `end`.
    async fn change_game(&mut self, end: Instant) -> Result<bool, String> {
        let mut pause = FIRST_PAUSE;
        loop {
            let made = match timeout_at(end.into(), &mut self.next).await {
                Err(_) => return Ok(false),
                Ok(made) => made.map_err(|error| format!("creating a game failed: {error}"))?,
            };
            self.next = tokio::spawn(create(self.client.clone()));
            match made {
                Ok(game) => {
                    self.game = game;
                    return Ok(true);
                }
                Err(status) => self.failed(&status),
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    fn failed(&mut self, status: &Status) {
        self.result.failures += 1;
        if self.result.samples.len() < MAX_SAMPLES {
            self.result.samples.push(format!("{:?}: {}", status.code(), status.message()));
        }
    }
}

/// Creates a game.
async fn create(mut client: GameServiceClient<Channel>) -> Result<LongGame, Status> {
    let answer: v1::CreateGameResponse = client.create_game(LongGame::create()).await?.into_inner();
    LongGame::created(answer).ok_or_else(|| Status::internal("in a new game it is nobody's turn"))
}

/// When actions are due.
fn due_times(begun: Instant, window: Duration) -> impl Iterator<Item = Instant> {
    let count = window.as_nanos() / ACTION_INTERVAL.as_nanos();
    (0..u32::try_from(count).unwrap_or(u32::MAX)).map(move |number| begun + ACTION_INTERVAL * number)
}

/// Waits for a moment, exactly. The last part blocks the one thread of this process, in which nothing else is under way
/// then.
async fn pause_until(due: Instant) {
    if let Some(early) = due.checked_sub(TIMER_SLACK) {
        sleep_until(early.into()).await;
    }
    std::thread::sleep(due.saturating_duration_since(Instant::now()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_do_not_depend_on_answers() {
        let begun = Instant::now();
        let all: Vec<Instant> = due_times(begun, Duration::from_millis(1_005)).collect();
        assert_eq!(all.len(), 100);
        assert_eq!(all.last(), Some(&(begun + Duration::from_millis(990))));
    }
}
