//! How a game ended.

use alloc::vec::Vec;

use crate::{Seat, SeatSet};

/// The result of a finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// One entry per seat, ascending.
    pub standings: Vec<Standing>,
    /// Who won. Several share the win; none is possible where a variant says so.
    pub winners: SeatSet,
}

/// One seat's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The seat.
    pub seat: Seat,
    /// Its points.
    pub points: i64,
    /// Its rank, from 1; equal ranks are shared, and the next rank counts all before it.
    pub rank: u8,
}

impl Outcome {
    /// Ranks the seats by a key, highest first, and lets the first rank win.
    ///
    /// The key holds the points and every tie-break; equal keys share a rank.
    pub fn ranked<K: Ord>(seats: impl Iterator<Item = (Seat, i64, K)>) -> Outcome {
        let seats: Vec<(Seat, i64, K)> = seats.collect();
        let standings: Vec<Standing> = seats
            .iter()
            .map(|(seat, points, key)| {
                let better = seats.iter().filter(|(_, _, other)| other > key).count();
                Standing { seat: *seat, points: *points, rank: better as u8 + 1 }
            })
            .collect();
        let winners = standings.iter().filter(|s| s.rank == 1).map(|s| s.seat).collect();
        Outcome { standings, winners }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_share_a_rank_and_the_next_rank_counts_them_all() {
        let keys = [(Seat(0), 5, 5), (Seat(1), 9, 9), (Seat(2), 9, 9), (Seat(3), 1, 1)];
        let outcome = Outcome::ranked(keys.into_iter());
        let ranks: Vec<u8> = outcome.standings.iter().map(|s| s.rank).collect();
        assert_eq!(ranks, [3, 1, 1, 4]);
        assert_eq!(outcome.winners, SeatSet::only(Seat(1)).with(Seat(2)));
    }
}
