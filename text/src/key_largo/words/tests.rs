use divelog_proto::games::key_largo::v1::{
    BuyRoundFamily, DupeFamily, JewellerFamily, LegalAction, SellFamily, TraffickerFamily, Ware,
    legal_action::LegalAction as Legal,
};

use divelog_engine::RulesVersion;

use super::*;

fn typed(text: &str) -> Result<Message, ParseError> {
    typed_by(Rules::NEWEST, text)
}

fn typed_by(rules: Rules, text: &str) -> Result<Message, ParseError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    parse(rules, &words)
}

/// Every action in the form in which it is printed.
fn every_action() -> Vec<String> {
    let mut texts: Vec<String> = [
        "boat 3",
        "pass",
        "draw 0",
        "weight 1",
        "surface",
        "trident 0",
        "flee",
        "recruit",
        "pickpocket 2 deep",
        "round 3 7",
        "round 3",
        "second 7",
        "no-second",
        "sell 12 17",
        "play volunteer 0",
        "play hasty-buyer 17",
        "play saboteur 2 0",
        "play drunkard 3",
        "play dupe 12 gold",
        "play trafficker 12 17 31",
        "play jeweller 40",
        "done",
    ]
    .map(str::to_owned)
    .to_vec();
    for morning in PLACES {
        texts.extend(PLACES.iter().map(|afternoon| format!("program {} {}", morning.word, afternoon.word)));
    }
    texts.extend(ITEMS.iter().map(|item| format!("buy {} 2", item.word)));
    texts.extend(ENCOUNTERS.iter().filter(|info| info.needs.is_empty()).map(|info| format!("play {}", info.word)));
    texts
}

#[test]
fn every_action_goes_to_words_and_back() {
    for rules in Rules::ALL {
        for text in every_action() {
            let action = typed_by(*rules, &text).unwrap();
            assert_eq!(of(&action), text);
            let words = of(&action);
            assert_eq!(typed_by(*rules, &words).unwrap(), action, "{text}");
        }
    }
}

#[test]
fn a_round_is_what_the_games_version_of_the_rules_takes() {
    let round = |text, rules| match typed_by(rules, text).unwrap().action {
        Some(Action::BuyRound(round)) => round,
        other => panic!("{other:?}"),
    };
    assert_eq!(round("round 3", Rules::V1), BuyRound { wrecks: vec![3], wreck: None });
    assert_eq!(round("round 3", Rules::V2), BuyRound { wrecks: vec![], wreck: Some(3) });
    for rules in [Rules::V1, Rules::V2] {
        assert_eq!(round("round 3 7", rules), BuyRound { wrecks: vec![3, 7], wreck: None });
    }
}

#[test]
fn each_spelling_is_understood() {
    let cases = [
        ("programme dive dolphin", "program dive dolphins"),
        ("place boat 3", "boat 3"),
        ("draw diver 1", "draw 1"),
        ("use weight 1", "weight 1"),
        ("use-trident 1", "trident 1"),
        ("recruit diver", "recruit"),
        ("hire pickpocket #2 deep", "pickpocket 2 deep"),
        ("steal deep 2", "pickpocket 2 deep"),
        ("buy round 3, 7", "round 3 7"),
        ("buy round 3", "round 3"),
        ("second wreck 7", "second 7"),
        ("no second wreck", "no-second"),
        ("no-second-wreck", "no-second"),
        ("buy tridents 0", "buy trident 0"),
        ("sell 12,17", "sell 12 17"),
        ("play hasty buyer 17", "play hasty-buyer 17"),
        ("play inseparablebrothers", "play inseparable-brothers"),
        ("play dupe 12 as antique", "play dupe 12 antiques"),
    ];
    for (text, words) in cases {
        assert_eq!(of(&typed(text).unwrap()), words);
    }
}

fn hint(text: &str) -> (String, String) {
    match typed(text).unwrap_err() {
        ParseError::Words { message, hint } => (message, hint),
        other => panic!("{other}"),
    }
}

#[test]
fn other_words_list_what_is_possible() {
    for text in [
        "",
        "fly",
        "draw",
        "draw 1 2",
        "sell",
        "round",
        "second",
        "no-second 3",
        "buy hose",
        "sell ,",
        "sell 1,,2",
        "boat -1",
        "boat 4294967296",
        "weight x",
    ] {
        assert_eq!(hint(text).1, POSSIBLE, "{text}");
    }
    let cases = [
        ("program dive beach", "\"beach\" is not a place", "possible: dive, bar, dolphins, shop, market"),
        ("buy boat 0", "\"boat\" is not an item", "possible: hose, trident, weight"),
        ("pickpocket 1 abyss", "\"abyss\" is not a depth", "possible: shallow, medium, deep"),
        ("play dupe 12 diamond", "\"diamond\" is not a kind", "possible: gold, goods, antiques"),
        ("play saboteur 2", "\"2\" does not fit after play saboteur", "possible: play saboteur SEAT DIVER"),
        ("play family 2", "\"2\" does not fit after play family", "possible: play family"),
        ("play trafficker", "nothing does not fit after play trafficker", "possible: play trafficker CARD ..."),
    ];
    for (text, message, possible) in cases {
        assert_eq!(hint(text), (message.to_owned(), possible.to_owned()));
    }
    let (message, possible) = hint("play tourist");
    assert_eq!(message, "\"tourist\" does not begin with an encounter card");
    assert!(possible.contains("bar-tourist, drunkard"), "{possible}");
}

#[test]
fn families_say_what_can_be_typed() {
    let sale =
        |required, cards: &[u32]| Legal::Sell(SellFamily { ware: Ware::Gold.into(), required, cards: cards.to_vec() });
    let traffic = |most| Legal::Trafficker(TraffickerFamily { treasures: vec![12, 17], most });
    let cases = [
        (Legal::Action(typed("draw 0").unwrap()), "draw 0"),
        (Legal::BuyRound(BuyRoundFamily { wrecks: vec![0, 2, 5] }), "round WRECK WRECK: any two of 0 2 5"),
        (sale(None, &[12, 17]), "sell CARD ...: gold, any of 12 17"),
        (sale(Some(31), &[12, 17]), "sell CARD ...: 31, as gold, and any of 12 17"),
        (sale(Some(31), &[]), "sell CARD ...: 31, as gold"),
        (
            Legal::Dupe(DupeFamily { treasures: vec![12, 17] }),
            "play dupe CARD KIND: any of 12 17, as a kind that it is not",
        ),
        (traffic(2), "play trafficker CARD ...: 1 to 2 of 12 17"),
        (traffic(1), "play trafficker CARD: any of 12 17"),
        (Legal::Jeweller(JewellerFamily { diamonds: vec![40] }), "play jeweller CARD: any of 40"),
    ];
    for (legal, words) in cases {
        assert_eq!(of_legal(&LegalAction { legal_action: Some(legal) }).as_deref(), Some(words));
    }
    assert_eq!(of_legal(&LegalAction { legal_action: None }), None);
}

#[test]
fn what_a_newer_server_sends_is_still_printed() {
    let message = |action| Message { action: Some(action) };
    assert_eq!(of(&Message { action: None }), "(nothing)");
    assert_eq!(of(&message(Action::Program(Program { morning: 9, afternoon: 0 }))), "program unknown unknown");
    let play = |card| of(&message(Action::PlayEncounter(PlayEncounter { card })));
    assert_eq!(play(Some(Card::Plain(99))), "play (unknown card)");
    assert_eq!(play(None), "play (nothing)");
}
