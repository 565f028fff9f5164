//! Who sits where, and the mark of a fork.

use divelog_proto::v1::{ForkOrigin, Game};

use crate::strings::clean_line;

/// What a fork is marked with everywhere: nobody's results count there.
pub fn fork_mark(source: &str, revision: u64) -> String {
    clean_line(&format!("FORK of {source} at {revision}"))
}

/// Who sits where, safe to print, and whether the table is a fork of another.
#[derive(Debug, Clone, Default)]
pub struct Seating {
    names: Vec<String>,
    fork: Option<String>,
}

impl Seating {
    /// By seat; names may be empty.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Self {
        Self { names: names.into_iter().map(|name| clean_line(name.as_ref())).collect(), fork: None }
    }

    /// The seating of a game.
    pub fn of(game: &Game) -> Self {
        Self::new(&game.players).forked(game.fork_of.as_ref())
    }

    /// The same seating at the table of a fork, if there is one.
    pub fn forked(self, origin: Option<&ForkOrigin>) -> Self {
        Self { fork: origin.map(|origin| fork_mark(&origin.game_id, origin.revision)), ..self }
    }

    /// The mark of a fork's table.
    pub fn fork(&self) -> Option<&str> {
        self.fork.as_deref()
    }

    /// The name alone; empty if there is none.
    pub fn name(&self, seat: u32) -> &str {
        usize::try_from(seat).ok().and_then(|at| self.names.get(at)).map_or("", String::as_str)
    }

    /// The name and the seat.
    pub fn full(&self, seat: u32) -> String {
        match self.name(seat) {
            "" => format!("seat {seat}"),
            name => format!("{name} (seat {seat})"),
        }
    }

    /// Several seats, as in `Ana (seat 0), seat 1`.
    pub fn list(&self, seats: &[u32]) -> String {
        let full: Vec<String> = seats.iter().map(|&seat| self.full(seat)).collect();
        full.join(", ")
    }

    /// All players, in the order of their seats.
    pub fn all(&self) -> String {
        let seats: Vec<u32> = (0u32..).zip(&self.names).map(|(seat, _)| seat).collect();
        self.list(&seats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_have_names_and_numbers() {
        let seating = Seating::new(["Ana\u{1b}", ""]);
        assert_eq!(seating.all(), "Ana\\u001b (seat 0), seat 1");
        assert_eq!(seating.full(7), "seat 7");
    }
}
