//! Why an action is refused.

use alloc::string::String;
use core::{fmt, ops::RangeInclusive};

use crate::Seat;

/// An action against the rules: which rule, a stable reason for programs, a sentence for people.
///
/// A sentence may tell only what the acting seat can see anyway.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The rule's id, such as `DSA-7`, or a common one: `OVER`, `TURN`, `MALFORMED`, `PHASE`.
    pub rule: &'static str,
    /// A stable name, such as `FIRST_TURN`.
    pub reason: &'static str,
    /// What is wrong and what would be right.
    pub sentence: String,
}

impl Violation {
    /// A violation of one rule.
    pub fn new(rule: &'static str, reason: &'static str, sentence: impl Into<String>) -> Violation {
        Violation { rule, reason, sentence: sentence.into() }
    }

    /// A number of seats that the game's rule 0 does not allow.
    pub fn seat_count(rule: &'static str, title: &str, seats: RangeInclusive<u8>, count: usize) -> Violation {
        let (fewest, most) = (seats.start(), seats.end());
        Violation::new(rule, "SEAT_COUNT", alloc::format!("{title} has {fewest} to {most} seats, not {count}"))
    }

    /// The game has ended. Judged first.
    pub fn over() -> Violation {
        Violation::new("OVER", "GAME_OVER", "the game has ended: no seat can act any more")
    }

    /// This seat is not asked now. Judged second.
    pub fn turn(seat: Seat) -> Violation {
        Violation::new("TURN", "NOT_ASKED", alloc::format!("{seat} is not asked to act now"))
    }

    /// The table has no such seat, so it is not asked. Judged second.
    pub fn no_such_seat(sentence: impl Into<String>) -> Violation {
        Violation::new("TURN", "NOT_ASKED", sentence)
    }

    /// Not an action of this game, an unknown card or seat. Judged third.
    pub fn malformed(sentence: impl Into<String>) -> Violation {
        Violation::new("MALFORMED", "MALFORMED_ACTION", sentence)
    }

    /// An action of another phase. Judged fourth, before the game's own rules.
    pub fn phase(sentence: impl Into<String>) -> Violation {
        Violation::new("PHASE", "WRONG_PHASE", sentence)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.rule, self.reason, self.sentence)
    }
}

impl core::error::Error for Violation {}
