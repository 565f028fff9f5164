//! What can be typed now, under the board: the legal actions that the server gave, in the words that it takes.

use divelog_proto::v1::SeatLegalActions;

use crate::{Screen, Seating, games, strings::wrap_list};

/// Before each line of words.
const INDENT: &str = "  ";

/// What each of these seats can type; empty if there is nothing.
pub(crate) fn section(legal: &[SeatLegalActions], seating: &Seating, screen: Screen) -> String {
    let seats: Vec<String> = legal
        .iter()
        .filter(|seat| !seat.legal_actions.is_empty())
        .map(|seat| {
            let title = screen.paint.strong(&format!("{} can type:", seating.full(seat.seat)));
            let words: Vec<String> = seat.legal_actions.iter().map(games::legal_words).collect();
            let lines = lines(&words, screen.width.saturating_sub(INDENT.len()));
            let lines: Vec<String> = lines.iter().map(|line| format!("\n{INDENT}{line}")).collect();
            format!("{title}{}", lines.concat())
        })
        .collect();
    seats.join("\n")
}

/// Single actions share lines, in their order. A family has a line of its own: its choices contain commas and
/// colons, so that nobody could see where it ends.
fn lines(words: &[String], width: usize) -> Vec<String> {
    words
        .chunk_by(|one, next| !is_family(one) && !is_family(next))
        .flat_map(|alike| wrap_list(alike, ", ", width))
        .collect()
}

fn is_family(words: &str) -> bool {
    words.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paint;
    use divelog_proto::{
        games::key_largo::v1 as kl,
        v1::{GameKind, LegalAction, legal_action},
    };

    fn entry(legal: kl::legal_action::LegalAction) -> LegalAction {
        let legal = kl::LegalAction { legal_action: Some(legal) };
        LegalAction { legal_action: Some(legal_action::LegalAction::KeyLargo(legal)) }
    }

    fn single(words: &str) -> LegalAction {
        let action = games::parse_action(GameKind::KeyLargo, 2, &[words.to_owned()]).unwrap();
        let Some(divelog_proto::v1::game_action::Action::KeyLargo(action)) = action.action else { panic!("{words}") };
        entry(kl::legal_action::LegalAction::Action(action))
    }

    fn at_the_bar() -> SeatLegalActions {
        let round = kl::BuyRoundFamily { wrecks: vec![0, 2, 5] };
        let legal_actions = vec![
            single("recruit"),
            single("pickpocket 1 deep"),
            single("pickpocket 2 deep"),
            entry(kl::legal_action::LegalAction::BuyRound(round)),
            single("done"),
        ];
        SeatLegalActions { seat: 1, legal_actions }
    }

    #[test]
    fn actions_share_lines_and_families_have_their_own() {
        let seating = Seating::new(["Ana", "Ben"]);
        let expected = "\
Ben (seat 1) can type:
  recruit, pickpocket 1 deep,
  pickpocket 2 deep
  round WRECK WRECK: any two of 0 2 5
  done";
        assert_eq!(section(&[at_the_bar()], &seating, Screen::plain(40)), expected);
    }

    #[test]
    fn each_seat_has_a_title_and_nothing_is_empty() {
        let seating = Seating::default();
        let legal = [
            SeatLegalActions { seat: 0, legal_actions: vec![single("done")] },
            SeatLegalActions { seat: 2, legal_actions: vec![LegalAction::default()] },
            SeatLegalActions { seat: 3, legal_actions: vec![] },
        ];
        let unknown = games::legal_words(&LegalAction::default());
        assert_eq!(
            section(&legal, &seating, Screen::plain(80)),
            format!("seat 0 can type:\n  done\nseat 2 can type:\n  {unknown}")
        );
        assert_eq!(section(&[], &seating, Screen::plain(80)), "");
        let painted = section(&legal, &seating, Screen { paint: Paint::new(true), ..Screen::plain(80) });
        assert!(painted.starts_with("\u{1b}[1mseat 0 can type:\u{1b}[0m\n  done\n"), "{painted}");
    }
}
