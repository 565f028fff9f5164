//! Whose turn it is, and what for.

use divelog_proto::games::veiled_isles::v1::{Phase, View};

use super::deck_name;
use crate::{Screen, Seating, strings::wrap};

/// The seats that are asked.
pub fn seats(view: &View, abandoned: bool) -> Vec<u32> {
    match view.phase() {
        _ if abandoned => Vec::new(),
        Phase::Over => Vec::new(),
        Phase::Pass => view.players.iter().filter(|player| !player.has_passed).map(|player| player.seat).collect(),
        _ => view.turn.into_iter().collect(),
    }
}

/// The lines at the end of the board.
pub fn section(view: &View, abandoned: bool, seating: &Seating, screen: Screen) -> String {
    let text = match seats(view, abandoned).as_slice() {
        _ if abandoned => "The game is abandoned.".into(),
        [] => "The game is over.".into(),
        [seat] => format!("{} is to {}.", seating.full(*seat), task(view, seating, screen)),
        seats => format!("{} are to {}.", seating.list(seats), task(view, seating, screen)),
    };
    let lines: Vec<String> = wrap(&text, screen.width).iter().map(|line| screen.paint.strong(line)).collect();
    lines.join("\n")
}

fn task(view: &View, seating: &Seating, screen: Screen) -> String {
    match view.phase() {
        Phase::Pass => "pass an island to the right neighbour".into(),
        Phase::Play => "play an island, with one half left open".into(),
        Phase::Treasure => "take or steal a treasure".into(),
        Phase::StealBonus => "steal 2 bonus cards (A1)".into(),
        Phase::SwapWith => "choose whose islands to take at random (A2)".into(),
        Phase::GiveBack => {
            let to = view.give_back_to.map_or_else(|| "another player".into(), |seat| seating.full(seat));
            match view.give_back_count {
                Some(1) => format!("give 1 island to {to} (A2)"),
                Some(count) => format!("give {count} islands to {to} (A2)"),
                None => format!("give islands to {to} (A2)"),
            }
        }
        Phase::PeekDeck => "choose a deck to look at (A3)".into(),
        Phase::Reorder => {
            let deck = deck_name(view.peeked_deck(), screen.lang);
            format!("put the top of the {deck} back in any order, the new top first (A3)")
        }
        Phase::TakePlayed => "take an island of this trick (A4)".into(),
        Phase::DiscardIsland => "discard an island (A4)".into(),
        Phase::Over | Phase::Unspecified => "act".into(),
    }
}

#[cfg(test)]
mod tests {
    use divelog_proto::games::veiled_isles::v1::Deck;

    use super::super::fixtures::player;
    use super::*;

    fn view_in(phase: Phase) -> View {
        View {
            phase: phase.into(),
            turn: Some(0),
            players: (0..3).map(|seat| player(seat, 5)).collect(),
            ..Default::default()
        }
    }

    fn section_of(view: &View) -> String {
        section(view, false, &Seating::new(["Ana", "Ben", ""]), Screen::plain(100))
    }

    #[test]
    fn each_phase_has_its_task() {
        let mut give = view_in(Phase::GiveBack);
        (give.give_back_to, give.give_back_count) = (Some(1), Some(2));
        let mut reorder = view_in(Phase::Reorder);
        reorder.peeked_deck = Some(Deck::GreenPurple.into());
        let cases = [
            (view_in(Phase::Play), "play an island, with one half left open"),
            (view_in(Phase::Treasure), "take or steal a treasure"),
            (view_in(Phase::StealBonus), "steal 2 bonus cards (A1)"),
            (view_in(Phase::SwapWith), "choose whose islands to take at random (A2)"),
            (view_in(Phase::GiveBack), "give islands to another player (A2)"),
            (View { give_back_count: Some(1), ..give.clone() }, "give 1 island to Ben (seat 1) (A2)"),
            (give, "give 2 islands to Ben (seat 1) (A2)"),
            (view_in(Phase::PeekDeck), "choose a deck to look at (A3)"),
            (reorder, "put the top of the green/purple deck back in any order, the new top first (A3)"),
            (view_in(Phase::TakePlayed), "take an island of this trick (A4)"),
            (view_in(Phase::DiscardIsland), "discard an island (A4)"),
            (View { phase: 99, ..view_in(Phase::Play) }, "act"),
        ];
        for (view, task) in cases {
            assert_eq!(section_of(&view), format!("Ana (seat 0) is to {task}."));
        }
    }

    #[test]
    fn those_who_have_not_passed_are_asked() {
        let mut view = View { turn: None, ..view_in(Phase::Pass) };
        view.players[1].has_passed = true;
        assert_eq!(section_of(&view), "Ana (seat 0), seat 2 are to pass an island to the right neighbour.");
        assert_eq!(seats(&view, false), [0, 2]);
        assert_eq!(seats(&view, true), [0u32; 0]);
    }

    #[test]
    fn nobody_is_asked() {
        let over = View { turn: None, ..view_in(Phase::Over) };
        assert_eq!(section_of(&over), "The game is over.");
        let abandoned = section(&view_in(Phase::Play), true, &Seating::default(), Screen::plain(100));
        assert_eq!(abandoned, "The game is abandoned.");
    }
}
