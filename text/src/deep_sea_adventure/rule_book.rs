//! The rule book of Deep Sea Adventure, which has no options.

use divelog_engine::deep_sea_adventure::State;

use crate::rule_book::{OptionText, RuleBook};

impl RuleBook for State {
    const BOOK: &'static str = include_str!("../../../docs/rules/deep-sea-adventure.md");

    const OPTIONS: &'static [OptionText] = &[];
}

#[cfg(test)]
mod tests {
    use divelog_engine::Kind;

    use crate::rule_book::rules;

    #[test]
    fn the_whole_book_is_read() {
        // Rules and rulings.
        let (least, found) = (20 + 9, rules(Kind::DeepSeaAdventure).len());
        assert!(found >= least, "{found} rules, not {least}");
    }
}
