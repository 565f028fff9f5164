//! Deep Sea Adventure for people.

mod board;
mod events;
mod rule_book;
mod words;

use divelog_engine::deep_sea_adventure::State;
use divelog_proto::games::deep_sea_adventure::v1::{self as pb, Chip, Stack};
use divelog_proto::v1::game_action;

use crate::{Lang, ParseError, Screen, Seating, games::GameText};

impl GameText for State {
    type WireAction = pb::Action;
    type WireLegalAction = pb::LegalAction;
    type WireEvent = pb::Event;
    type WireView = pb::View;

    fn parse_action(_rules: Self::Rules, words: &[&str]) -> Result<game_action::Action, ParseError> {
        words::parse(words).map(game_action::Action::DeepSeaAdventure)
    }

    fn action_words(action: &pb::Action) -> String {
        words::of(action)
    }

    fn legal_words(legal: &pb::LegalAction) -> Option<String> {
        words::of_legal(legal)
    }

    fn event_sentence(event: &pb::Event, seating: &Seating, lang: Lang) -> Option<String> {
        events::sentence(event, seating, lang)
    }

    fn draw(view: &pb::View, abandoned: bool, seating: &Seating, screen: Screen) -> String {
        board::draw(view, abandoned, seating, screen)
    }
}

/// A blank space (DSA-11).
const BLANK: &str = "·";

/// A chip by its level, with `=value` where the viewer may see it (DSA-12).
fn chip(chip: &Chip) -> String {
    match chip.value {
        Some(value) => format!("{}={value}", chip.level),
        None => chip.level.to_string(),
    }
}

/// What lies on a space or is carried as one: chips joined by `+`, or a blank.
fn stack(stack: &Stack) -> String {
    if stack.chips.is_empty() {
        return BLANK.into();
    }
    let chips: Vec<String> = stack.chips.iter().map(chip).collect();
    chips.join("+")
}

/// Several chips in a row, or a dash.
fn chips(chips: &[Chip]) -> String {
    if chips.is_empty() {
        return "-".into();
    }
    let texts: Vec<String> = chips.iter().map(chip).collect();
    texts.join(" ")
}

/// Where an explorer stands: 0 is the submarine.
fn place(position: u32, lang: Lang) -> String {
    if position == 0 { lang.name("the submarine", "sous-marin") } else { format!("space {position}") }
}

#[cfg(test)]
pub mod fixtures {
    //! Chips and stacks for tests.
    use super::{Chip, Stack};

    /// A chip whose value is hidden.
    pub fn hidden(level: u32) -> Chip {
        Chip { level, value: None }
    }

    /// A chip whose value is shown.
    pub fn shown(level: u32, value: u32) -> Chip {
        Chip { level, value: Some(value) }
    }

    /// Hidden chips as one stack; none is a blank.
    pub fn pile(levels: &[u32]) -> Stack {
        Stack { chips: levels.iter().map(|&level| hidden(level)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::{fixtures::*, *};

    #[test]
    fn chips_show_level_and_value() {
        assert_eq!(chip(&hidden(3)), "3");
        assert_eq!(chip(&shown(1, 0)), "1=0");
        assert_eq!(stack(&pile(&[])), "·");
        assert_eq!(stack(&pile(&[3, 4, 4])), "3+4+4");
        assert_eq!(chips(&[]), "-");
        assert_eq!(chips(&[shown(1, 3), hidden(2)]), "1=3 2");
    }
}
