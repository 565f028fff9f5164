//! Whether one caller can stop another: attacks run against the real server, one after another, while a victim plays.
//!
//! The victim acts every 10 ms in a game of its own. Its latencies beside an attack are compared with those beside a
//! process that only burns as much processor time as the attacker did: what is left is what the *server* let the
//! attack do to somebody else. Attackers run at nice 19, each in a process of its own, and so does the burner.

mod attacks;
mod burner;
mod data;
mod helper;
mod long_game;
mod probe;
mod report;
mod results;
mod run;
mod victim;

use std::time::Duration;

pub use self::{
    attacks::{Attack, AttackArgs, main as attack},
    burner::{BurnArgs, main as burn},
    run::main,
    victim::{VictimArgs, main as play_victim},
};

/// The most that an attack may multiply the victim's p99 by, compared with a burner of as much processor time.
const MAX_RATIO: f64 = 2.0;
/// The most by which the server's memory may grow under an attack, in MiB.
const MAX_GROWTH_MIB: f64 = 256.0;
/// How often the victim acts.
const ACTION_INTERVAL: Duration = Duration::from_millis(10);
/// The lowest priority there is: attackers and burners have it.
const NICE: i32 = 19;

/// Gives this process, and every thread that it starts from now on, the lowest priority.
fn lower_priority() {
    // Not worth failing for: the figures are then merely worse.
    if let Err(error) = rustix::process::nice(NICE) {
        eprintln!("divelog-bench: cannot lower the priority: {error}");
    }
}
