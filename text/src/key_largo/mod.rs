//! Key Largo for people.

mod board;
mod encounters;
mod events;
mod names;
mod prices;
mod rule_book;
mod words;

use divelog_engine::key_largo::{Rules, State};
use divelog_proto::games::key_largo::v1::{self as pb, Card, CardKind, Half};
use divelog_proto::v1::game_action;

use self::names::{DEPTHS, KINDS};
use crate::{Lang, ParseError, Screen, Seating, games::GameText};

impl GameText for State {
    type WireAction = pb::Action;
    type WireLegalAction = pb::LegalAction;
    type WireEvent = pb::Event;
    type WireView = pb::View;

    fn parse_action(rules: Rules, words: &[&str]) -> Result<game_action::Action, ParseError> {
        words::parse(rules, words).map(game_action::Action::KeyLargo)
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

/// The short form of a seat.
fn mark(seat: u32) -> String {
    format!("#{seat}")
}

/// The day of the week; the first day is a Friday (KL-3).
fn weekday(day: u32, lang: Lang) -> String {
    let (english, french) = match day % 7 {
        1 => ("Friday", "vendredi"),
        2 => ("Saturday", "samedi"),
        3 => ("Sunday", "dimanche"),
        4 => ("Monday", "lundi"),
        5 => ("Tuesday", "mardi"),
        6 => ("Wednesday", "mercredi"),
        _ => ("Thursday", "jeudi"),
    };
    lang.name(english, french)
}

/// A part of the day.
fn half(half: Half, lang: Lang) -> String {
    match half {
        Half::Morning => lang.name("morning", "matin"),
        Half::Afternoon => lang.name("afternoon", "après-midi"),
        Half::Unspecified => "half-day".into(),
    }
}

/// `1 hose`, `2 hoses`.
fn counted(count: impl TryInto<u64>, one: &str, more: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {one}"),
        count => format!("{count} {more}"),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(items: &[String]) -> String {
    match items {
        [] => "nothing".into(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Numbers in a row: ids, wrecks, units.
fn numbers(numbers: impl IntoIterator<Item = u32>) -> String {
    let texts: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    texts.join(" ")
}

/// The face of a card, as in `gold 3`; none while the viewer may not see it.
fn face(card: &Card, lang: Lang) -> Option<String> {
    let name = names::find_name(&KINDS, card.kind())?.text(lang);
    Some(match (card.kind(), card.value) {
        (CardKind::Monster, _) | (_, None) => name,
        (CardKind::Diamond, Some(value)) => format!("{name} ${value}"),
        (_, Some(units)) => format!("{name} {units}"),
    })
}

/// A card within a sentence: `gold 3 (card 12)`, `a shallow card`.
fn card(card: &Card, lang: Lang) -> String {
    match (face(card, lang), card.id) {
        (Some(face), Some(id)) => format!("{face} (card {id})"),
        (Some(face), None) => face,
        (None, _) => match names::find_name(&DEPTHS, card.depth()) {
            Some(depth) => format!("a {} card", depth.text(lang)),
            None => "a card".into(),
        },
    }
}

/// Cards of which the viewer may see the faces; none if one is hidden, or there is none.
fn faces(cards: &[Card], lang: Lang) -> Option<String> {
    let faces: Option<Vec<String>> = cards.iter().map(|card| face(card, lang)).collect();
    faces.filter(|faces| !faces.is_empty()).map(|faces| faces.join(", "))
}

#[cfg(test)]
mod fixtures;

#[cfg(test)]
mod tests {
    use super::{fixtures::*, *};
    use divelog_proto::games::key_largo::v1::Depth;

    #[test]
    fn cards_show_what_may_be_seen() {
        let gold = shown(Depth::Medium, CardKind::Gold, 3);
        assert_eq!(card(&gold, Lang::En), "gold 3");
        assert_eq!(card(&with_id(gold, 12), Lang::Fr), "gold (or) 3 (card 12)");
        assert_eq!(card(&back(Depth::Deep), Lang::En), "a deep card");
        assert_eq!(card(&shown(Depth::Deep, CardKind::Diamond, 200), Lang::En), "diamond $200");
        assert_eq!(card(&shown(Depth::Deep, CardKind::Monster, 0), Lang::Fr), "monster (monstre)");
        assert_eq!(card(&Card { depth: 9, kind: 9, value: None, id: Some(1) }, Lang::En), "a card");
    }

    #[test]
    fn a_list_of_faces_is_whole_or_not_there() {
        let gold = shown(Depth::Medium, CardKind::Gold, 3);
        assert_eq!(faces(&[gold, gold], Lang::En).unwrap(), "gold 3, gold 3");
        assert_eq!(faces(&[gold, back(Depth::Deep)], Lang::En), None);
        assert_eq!(faces(&[], Lang::En), None);
    }

    #[test]
    fn lists_read_as_in_a_sentence() {
        let texts = |count: usize| ["a", "b", "c"][..count].iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(listed(&texts(0)), "nothing");
        assert_eq!(listed(&texts(1)), "a");
        assert_eq!(listed(&texts(3)), "a, b and c");
        assert_eq!(counted(1u32, "hose", "hoses"), "1 hose");
        assert_eq!(counted(0u32, "hose", "hoses"), "0 hoses");
    }
}
