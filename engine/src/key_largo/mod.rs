//! Key Largo: 3 to 5 players dive for sunken treasure before the hurricane comes, and sell it at the best price.
//!
//! The rules are numbered in `docs/rules/key-largo.md`; comments and tests name them (`KL-8`). Each place of the island
//! has a file of its own.

mod action;
mod bar;
mod cards;
mod carry_over;
mod check;
mod dive;
mod effects;
mod encoding;
mod encounter;
mod event;
mod flow;
mod legal;
mod market;
mod offer;
mod pieces;
mod playing;
mod redact;
mod rules;
mod setup;
mod shop;
mod state;
mod tables;
#[cfg(test)]
pub(crate) mod tests;
mod versions;
mod view;

pub use action::{Action, Play};
pub use cards::{Card, CardId, CardKind, CardSet, Face};
pub use encounter::Encounter;
pub use event::{DrawCause, Event, SaleWay};
pub use offer::Offer;
pub use pieces::{Depth, Diver, Half, Item, Place, Stock, Ware};
pub use state::{Phase, State};
pub use tables::{BarPrices, DepthCards, Options, ShopPrices, Tables};
pub use versions::Rules;
pub use view::{DiveView, LookView, PlayerView, View, VisitView, WreckView};

/// The name for people.
pub const TITLE: &str = "Key Largo";

/// KL-0: the fewest and the most seats.
pub const SEATS: core::ops::RangeInclusive<u8> = 3..=5;
/// The rule that says so.
pub const SEAT_RULE: &str = "KL-0";

/// No game has more actions than this.
///
/// A day has a programme for each of 5 seats and two half-days in which each of them acts. The longest action is a dive:
/// a boat, a moment for the saboteur, 3 draws, 3 weights, an encounter, an answer to each of at most 5 monsters and one
/// more that a regular sends back, and the surfacing, 16 in all: 10 days × (5 + 2 × 5 × 16).
pub const MAX_ACTIONS: usize = 1_650;
