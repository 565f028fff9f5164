//! How fast logs replay: actions per second on one core.
//!
//! This is what loading a game and verifying one cost: each record is decoded, its hash, nonce and commitments are
//! checked, the rules run, and the digest of events and state is compared.

use std::time::{Duration, Instant};

use bytes::Bytes;
use divelog_engine::{Kind, SeededChance};
use divelog_ledger::{Expectation, GameId, NewGame, Position, Secret, Stamp, verify};
use divelog_proto::v1::Player;
use serde::Serialize;

/// How many different games are replayed in turn: more than the caches hold of one.
const GAMES: u8 = 64;

/// A measurement of replaying.
#[derive(Debug, Clone, Serialize)]
pub struct Replay {
    /// Actions replayed per second on one core.
    pub actions_per_second: f64,
    /// The games that were replayed.
    pub games: u64,
    /// The actions that were replayed.
    pub actions: u64,
}

/// Verifies played games over and over for about `window` on the calling thread.
pub fn measure(window: Duration) -> Result<Replay, String> {
    let logs: Vec<(GameId, Vec<Bytes>)> = (0..GAMES).map(play).collect::<Result<_, _>>()?;
    let (mut games, mut actions) = (0, 0);
    let started = Instant::now();
    while started.elapsed() < window {
        for (game, records) in &logs {
            verify(*game, &secret(*game), records, Expectation::default()).map_err(|fault| fault.to_string())?;
            games += 1;
            actions += records.len() as u64 - 1;
        }
    }
    let actions_per_second = actions as f64 / started.elapsed().as_secs_f64();
    Ok(Replay { actions_per_second, games, actions })
}

fn secret(game: GameId) -> Secret {
    Secret([game.0[0]; 32])
}

/// Plays one game of three seats at random to its end.
fn play(number: u8) -> Result<(GameId, Vec<Bytes>), String> {
    let game_id = GameId([number; 16]);
    let new = NewGame {
        game_id,
        rules_version: 1,
        options: Kind::DeepSeaAdventure.default_options(),
        players: vec![Player::default(); 3],
        labels: Default::default(),
        fork: None,
        request: None,
    };
    let stamp = Stamp { time_ms: 1_700_000_000_000, request_id: "" };
    let first = Position::create(new, &secret(game_id), stamp).map_err(|refused| refused.to_string())?;
    let (mut position, mut records) = (first.position, vec![first.record]);
    let mut choices = SeededChance::new([number; 32]);
    while let Some((seat, action)) = position.game().any_choice(&mut choices) {
        let advance = position.act(seat, &action, stamp).map_err(|refused| refused.to_string())?;
        records.push(advance.record);
        position = advance.position;
    }
    Ok((game_id, records))
}
