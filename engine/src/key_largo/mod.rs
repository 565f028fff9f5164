//! Key Largo: 3 to 5 players dive for sunken treasure before the hurricane comes, and sell it at the best price.
//!
//! The rules are numbered in `docs/rules/key-largo.md`; comments and tests name them (`KL-8`). Each place of the island
//! has a file of its own.

mod action;
mod encounter;
mod event;
mod offer;
mod pieces;
mod state;
mod tables;
mod view;

pub use action::{Action, Play};
pub use encounter::Encounter;
pub use event::{DrawCause, Event, SaleWay};
pub use offer::Offer;
pub use pieces::{Card, CardId, CardKind, CardSet, Depth, Diver, Face, Half, Item, Place, Stock, Ware};
pub use state::{Phase, State};
pub use tables::{BarPrices, DepthCards, Options, ShopPrices, Tables};
pub use view::{DiveView, LookView, PlayerView, View, VisitView, WreckView};

/// KL-0: the fewest and the most seats.
pub const SEATS: core::ops::RangeInclusive<u8> = 3..=5;
