//! Whose turn it is, and what for.

use divelog_proto::games::key_largo::v1::Phase;

use super::BoardContext;
use crate::strings;

pub fn section(context: BoardContext) -> String {
    if context.over() {
        return context.strong("The game is over.");
    }
    if context.abandoned {
        return context.strong("The game is abandoned: nobody is asked.");
    }
    let text = match (context.view.phase(), context.acting()) {
        (Phase::Program, _) => format!("{} to choose two different places for the day.", asked(context)),
        (phase, Some(player)) => format!("{} {}.", context.seating.full(player.seat), task(phase)),
        (_, None) => format!("{} asked.", asked(context)),
    };
    let lines: Vec<String> =
        strings::wrap(&text, context.screen.width).iter().map(|line| painted(line, context)).collect();
    lines.join("\n")
}

fn painted(line: &str, context: BoardContext) -> String {
    if context.view.phase() == Phase::Monster { context.screen.paint.alarm(line) } else { context.strong(line) }
}

fn asked(context: BoardContext) -> String {
    match context.view.asked.as_slice() {
        [] => "Nobody is".into(),
        [one] => format!("{} is", context.seating.full(*one)),
        several => format!("{} are", context.seating.list(several)),
    }
}

fn task(phase: Phase) -> &'static str {
    match phase {
        Phase::PlaceBoat => "is to place the boat",
        Phase::Sabotage => "may play a saboteur before the dives",
        Phase::Dive => "dives",
        Phase::Monster => "has met a monster",
        Phase::Bar => "is at the bar",
        Phase::SecondWreck => "may ask about a second wreck",
        Phase::Dolphins => "is at the dolphins",
        Phase::Shop => "is in the shop",
        Phase::Market => "is at the market",
        Phase::Program | Phase::Over | Phase::Unspecified => "is asked what this client does not know",
    }
}

#[cfg(test)]
mod tests {
    use divelog_proto::games::key_largo::v1::{Place, View};

    use super::super::super::fixtures::{first_day, revealed};
    use super::*;
    use crate::{Paint, Screen, Seating};

    fn section_of(view: &View, screen: Screen) -> String {
        let tables = view.tables.clone().unwrap_or_default();
        let seating = Seating::new(["Ana", "Ben"]);
        section(BoardContext { view, tables: &tables, abandoned: false, seating: &seating, screen })
    }

    #[test]
    fn each_phase_has_its_task() {
        let cases = [
            (Phase::PlaceBoat, "Ana (seat 0) is to place the boat."),
            (Phase::Sabotage, "Ana (seat 0) may play a saboteur before the dives."),
            (Phase::Dive, "Ana (seat 0) dives."),
            (Phase::Monster, "Ana (seat 0) has met a monster."),
            (Phase::Bar, "Ana (seat 0) is at the bar."),
            (Phase::SecondWreck, "Ana (seat 0) may ask about a second wreck."),
            (Phase::Dolphins, "Ana (seat 0) is at the dolphins."),
            (Phase::Shop, "Ana (seat 0) is in the shop."),
            (Phase::Market, "Ana (seat 0) is at the market."),
            (Phase::Unspecified, "Ana (seat 0) is asked what this client does not know."),
        ];
        for (phase, text) in cases {
            assert_eq!(section_of(&revealed([Place::Dive; 3], phase, 0), Screen::plain(80)), text);
        }
        let painted = Screen { paint: Paint::new(true), ..Screen::plain(80) };
        let monster = section_of(&revealed([Place::Dive; 3], Phase::Monster, 0), painted);
        assert_eq!(monster, "\u{1b}[1m\u{1b}[31mAna (seat 0) has met a monster.\u{1b}[0m");
    }

    #[test]
    fn the_programme_asks_those_who_have_none() {
        let view = |asked: &[u32]| View { asked: asked.to_vec(), ..first_day() };
        let plain = |asked: &[u32]| section_of(&view(asked), Screen::plain(80));
        assert_eq!(plain(&[0, 2]), "Ana (seat 0), seat 2 are to choose two different places for the day.");
        assert_eq!(plain(&[1]), "Ben (seat 1) is to choose two different places for the day.");
        let narrow = section_of(&view(&[1]), Screen::plain(40));
        assert_eq!(narrow, "Ben (seat 1) is to choose two different\nplaces for the day.");
    }
}
