//! Suits and loot cards by name. A card is one token: `anchor-7`.

use divelog_proto::games::captain_carcass::v1::{Card, Suit};

use crate::Lang;

/// CC-1: the suits in order, with their French names.
pub const SUITS: [(Suit, &str, &str); 10] = [
    (Suit::Anchor, "anchor", "Ancre"),
    (Suit::Squid, "squid", "Calamar géant"),
    (Suit::Map, "map", "Carte au trésor"),
    (Suit::Key, "key", "Clef"),
    (Suit::Chest, "chest", "Coffre"),
    (Suit::Knife, "knife", "Couteau"),
    (Suit::Drone, "drone", "Drone explorateur"),
    (Suit::Net, "net", "Filet"),
    (Suit::Harpoon, "harpoon", "Harpon"),
    (Suit::Siren, "siren", "Sirène"),
];

fn names(suit: i32) -> Option<(&'static str, &'static str)> {
    SUITS.iter().find(|(known, ..)| i32::from(*known) == suit).map(|(_, english, french)| (*english, *french))
}

/// The word for a suit; that of a newer game by its number.
pub fn suit(suit: i32) -> String {
    names(suit).map_or_else(|| format!("?{suit}"), |(english, _)| english.into())
}

/// A suit, with its French name with_french it where that is asked for.
pub fn suit_name(number: i32, lang: Lang) -> String {
    with_french(suit(number), number, lang)
}

/// The token of a card.
pub fn card(card: &Card) -> String {
    format!("{}-{}", suit(card.suit), card.value)
}

/// A card, with its French name with_french it where that is asked for.
pub fn card_name(shown: &Card, lang: Lang) -> String {
    with_french(card(shown), shown.suit, lang)
}

fn with_french(text: String, suit: i32, lang: Lang) -> String {
    match names(suit) {
        Some((_, french)) => lang.name(&text, french),
        None => text,
    }
}

/// The tokens of some cards.
pub fn tokens(cards: &[Card]) -> String {
    let tokens: Vec<String> = cards.iter().map(card).collect();
    tokens.join(" ")
}

/// Some cards in a sentence.
pub fn list(cards: &[Card], lang: Lang) -> String {
    let names: Vec<String> = cards.iter().map(|card| card_name(card, lang)).collect();
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}

/// The suit that a word in lower case means: an English name, also in the plural, or the start of a French one.
pub fn parse_suit(word: &str) -> Option<Suit> {
    let word = word.replace('è', "e");
    let means = |english: &str, french: &str| {
        let french = french.to_lowercase().replace('è', "e");
        word == english || word.strip_suffix('s') == Some(english) || french.split(' ').next() == Some(word.as_str())
    };
    SUITS.iter().find(|(_, english, french)| means(english, french)).map(|(suit, ..)| *suit)
}

/// The card that a token in lower case means: `anchor-7`, and `anchor7` as well.
pub fn parse_card(token: &str) -> Option<Card> {
    let suit = token.trim_end_matches(|c: char| c.is_ascii_digit());
    let value = token.strip_prefix(suit)?.parse().ok()?;
    let suit = parse_suit(suit.strip_suffix('-').unwrap_or(suit))?;
    Some(Card { suit: suit.into(), value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_go_to_tokens_and_back() {
        for (suit, english, _) in SUITS {
            let seven = Card { suit: suit.into(), value: 7 };
            assert_eq!(card(&seven), format!("{english}-7"));
            assert_eq!(parse_card(&card(&seven)), Some(seven));
        }
    }

    #[test]
    fn spellings() {
        for word in ["siren", "sirens", "sirène", "sirene"] {
            assert_eq!(parse_suit(word), Some(Suit::Siren), "{word}");
        }
        assert_eq!(parse_suit("calamar"), Some(Suit::Squid));
        assert_eq!(parse_card("map4"), parse_card("map-4"));
        assert_eq!(parse_card("carte-4"), parse_card("map-4"));
        for token in ["", "4", "-4", "map", "map-", "map-x", "map--4", "map-99999999999", "-", "fish-4"] {
            assert_eq!(parse_card(token), None, "{token}");
        }
    }

    #[test]
    fn french_names_stand_beside_and_new_suits_have_numbers() {
        let (squid, new) = (Card { suit: Suit::Squid.into(), value: 5 }, Card { suit: 99, value: 1 });
        assert_eq!(list(&[squid, new], Lang::En), "squid-5, ?99-1");
        assert_eq!(list(&[squid, new], Lang::Fr), "squid-5 (Calamar géant), ?99-1");
        assert_eq!(list(&[], Lang::Fr), "nothing");
        assert_eq!(suit_name(Suit::Key.into(), Lang::Fr), "key (Clef)");
    }
}
