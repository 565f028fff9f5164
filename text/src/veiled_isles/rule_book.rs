//! The rule book of Veiled Isles, and its options.

use divelog_engine::veiled_isles::State;

use crate::rule_book::RuleBook;

impl RuleBook for State {
    const BOOK: &'static str = include_str!("../../../docs/rules/veiled-isles.md");

    const OPTIONS: &'static [(&'static str, &'static str)] = &[
        ("red_blue_action", "a1, a2, a3 or a4: the action for red and blue (VI-R2). Without it: a1."),
        ("green_purple_action", "a1, a2, a3 or a4, not the other one (VI-R2). Without it: a3."),
        (
            "treasure_values",
            "8 numbers from 0 to 99 with a 2, a 3 and a 4 among them (VI-R1). Without it: 1,2,2,3,3,4,4,5.",
        ),
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
