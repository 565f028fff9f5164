//! The rule book of Veiled Isles, and its options.

use divelog_engine::veiled_isles::State;

use crate::rule_book::{OptionText, RuleBook};

impl RuleBook for State {
    const BOOK: &'static str = include_str!("../../../docs/rules/veiled-isles.md");

    const OPTIONS: &'static [OptionText] = &[
        OptionText {
            name: "red_blue_action",
            description: "The action for red and blue, not the other one (VI-R2).",
            example: "a2",
            ..OptionText::USUAL
        },
        OptionText {
            name: "green_purple_action",
            description: "The action for green and purple, not the other one (VI-R2).",
            example: "a4",
            ..OptionText::USUAL
        },
        OptionText {
            name: "treasure_values",
            description: "What the treasures of each colour are worth: 8 numbers from 0 to 99 with a 2, a 3 and a 4 among them (VI-R1).",
            example: "0,1,2,3,4,5,6,7",
            list_length: Some(8),
            ..OptionText::USUAL
        },
    ];
}

#[cfg(test)]
mod tests {
    use divelog_engine::Kind;

    use crate::rule_book::rules;

    #[test]
    fn the_whole_book_is_read() {
        // Rules and rulings.
        let (least, found) = (21 + 11, rules(Kind::VeiledIsles).len());
        assert!(found >= least, "{found} rules, not {least}");
    }
}
