//! Veiled Isles for people.

mod board;
mod events;
#[cfg(test)]
mod fixtures;
mod rule_book;
mod trick;
mod turn;
mod words;

use divelog_engine::veiled_isles::State;
use divelog_proto::games::veiled_isles::v1::{self as pb, ActionCard, Colour, Deck, Half, Island, Treasure};
use divelog_proto::v1::game_action;

use crate::{Lang, ParseError, Screen, Seating, games::GameText};

impl GameText for State {
    type WireAction = pb::Action;
    type WireLegalAction = pb::LegalAction;
    type WireEvent = pb::Event;
    type WireView = pb::View;

    fn parse_action(_rules: Self::Rules, words: &[&str]) -> Result<game_action::Action, ParseError> {
        words::parse(words).map(game_action::Action::VeiledIsles)
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

/// The colours, in the order in which hands are sorted.
const COLOURS: [Colour; 4] = [Colour::Red, Colour::Blue, Colour::Green, Colour::Purple];

/// What stands for a part that this client does not know.
const UNKNOWN: &str = "?";

/// The half of an island that a sail hides.
const SAIL: &str = "△";

/// A colour as it is typed.
fn colour_word(colour: Colour) -> &'static str {
    match colour {
        Colour::Red => "red",
        Colour::Blue => "blue",
        Colour::Green => "green",
        Colour::Purple => "purple",
        Colour::Unspecified => UNKNOWN,
    }
}

fn french_colour(colour: Colour) -> &'static str {
    match colour {
        Colour::Red => "rouge",
        Colour::Blue => "bleu",
        Colour::Green => "vert",
        Colour::Purple => "violet",
        Colour::Unspecified => UNKNOWN,
    }
}

/// The hue that comes closest to a colour.
fn hue(colour: Colour) -> u32 {
    match colour {
        Colour::Red => 5,
        Colour::Blue => 4,
        Colour::Green => 1,
        Colour::Purple => 3,
        Colour::Unspecified => 0,
    }
}

/// One colour, or two that count as one: `red`, `green/purple`.
fn colours_name(colours: impl Iterator<Item = Colour>, lang: Lang) -> String {
    let (english, french): (Vec<&str>, Vec<&str>) =
        colours.map(|colour| (colour_word(colour), french_colour(colour))).unzip();
    if english.is_empty() { UNKNOWN.into() } else { lang.name(&english.join("/"), &french.join("/")) }
}

/// An island as it is typed: `red-8`.
fn island_word(island: &Island) -> String {
    format!("{}-{}", colour_word(island.colour()), island.number)
}

/// Several islands as they are typed, or a dash.
fn island_words(islands: &[Island]) -> String {
    spaced(islands.iter().map(island_word))
}

/// An island in a sentence.
fn island_name(island: &Island, lang: Lang) -> String {
    lang.name(&island_word(island), &format!("{} {}", island.number, french_colour(island.colour())))
}

/// A treasure in a list: `red=4`.
fn treasure_sign(treasure: &Treasure) -> String {
    format!("{}={}", colour_word(treasure.colour()), treasure.points)
}

/// Several treasures, or a dash.
fn treasure_signs(treasures: &[Treasure]) -> String {
    spaced(treasures.iter().map(treasure_sign))
}

/// A treasure in a sentence, after an article.
fn treasure_name(treasure: Option<&Treasure>, lang: Lang) -> String {
    let Some(treasure) = treasure else { return lang.name("treasure", "Trésor") };
    let (colour, points) = (treasure.colour(), treasure.points);
    let english = format!("{} treasure worth {points}", colour_word(colour));
    lang.name(&english, &format!("Trésor {} {points}", french_colour(colour)))
}

/// A deck as it is typed.
fn deck_word(deck: Deck) -> &'static str {
    match deck {
        Deck::Single => "single",
        Deck::RedBlue => "red-blue",
        Deck::GreenPurple => "green-purple",
        Deck::Unspecified => UNKNOWN,
    }
}

