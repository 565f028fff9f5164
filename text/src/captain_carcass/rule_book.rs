//! The rule book of Captain Carcass, and its options.

use divelog_engine::captain_carcass::State;

use crate::rule_book::{OptionText, RuleBook};

impl RuleBook for State {
    const BOOK: &'static str = include_str!("../../../docs/rules/captain-carcass.md");

    const OPTIONS: &'static [OptionText] = &[
        OptionText {
            name: "dealt",
            description: "Every seat is dealt a diver at random (CC-4). Not together with `chosen`.",
            example: "true",
            ..OptionText::USUAL
        },
        OptionText {
            name: "chosen",
            description: "One diver for each seat, by seat, no two of one character (CC-4). Not together with `dealt`.",
            example: "casanova,parry",
            ..OptionText::USUAL
        },
        OptionText {
            name: "variant",
            description: "The variant in play (CC-5). Without it: none.",
            example: "sudden_death",
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
        // Rules, divers, variants and rulings.
        let (least, found) = (21 + 17 + 7 + 10, rules(Kind::CaptainCarcass).len());
        assert!(found >= least, "{found} rules, not {least}");
    }
}
