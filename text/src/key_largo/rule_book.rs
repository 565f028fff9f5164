//! The rule book of Key Largo, and its options.

use divelog_engine::key_largo::State;

use crate::rule_book::RuleBook;

impl RuleBook for State {
    const BOOK: &'static str = include_str!("../../../docs/rules/key-largo.md");

    const OPTIONS: &'static [(&'static str, &'static str)] = &[
        ("encounters", "true: encounter cards are used (KL-25). Without it: false."),
        ("wreck_cards", "The wreck cards of each depth (KL-T1, KL-R1). Without it: the table KL-T1."),
        ("bar", "The prices at the bar (KL-T2, KL-R1). Without it: the table KL-T2."),
        ("dolphins", "The pay of each of the ten days (KL-T3, KL-R1). Without it: the table KL-T3."),
        ("shop", "The prices in the shop (KL-T4, KL-R1). Without it: the table KL-T4."),
    ];
}

#[cfg(test)]
mod tests {
    use divelog_engine::Kind;

    use crate::rule_book::rules;

    #[test]
    fn the_whole_book_is_read() {
        // Rules, encounters, tables and rulings.
        let (least, found) = (27 + 24 + 4 + 17, rules(Kind::KeyLargo).len());
        assert!(found >= least, "{found} rules, not {least}");
    }
}
