//! The rule book of Key Largo, and its options.

use divelog_engine::key_largo::State;

use crate::rule_book::{OptionText, RuleBook};

/// Two shallow monsters for two shallow treasures, and one medium one for a crate of goods.
const WRECK_CARDS: &str = concat!(
    r#"{"shallow":{"monsters":2,"diamonds":[],"gold":[1,1,1,2,2,2],"goods":[1,1,1,2,2,2],"#,
    r#""antiques":[1,1,1,2,2,2]},"#,
    r#""medium":{"monsters":6,"diamonds":[100,100],"gold":[2,2,3,3,3,4,4],"goods":[2,2,3,3,3,4,4],"#,
    r#""antiques":[2,2,3,3,3,4,4,5]},"#,
    r#""deep":{"monsters":9,"diamonds":[150,200,200,250],"gold":[4,4,5,5,6],"goods":[4,5,5,6,6,7],"#,
    r#""antiques":[4,5,5,6,6,7]}}"#,
);

impl RuleBook for State {
    const BOOK: &'static str = include_str!("../../../docs/rules/key-largo.md");

    const OPTIONS: &'static [OptionText] = &[
        OptionText {
            name: "encounters",
            description: "Encounter cards are used (KL-25).",
            example: "true",
            ..OptionText::USUAL
        },
        OptionText {
            name: "wreck_cards",
            description: "The wreck cards of each depth (KL-T1, KL-R1).",
            example: WRECK_CARDS,
            ..OptionText::USUAL
        },
        OptionText {
            name: "bar",
            description: "The prices at the bar, for one present, for two, and so on (KL-T2, KL-R1).",
            example: r#"{"diver":[100,80,60],"pickpocket":[50,40]}"#,
            ..OptionText::USUAL
        },
        OptionText {
            name: "dolphins",
            description: "The pay of each of the ten days (KL-T3, KL-R1).",
            example: "40,50,60,70,80,90,100,110,120,130",
            list_length: Some(10),
            ..OptionText::USUAL
        },
        OptionText {
            name: "shop",
            description: "The prices in the shop (KL-T4, KL-R1).",
            example: r#"{"hose":[20,30],"trident":[40],"weight":[20,30,40]}"#,
            ..OptionText::USUAL
        },
        OptionText {
            name: "unsold_unit",
            description: "What a unit of unsold gold, goods and antiques is worth (KL-24, KL-R1). Not by rules version 1.",
            example: "35",
            rules_version: 2,
            ..OptionText::USUAL
        },
    ];
}

#[cfg(test)]
mod tests {
    use divelog_engine::Kind;
    use divelog_engine::key_largo::State;

    use crate::rule_book::{RuleBook, earlier_rules, rules};

    #[test]
    fn the_whole_book_is_read() {
        // Rules, encounters, tables and rulings.
        let (least, found) = (27 + 24 + 4 + 17, rules(Kind::KeyLargo).len());
        assert!(found >= least, "{found} rules, not {least}");
    }

    /// The rulebook gives the 20 of an unsold unit for gold and goods only.
    #[test]
    fn kl_24_the_worth_of_unsold_antiques_is_marked_in_every_version() {
        let (newest, earlier) = (rules(Kind::KeyLargo), earlier_rules(Kind::KeyLargo));
        let texts =
            newest.iter().chain(&earlier).filter(|rule| rule.text.contains("unsold unit") || rule.id == "KL-24");
        let texts: Vec<_> = texts.filter(|rule| ["KL-24", "KL-T1"].contains(&&*rule.id)).collect();
        assert_eq!(texts.len(), 3, "both texts of KL-24, and the second one of KL-T1");
        assert!(texts.iter().all(|rule| rule.text.contains("for antiques it is 20†")), "{texts:?}");
        assert!(
            State::BOOK.contains("| an unsold unit (KL-24) | **20** | **20** | 20 |"),
            "it is a figure of the tables"
        );
    }

    #[test]
    fn kl_r20_no_text_of_the_newest_version_says_that_a_card_raises_a_price() {
        let newest = rules(Kind::KeyLargo);
        for id in ["KL-E8", "KL-E10", "KL-E19"] {
            let rule = newest.iter().find(|rule| rule.id == id).unwrap();
            assert!(rule.text.contains("where that is lower (KL-R20)"), "{rule:?}");
        }
    }
}
