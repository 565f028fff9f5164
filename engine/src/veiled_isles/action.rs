//! What a player can ask for, and how it is offered.

use alloc::vec::Vec;

use super::island::{Half, Island, IslandSet};
use super::treasure::Deck;
use crate::Seat;

/// An action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Pass an island to the right neighbour (VI-6).
    Pass {
        /// The highest of a colour of which the player holds the most.
        island: Island,
    },
    /// Play an island under a sail (VI-7).
    Play {
        /// The island.
        island: Island,
        /// The half that is left open.
        show: Half,
        /// How many bonus cards go with it.
        bonus: u32,
    },
    /// Take the treasure that is turned up (VI-10).
    TakeTreasure,
    /// Steal another player's visible treasure instead (VI-10).
    StealTreasure {
        /// The other player.
        seat: Seat,
    },
    /// A1: steal 2 bonus cards (VI-16).
    StealBonus {
        /// The other player.
        seat: Seat,
    },
    /// A1: take 2 bonus cards from the supply (VI-16).
    DrawBonus,
    /// A2: take islands at random (VI-17).
    SwapWith {
        /// The other player.
        seat: Seat,
    },
    /// A2: give as many islands back (VI-17).
    GiveBack {
        /// A set: each once, in any order.
        islands: Vec<Island>,
    },
    /// A3: look at the top three face-down treasures of a deck (VI-18).
    PeekDeck {
        /// The deck.
        deck: Deck,
    },
    /// A3: put them back (VI-18).
    Reorder {
        /// Positions in the old order, from 0, the new top first.
        order: Vec<u32>,
    },
    /// A4: take an island of this trick (VI-19).
    TakePlayed {
        /// Who played it.
        seat: Seat,
    },
    /// A4: discard an island (VI-19).
    DiscardIsland {
        /// The island.
        island: Island,
    },
}

/// One entry of a list of legal actions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Offer {
    /// One action.
    Single(Action),
    /// One island played with either half open and from no to `max_bonus` bonus cards (VI-7).
    Play {
        /// The island.
        island: Island,
        /// The most bonus cards.
        max_bonus: u8,
    },
    /// Any `count` of these islands given back (VI-17).
    GiveBack {
        /// The hand.
        islands: IslandSet,
        /// How many are given.
        count: u8,
    },
}

impl crate::Offer for Offer {
    type Action = Action;

    fn count(&self) -> u64 {
        match self {
            Offer::Single(_) => 1,
            Offer::Play { max_bonus, .. } => 2 * (u64::from(*max_bonus) + 1),
            Offer::GiveBack { islands, count } => choices(islands.len(), *count),
        }
    }

    fn nth(&self, number: u64) -> Action {
        match self {
            Offer::Single(action) => action.clone(),
            Offer::Play { island, .. } => {
                let show = if number.is_multiple_of(2) { Half::Sea } else { Half::Coast };
                Action::Play { island: *island, show, bonus: (number / 2) as u32 }
            }
            Offer::GiveBack { islands, count } => Action::GiveBack { islands: nth_choice(*islands, *count, number) },
        }
    }

    fn admits(&self, action: &Action) -> bool {
        match (self, action) {
            (Offer::Single(single), action) => single == action,
            (Offer::Play { island, max_bonus }, Action::Play { island: played, bonus, .. }) => {
                island == played && *bonus <= u32::from(*max_bonus)
            }
            (Offer::GiveBack { islands, count }, Action::GiveBack { islands: given }) => {
                let set: IslandSet = given.iter().copied().collect();
                let all_are_held = given.iter().all(|island| islands.contains(*island));
                all_are_held && given.len() == usize::from(*count) && set.len() == *count
            }
            _ => false,
        }
    }
}

/// In how many ways `count` of `items` can be chosen.
fn choices(items: u8, count: u8) -> u64 {
    (0..u64::from(count)).fold(1, |product, chosen| product * u64::from(items).saturating_sub(chosen) / (chosen + 1))
}

/// The choice with this number, in the order of a dictionary: each choice ascending.
fn nth_choice(islands: IslandSet, count: u8, mut number: u64) -> Vec<Island> {
    let mut chosen = Vec::with_capacity(usize::from(count));
    let (mut left, mut wanted) = (islands.len(), count);
    for island in islands.iter() {
        if wanted == 0 {
            break;
        }
        left -= 1;
        // This many choices of the rest begin with this island.
        let with_it = choices(left, wanted - 1);
        if number < with_it {
            chosen.push(island);
            wanted -= 1;
        } else {
            number -= with_it;
        }
    }
    chosen
}
