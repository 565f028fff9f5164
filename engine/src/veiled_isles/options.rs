//! What can be chosen when a game is created.

use alloc::{format, vec::Vec};
use core::fmt;

use super::treasure::PER_COLOUR;
use crate::Violation;

/// What an action card says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionCard {
    /// Steal 2 bonus cards (VI-16).
    A1,
    /// Swap islands with another player (VI-17).
    A2,
    /// Look at treasures and put them back in any order (VI-18).
    A3,
    /// Take an island of this trick (VI-19).
    A4,
}

impl fmt::Display for ActionCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// The options. What is left out has its default.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The action for red and blue (VI-R2).
    pub red_blue_action: Option<ActionCard>,
    /// The action for green and purple (VI-R2).
    pub green_purple_action: Option<ActionCard>,
    /// What the treasures of each colour are worth, in any order (VI-R1).
    pub treasure_values: Option<Vec<u32>>,
}

/// Options that were found right, with their defaults.
pub(super) struct Checked {
    pub(super) red_blue: ActionCard,
    pub(super) green_purple: ActionCard,
    /// Ascending.
    pub(super) values: [u8; PER_COLOUR],
}

/// VI-R1: what the treasures of a colour are worth by default.
const DEFAULT_VALUES: [u8; PER_COLOUR] = [1, 2, 2, 3, 3, 4, 4, 5];
/// The most that a treasure can be worth.
const MAX_POINTS: u8 = 99;
/// VI-2: what three players leave out of each colour, so every game must have it.
pub(super) const LEFT_OUT: [u8; 3] = [2, 3, 4];

impl Options {
    pub(super) fn check(&self) -> Result<Checked, Violation> {
        let red_blue = self.red_blue_action.unwrap_or(ActionCard::A1);
        let green_purple = self.green_purple_action.unwrap_or(ActionCard::A3);
        if red_blue == green_purple {
            let sentence = format!(
                "{red_blue} would be the action of both cards: choose two different ones; left out, red_blue_action is \
                 A1 and green_purple_action A3"
            );
            return Err(Violation::new("VI-R2", "SAME_ACTION", sentence));
        }
        let values = self.treasure_values.as_deref().map_or(Ok(DEFAULT_VALUES), check_values)?;
        Ok(Checked { red_blue, green_purple, values })
    }
}

/// VI-R1: 8 numbers from 0 to 99, with a 2, a 3 and a 4 among them.
fn check_values(given: &[u32]) -> Result<[u8; PER_COLOUR], Violation> {
    let refuse = |reason, sentence| Err(Violation::new("VI-R1", reason, sentence));
    let Ok(given) = <[u32; PER_COLOUR]>::try_from(given) else {
        let sentence = format!("treasure_values needs {PER_COLOUR} numbers, not {}", given.len());
        return refuse("TREASURE_VALUE_COUNT", sentence);
    };
    if let Some(value) = given.iter().find(|value| **value > u32::from(MAX_POINTS)) {
        let sentence = format!("a treasure is worth 0 to {MAX_POINTS} points, not {value}");
        return refuse("TREASURE_VALUE_RANGE", sentence);
    }
    if let Some(value) = LEFT_OUT.iter().find(|value| !given.contains(&u32::from(**value))) {
        let sentence = format!("treasure_values needs at least one 2, one 3 and one 4: there is no {value}");
        return refuse("TREASURE_VALUE_MISSING", sentence);
    }
    let mut values = given.map(|value| value as u8);
    values.sort_unstable();
    Ok(values)
}
