//! Captain Carcass: 2 to 4 divers turn up loot card by card, and surface before a card repeats.
//!
//! The rules are numbered in `docs/rules/captain-carcass.md`; comments and tests name them (`CC-8`).

mod action;
mod cards;
mod effects;
mod event;
mod event_encoding;
mod incident;
mod legal;
mod options;
mod play;
mod rules;
mod scoring;
mod setup;
mod state;
#[cfg(test)]
pub(crate) mod tests;
mod versions;
mod view;

pub use action::{Action, Offer};
pub use cards::{Card, Suit};
pub use event::{Event, GameEnd, Skip};
pub use options::{Character, Diver, Divers, Options, Variant};
pub use state::{ExploredCard, OpenNet, Phase, Source, State};
pub use versions::Rules;
pub use view::{PlayerView, View};

/// The name for people.
pub const TITLE: &str = "Captain Carcass";

/// CC-0: the fewest and the most seats.
pub const SEATS: core::ops::RangeInclusive<u8> = 2..=4;
/// The rule that says so.
pub const SEAT_RULE: &str = "CC-0";

/// No game has more actions than this.
///
/// A `Draw` takes a card from the draw pile, which never grows: at most 50. A turn has at least one of them, so there are
/// at most 50 turns. Each has at most one `Surface` and one `Plunder`, and choices only for cards that stay in the row:
/// at most 10 cards with two choices each. `NameVictim` comes once: 1 + 50 + 50 × (2 + 20).
pub const MAX_ACTIONS: usize = 1_151;
