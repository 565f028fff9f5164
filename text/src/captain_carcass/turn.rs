//! Whose turn it is, and what for.

use divelog_proto::games::captain_carcass::v1::{Phase, View};

use super::count;
use crate::{Screen, Seating, strings::wrap};

/// The line at the end of the board.
pub fn section(view: &View, seating: &Seating, screen: Screen) -> String {
    let over = || screen.paint.strong("The game is over.");
    let Some(seat) = view.asked else { return over() };
    let Some(task) = task(view) else { return over() };
    let who = seating.full(seat);
    let line = wrap(&format!("{who} is to {task}."), screen.width).join("\n");
    match line.strip_prefix(&who) {
        Some(rest) => format!("{}{rest}", screen.paint.strong(&who)),
        None => line, // A name so long that it was broken.
    }
}

/// What is to be done; none when the game is over.
fn task(view: &View) -> Option<String> {
    // A phase that is newer than this client.
    let Ok(phase) = Phase::try_from(view.phase) else { return Some("act".into()) };
    Some(match phase {
        Phase::NameVictim => "name the victim of the saboteuse".into(),
        Phase::Explore => "explore".into(),
        Phase::Knife => "use the knife".into(),
        Phase::Harpoon => "use the harpoon".into(),
        Phase::Net => "use the net".into(),
        Phase::Misfire => "lose a card to a misfire".into(),
        Phase::Map => "place a card of the map".into(),
        Phase::Plunder => format!("plunder up to {}", count(view.plunder_count)),
        Phase::Over | Phase::Unspecified => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(phase: i32) -> View {
        View { phase, asked: Some(0), plunder_count: 4, ..Default::default() }
    }

    fn section_of(view: &View, width: usize) -> String {
        section(view, &Seating::new(["Ana"]), Screen::plain(width))
    }

    #[test]
    fn each_phase_has_its_task() {
        let cases = [
            (Phase::NameVictim, "Ana (seat 0) is to name the victim of the saboteuse."),
            (Phase::Explore, "Ana (seat 0) is to explore."),
            (Phase::Knife, "Ana (seat 0) is to use the knife."),
            (Phase::Harpoon, "Ana (seat 0) is to use the harpoon."),
            (Phase::Net, "Ana (seat 0) is to use the net."),
            (Phase::Misfire, "Ana (seat 0) is to lose a card to a misfire."),
            (Phase::Map, "Ana (seat 0) is to place a card of the map."),
            (Phase::Plunder, "Ana (seat 0) is to plunder up to 4 cards."),
            (Phase::Over, "The game is over."),
            (Phase::Unspecified, "The game is over."),
        ];
        for (phase, text) in cases {
            assert_eq!(section_of(&view(phase.into()), 80), text);
        }
        assert_eq!(section_of(&View { asked: None, ..view(Phase::Net.into()) }, 80), "The game is over.");
        assert_eq!(section_of(&view(99), 80), "Ana (seat 0) is to act.");
    }

    #[test]
    fn the_line_wraps_at_the_width() {
        let text = section_of(&view(Phase::NameVictim.into()), 40);
        assert_eq!(text, "Ana (seat 0) is to name the victim of\nthe saboteuse.");
    }
}