/// A deck in a table: what is typed, and the French name.
fn deck_label(deck: Deck, lang: Lang) -> String {
    match deck {
        Deck::RedBlue => lang.name(deck_word(deck), "rouge/bleu"),
        Deck::GreenPurple => lang.name(deck_word(deck), "vert/violet"),
        Deck::Single | Deck::Unspecified => deck_word(deck).into(),
    }
}

/// A deck in a sentence, after `the`.
fn deck_name(deck: Deck, lang: Lang) -> String {
    match deck {
        Deck::Single => lang.name("treasure deck", "paquet Trésor"),
        Deck::RedBlue => lang.name("red/blue deck", "paquet rouge/bleu"),
        Deck::GreenPurple => lang.name("green/purple deck", "paquet vert/violet"),
        Deck::Unspecified => "deck unknown to this client".into(),
    }
}

/// A half as it is typed.
fn half_word(half: Half) -> &'static str {
    match half {
        Half::Sea => "sea",
        Half::Coast => "coast",
        Half::Unspecified => UNKNOWN,
    }
}

/// An action card by its number.
fn action_sign(action: ActionCard) -> &'static str {
    match action {
        ActionCard::A1 => "A1",
        ActionCard::A2 => "A2",
        ActionCard::A3 => "A3",
        ActionCard::A4 => "A4",
        ActionCard::Unspecified => UNKNOWN,
    }
}

/// What an action card lets its player do (VI-16 to VI-19).
fn action_text(action: ActionCard, lang: Lang) -> String {
    let bonus = lang.name("bonus cards", "Bonus");
    let islands = lang.name("islands", "Île");
    let treasures = lang.name("treasures", "Trésor");
    match action {
        ActionCard::A1 => format!("steal 2 {bonus} from a player who has 2 or more; if nobody has, draw 2"),
        ActionCard::A2 => format!("take 2 {islands} at random from a player's hand and give 2 back"),
        ActionCard::A3 => format!("look at the top 3 face-down {treasures} of a deck and put them back in any order"),
        ActionCard::A4 => format!("take one of the {islands} played in this trick into the hand and discard one"),
        ActionCard::Unspecified => "(unknown to this client)".into(),
    }
}

/// A seat in a table.
fn seat_sign(seat: u32) -> String {
    format!("#{seat}")
}

/// Some things: `1 island`, `2 islands`.
fn counted(count: u32, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// Words with spaces between them, or a dash.
fn spaced(words: impl Iterator<Item = String>) -> String {
    crate::strings::or_dash(words.collect::<Vec<String>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::{fixtures::*, *};

    #[test]
    fn cards_have_words_and_names() {
        let (red_8, red_4) = (island(Colour::Red, 8), treasure(Colour::Red, 4));
        assert_eq!(island_words(&[red_8, island(Colour::Purple, 12)]), "red-8 purple-12");
        assert_eq!(island_words(&[]), "-");
        assert_eq!(treasure_signs(&[red_4, treasure(Colour::Blue, 0)]), "red=4 blue=0");
        assert_eq!(island_name(&red_8, Lang::Fr), "red-8 (8 rouge)");
        assert_eq!(treasure_name(Some(&red_4), Lang::En), "red treasure worth 4");
        assert_eq!(treasure_name(Some(&red_4), Lang::Fr), "red treasure worth 4 (Trésor rouge 4)");
        assert_eq!(colours_name([Colour::Green, Colour::Purple].into_iter(), Lang::Fr), "green/purple (vert/violet)");
    }

    #[test]
    fn parts_newer_than_this_client_are_question_marks() {
        assert_eq!(island_word(&Island { colour: 77, number: 3 }), "?-3");
        assert_eq!(treasure_sign(&Treasure { colour: -1, points: 3 }), "?=3");
        assert_eq!(colours_name([].into_iter(), Lang::Fr), "?");
    }
}
