//! The rules alone, on one core: random games per second, and what a single call costs.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use divelog_engine::{AnyAction, AnyGame, Kind, Seat, SeatCount, SeededChance};
use serde::Serialize;

/// A number of seats for which every kind of game can be played.
const SEATS: usize = 4;
/// How many states are kept to time single calls on: more than the first caches hold.
const SAMPLES: usize = 4_096;

/// One kind of game, measured.
#[derive(Debug, Clone, Serialize)]
pub struct Engine {
    /// The kind's code name.
    pub kind: &'static str,
    /// Random games played to their end, per second.
    pub playouts_per_second: f64,
    /// Actions of such a game, on average.
    pub actions_per_playout: f64,
    /// One `legal_actions`.
    pub legal_actions_ns: f64,
    /// One `apply`: the copy, the rules and the events.
    pub apply_ns: f64,
    /// One copy of a state.
    pub clone_ns: f64,
    /// The bytes of a state.
    pub state_bytes: usize,
}

/// Measures one kind on the calling thread, mean_ns figure for about a quarter of `window`.
pub fn measure(kind: Kind, window: Duration) -> Result<Engine, String> {
    let window = window / 4;
    let mut chance = SeededChance::new([kind as u8; 32]);
    let samples = samples(kind, &mut chance)?;
    let (mut games, mut actions) = (0u64, 0u64);
    let started = Instant::now();
    while started.elapsed() < window {
        actions += playout(kind, &mut chance, |_, _, _| {})?;
        games += 1;
    }
    let playouts_per_second = games as f64 / started.elapsed().as_secs_f64();
    Ok(Engine {
        kind: kind.code_name(),
        playouts_per_second,
        actions_per_playout: actions as f64 / games.max(1) as f64,
        legal_actions_ns: mean_ns(&samples, window, |sample| drop(black_box(sample.game.legal_actions(sample.seat)))),
        apply_ns: mean_ns(&samples, window, |sample| {
            drop(black_box(sample.game.apply(sample.seat, &sample.action, &mut chance)));
        }),
        clone_ns: mean_ns(&samples, window, |sample| drop(black_box(sample.game.clone()))),
        state_bytes: samples.iter().map(|sample| sample.game.state_bytes()).max().unwrap_or(0),
    })
}

/// A state with something that can be done in it.
struct Sample {
    game: AnyGame,
    seat: Seat,
    action: AnyAction,
}

/// States from all stages of many games.
fn samples(kind: Kind, chance: &mut SeededChance) -> Result<Vec<Sample>, String> {
    let mut samples = Vec::with_capacity(SAMPLES);
    while samples.len() < SAMPLES {
        playout(kind, chance, |game, seat, action| {
            samples.push(Sample { game: game.clone(), seat, action: action.clone() });
        })?;
    }
    samples.truncate(SAMPLES);
    Ok(samples)
}

/// Plays one random game and returns how many actions it had.
fn playout(
    kind: Kind,
    chance: &mut SeededChance,
    mut visit: impl FnMut(&AnyGame, Seat, &AnyAction),
) -> Result<u64, String> {
    let seats = SeatCount::new(SEATS).ok_or("no game has so many seats")?;
    let set_up = AnyGame::setup(kind.rules_version(), &kind.default_options(), seats, chance);
    let (mut game, _) = set_up.map_err(|refused| refused.to_string())?;
    let mut actions = 0;
    while let Some((seat, action)) = game.any_choice(chance) {
        visit(&game, seat, &action);
        game = game.apply(seat, &action, chance).map_err(|refused| refused.to_string())?.0;
        actions += 1;
    }
    Ok(actions)
}

/// The mean time of a call over all samples, again and again for about `window`, in nanoseconds.
fn mean_ns(samples: &[Sample], window: Duration, mut call: impl FnMut(&Sample)) -> f64 {
    let mut calls = 0u64;
    let started = Instant::now();
    while started.elapsed() < window {
        samples.iter().for_each(&mut call);
        calls += samples.len() as u64;
    }
    started.elapsed().as_nanos() as f64 / calls as f64
}
