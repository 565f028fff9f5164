//! The rules of divelog's games: pure functions from a state and an action to the next state and its events.
//!
//! Nothing here reads a clock, a file or a random source of its own; chance comes in through [`Chance`]. The same set-up,
//! actions and chance give the same bytes on every machine and in every later build, which is what replaying a log needs.
//! Each game is one folder; [`AnyGame`] is the closed choice among them.
//!
//! A whole game between players without a plan:
//!
//! ```
//! use divelog_engine::{AnyGame, Kind, SeatCount, SeededChance, Violation};
//!
//! # fn main() -> Result<(), Violation> {
//! let kind = Kind::DeepSeaAdventure;
//! let seats = SeatCount::new(3).expect("three seats are not too many");
//! let (mut luck, mut choices) = (SeededChance::new([1; 32]), SeededChance::new([2; 32]));
//! let (mut game, _) = AnyGame::setup(kind.rules_version(), &kind.default_options(), seats, &mut luck)?;
//! while let Some((seat, action)) = game.any_choice(&mut choices) {
//!     let (next, events) = game.apply(seat, &action, &mut luck)?;
//!     assert!(!events.is_empty());
//!     game = next;
//! }
//! assert!(game.outcome().is_some() && game.to_act().is_empty());
//! # Ok(())
//! # }
//! ```
#![no_std]
#![warn(missing_docs)]
#![deny(clippy::float_arithmetic, reason = "floats round differently between machines")]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod any;
mod canonical;
mod carry_over;
mod chance;
mod game;
mod games;
mod outcome;
mod rules_version;
mod seat;
mod violation;

pub mod captain_carcass;
pub mod deep_sea_adventure;
pub mod key_largo;
pub mod veiled_isles;

#[cfg(test)]
mod contract;

pub use canonical::{Canonical, Sink};
pub use carry_over::{CarriedGame, CarriedStep, CarryOver, Compared, OlderStep, OtherEvent, SetUps};
pub use chance::{Chance, ChanceKey, SeededChance, Words, shuffle};
pub use game::{Game, Offer, Step};
pub use games::{AnyAction, AnyEvent, AnyGame, AnyOffer, AnyOptions, AnyView, Kind, Listed};
pub use outcome::{Outcome, Standing};
pub use rules_version::RulesVersion;
pub use seat::{MAX_SEATS, Seat, SeatCount, SeatSet, Viewer};
pub use violation::Violation;
