//! Veiled Isles: 3 to 5 players take tricks for treasure, with half of every island hidden under a sail.
//!
//! The rules are numbered in `docs/rules/veiled-isles.md`; comments and tests name them (`VI-8`).

mod action;
mod action_cards;
mod colours;
mod encoding;
mod event;
mod island;
mod options;
mod pass;
mod play;
mod resolve;
mod round;
mod rules;
mod state;
#[cfg(test)]
pub(crate) mod tests;
mod treasure;
mod versions;
mod view;

pub use action::{Action, Offer};
pub use event::{ColourWon, Event, LiftedIsland, Prize, Score};
pub use island::{Colour, ColourSet, Half, Island, IslandSet, VeiledIsland};
pub use options::{ActionCard, Options};
pub use state::{Phase, State};
pub use treasure::{Deck, Treasure};
pub use versions::Rules;
pub use view::{DeckView, PlayedView, PlayerView, View};

/// The name for people.
pub const TITLE: &str = "Veiled Isles";

/// VI-0: the fewest and the most seats.
pub const SEATS: core::ops::RangeInclusive<u8> = 3..=5;
/// The rule that says so.
pub const SEAT_RULE: &str = "VI-0";

/// No game has more actions than this.
///
/// A trick has at most two treasures to take and, by VI-R12, two actions, each of at most two decisions. Four players
/// have the most of it: 2 rounds × (4 passes + 12 tricks × (4 plays + 2 + 2·2)).
pub const MAX_ACTIONS: usize = 248;
