//! The rule book of Captain Carcass, and its options.

use divelog_engine::captain_carcass::State;

use crate::rule_book::RuleBook;

impl RuleBook for State {
    const BOOK: &'static str = include_str!("../../../docs/rules/captain-carcass.md");

    const OPTIONS: &'static [(&'static str, &'static str)] = &[
        ("dealt", "{}: every seat is dealt a diver at random (CC-4). Not together with `chosen`."),
        ("chosen", "{\"divers\": [...]}: one diver for each seat, no two of one character (CC-4)."),
        (
            "variant",
            "thieves_island, pile_of_treasure, sudden_death, all_hands_on_deck, strange_lands, beneath_the_waves \
             or bottom_feeder (CC-5). Without it: none.",
        ),
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
