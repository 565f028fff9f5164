//! The result of a game under its board: who has won, and what everybody has.

use divelog_proto::v1::Outcome;

use crate::{Screen, Seating, strings::wrap};

/// Before each line of the standings.
const INDENT: &str = "  ";

/// The winners in a sentence, and the standings, best first.
pub(crate) fn section(outcome: &Outcome, seating: &Seating, screen: Screen) -> String {
    let mut lines: Vec<String> =
        wrap(&winners(outcome, seating), screen.width).iter().map(|line| screen.paint.strong(line)).collect();
    let mut standings = outcome.standings.clone();
    standings.sort_by_key(|standing| (standing.rank, standing.seat));
    lines.extend(
        standings
            .iter()
            .map(|standing| format!("{INDENT}{}. {}: {}", standing.rank, seating.full(standing.seat), standing.points)),
    );
    lines.join("\n")
}

fn winners(outcome: &Outcome, seating: &Seating) -> String {
    let winners = seating.list(&outcome.winners);
    match outcome.winners.len() {
        0 => "Nobody wins.".into(),
        1 => format!("Winner: {winners}."),
        _ => format!("Winners, who share the win: {winners}."),
    }
}

#[cfg(test)]
mod tests {
    use divelog_proto::v1::Standing;

    use super::*;

    fn outcome(winners: &[u32]) -> Outcome {
        let standing = |seat, points, rank| Standing { seat, points, rank };
        Outcome {
            standings: vec![standing(0, -3, 2), standing(1, 30, 1), standing(2, 30, 1)],
            winners: winners.to_vec(),
        }
    }

    #[test]
    fn the_winners_and_all_scores_are_named() {
        let seating = Seating::new(["Ana", "山田", ""]);
        let drawn = |winners: &[u32], width| section(&outcome(winners), &seating, Screen::plain(width));
        let standings = "\n  1. 山田 (seat 1): 30\n  1. seat 2: 30\n  2. Ana (seat 0): -3";
        assert_eq!(drawn(&[1], 80), format!("Winner: 山田 (seat 1).{standings}"));
        assert_eq!(drawn(&[1, 2], 80), format!("Winners, who share the win: 山田 (seat 1), seat 2.{standings}"));
        assert_eq!(drawn(&[], 80), format!("Nobody wins.{standings}"));
        assert!(drawn(&[1, 2], 40).starts_with("Winners, who share the win: 山田 (seat\n1), seat 2.\n"));
    }
}
