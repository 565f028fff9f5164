//! What an explorer can ask for.

use crate::Offer;

/// An action. Deep Sea Adventure has so few that each legal one is listed by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Roll and move, saying first whether to turn back (DSA-7, DSA-8).
    Dive {
        /// Whether the explorer turns back now.
        turn_back: bool,
    },
    /// Search: do nothing (DSA-11).
    Leave,
    /// Search: pick up what lies here (DSA-11).
    PickUp,
    /// Search: put one of the load down on a blank (DSA-11).
    PutDown {
        /// Which, from 0, in the order of picking up.
        load_index: u32,
    },
}

impl Offer for Action {
    type Action = Action;

    fn count(&self) -> u64 {
        1
    }

    fn nth(&self, _number: u64) -> Action {
        *self
    }

    fn admits(&self, action: &Action) -> bool {
        self == action
    }
}
