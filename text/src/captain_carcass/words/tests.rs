//! Every action can be typed.

use divelog_proto::games::captain_carcass::v1::{Card, PlaceAnyFromMap};

use super::super::{cards::SUITS, fixtures::cards};
use super::*;

fn typed(text: &str) -> Result<Message, ParseError> {
    parse(&text.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn every_action_comes_back() {
    let mut actions = vec![Action::Draw(Draw {}), Action::Surface(Surface {})];
    for seat in [0, 3, u32::MAX] {
        actions.extend([Action::NameVictim(NameVictim { seat }), Action::Plunder(Plunder { seat })]);
    }
    for suit in SUITS.map(|(suit, ..)| i32::from(suit)) {
        actions.extend([Action::Knife(Knife { seat: 2, suit }), Action::Harpoon(Harpoon { seat: 0, suit })]);
        actions.extend([Action::Net(Net { suit }), Action::Misfire(Misfire { suit })]);
        actions.extend((2..=9).map(|value| Action::PlaceFromMap(PlaceFromMap { card: Some(Card { suit, value }) })));
    }
    for action in actions {
        let action = Message { action: Some(action) };
        assert_eq!(typed(&of(&action)).unwrap(), action);
    }
}

#[test]
fn each_spelling_is_understood() {
    let cases = [
        ("turn-up", "draw"),
        ("turn up", "draw"),
        ("stop", "surface"),
        ("name victim 2", "victim 2"),
        ("name seat 2", "victim 2"),
        ("knife anchor 1", "knife 1 anchor"),
        ("knife the anchor of seat 1", "knife 1 anchor"),
        ("knife #1 ancre", "knife 1 anchor"),
        ("harpoon net from seat:3", "harpoon 3 net"),
        ("harpoon 1 harpoon", "harpoon 1 harpoon"),
        ("net squids", "net squid"),
        ("place map4", "place map-4"),
        ("place map 4", "place map-4"),
        ("map map-4", "place map-4"),
        ("plunder #2", "plunder 2"),
    ];
    for (text, words) in cases {
        assert_eq!(of(&typed(text).unwrap()), words, "{text}");
    }
}

#[test]
fn other_words_list_what_is_possible() {
    let cases = [
        ("", "\"\" is not an action of Captain Carcass"),
        ("fly", "\"fly\" is not an action of Captain Carcass"),
        ("draw 2", "\"draw 2\" is not an action of Captain Carcass"),
        ("victim", "victim takes the seat of an opponent, such as `victim 2`"),
        ("victim ana", "\"ana\" is not a seat, such as 1"),
        ("victim -1", "\"-1\" is not a seat, such as 1"),
        ("knife 1", "knife takes the seat of an opponent and a suit, such as `knife 1 anchor`"),
        ("knife 1 anchor 7", "knife takes the seat of an opponent and a suit, such as `knife 1 anchor`"),
        ("knife 1 anchor-7", "\"anchor-7\" is not a suit, such as anchor"),
        ("harpoon net ana", "\"ana\" is not a seat, such as 1"),
        ("harpoon 4294967296 net", "\"4294967296\" is not a seat, such as 1"),
        ("net", "net takes a suit of your hold, such as `net squid`"),
        ("misfire fish", "\"fish\" is not a suit, such as anchor"),
        ("place", "place takes a card that the map shows, such as `place map-4`"),
        ("place map", "\"map\" is not a card, such as map-4"),
        ("plunder 1 2", "plunder takes the seat of an opponent, such as `plunder 2`"),
    ];
    for (text, problem) in cases {
        let error = typed(text).unwrap_err();
        assert!(matches!(&error, ParseError::Words { hint, .. } if hint == POSSIBLE), "{text}");
        assert_eq!(error.to_string(), problem, "{text}");
    }
}

#[test]
fn the_hint_names_every_suit() {
    assert!(POSSIBLE.ends_with(&SUITS.map(|(_, english, _)| english).join(", ")));
}

#[test]
fn families_say_what_can_follow() {
    use legal_action::LegalAction as Legal;
    let words = |legal| of_legal(&LegalAction { legal_action: legal });
    let single = Message { action: Some(Action::Net(Net { suit: Suit::Key.into() })) };
    assert_eq!(words(Some(Legal::Action(single))).unwrap(), "net key");
    let family = PlaceAnyFromMap { cards: cards("map-4 siren-9") };
    assert_eq!(words(Some(Legal::PlaceAnyFromMap(family))).unwrap(), "place: any of map-4 siren-9");
    assert_eq!(words(None), None);
    assert_eq!(words(Some(Legal::Action(Message { action: None }))), None);
}

#[test]
fn a_malformed_action_still_has_words() {
    let of = |action| of(&Message { action });
    assert_eq!(of(None), "(nothing)");
    assert_eq!(of(Some(Action::PlaceFromMap(PlaceFromMap { card: None }))), "place (nothing)");
    assert_eq!(of(Some(Action::Knife(Knife { seat: 77, suit: 99 }))), "knife 77 ?99");
}
