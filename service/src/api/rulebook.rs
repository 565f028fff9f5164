//! The kinds of game with their rule books, from `docs/rules/`: the text that people read is the text that is served.

use divelog_engine::Kind;
use divelog_ledger::convert;
use divelog_proto::v1 as pb;

/// All kinds, in the order of their numbers.
pub fn kinds() -> Vec<pb::GameKindInfo> {
    Kind::ALL.iter().map(|kind| info(*kind)).collect()
}

fn info(kind: Kind) -> pb::GameKindInfo {
    pb::GameKindInfo {
        kind: convert::kind_to_proto(kind).into(),
        code_name: kind.code_name().into(),
        title: kind.title().into(),
        min_seats: (*kind.seats().start()).into(),
        max_seats: (*kind.seats().end()).into(),
        rules_version: kind.rules_version().into(),
        options: options(kind),
        rules: rules(book(kind)),
    }
}

/// The fields of a kind's Options message. A test holds the names against the protos.
fn options(kind: Kind) -> Vec<pb::OptionInfo> {
    let options: &[(&str, &str)] = match kind {
        Kind::DeepSeaAdventure => &[],
        Kind::CaptainCarcass => &[
            ("dealt", "{}: every seat is dealt a diver at random (CC-4). Not together with `chosen`."),
            ("chosen", "{\"divers\": [...]}: one diver for each seat, no two of one character (CC-4)."),
            (
                "variant",
                "thieves_island, pile_of_treasure, sudden_death, all_hands_on_deck, strange_lands, beneath_the_waves \
                 or bottom_feeder (CC-5). Without it: none.",
            ),
        ],
        Kind::KeyLargo => &[
            ("encounters", "true: encounter cards are used (KL-25). Without it: false."),
            ("wreck_cards", "The wreck cards of each depth (KL-T1, KL-R1). Without it: the table KL-T1."),
            ("bar", "The prices at the bar (KL-T2, KL-R1). Without it: the table KL-T2."),
            ("dolphins", "The pay of each of the ten days (KL-T3, KL-R1). Without it: the table KL-T3."),
            ("shop", "The prices in the shop (KL-T4, KL-R1). Without it: the table KL-T4."),
        ],
        Kind::VeiledIsles => &[
            ("red_blue_action", "a1, a2, a3 or a4: the action for red and blue (VI-R2). Without it: a1."),
            ("green_purple_action", "a1, a2, a3 or a4, not the other one (VI-R2). Without it: a3."),
            (
                "treasure_values",
                "8 numbers from 0 to 99 with a 2, a 3 and a 4 among them (VI-R1). Without it: 1,2,2,3,3,4,4,5.",
            ),
        ],
    };
    options
        .iter()
        .map(|(name, description)| pb::OptionInfo { name: (*name).into(), description: (*description).into() })
        .collect()
}

fn book(kind: Kind) -> &'static str {
    match kind {
        Kind::DeepSeaAdventure => include_str!("../../../docs/rules/deep-sea-adventure.md"),
        Kind::CaptainCarcass => include_str!("../../../docs/rules/captain-carcass.md"),
        Kind::KeyLargo => include_str!("../../../docs/rules/key-largo.md"),
        Kind::VeiledIsles => include_str!("../../../docs/rules/veiled-isles.md"),
    }
}

/// The rules of a book: each is a list item that begins with its id, and goes on over the indented lines after it.
fn rules(book: &str) -> Vec<pb::Rule> {
    let mut rules: Vec<pb::Rule> = Vec::new();
    let mut inside = false;
    for line in book.lines() {
        let item = line.strip_prefix("- ").and_then(|item| item.split_once(' ')).filter(|(id, _)| is_rule_id(id));
        if let Some((id, text)) = item {
            rules.push(pb::Rule { id: id.into(), text: text.into() });
            inside = true;
        } else if inside && line.starts_with("  ") {
            let rule = rules.last_mut().expect("a rule was begun");
            rule.text.push(' ');
            rule.text.push_str(line.trim());
        } else {
            inside = false;
        }
    }
    rules
}

/// Capitals, a hyphen, and a number that may have a letter before it: `DSA-7`, `DSA-R3`, `KL-E12`.
fn is_rule_id(word: &str) -> bool {
    let Some((game, number)) = word.split_once('-') else { return false };
    let digits = number.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
    let all = |text: &str, test: fn(&u8) -> bool| !text.is_empty() && text.as_bytes().iter().all(test);
    all(game, u8::is_ascii_uppercase) && number.len() - digits.len() <= 1 && all(digits, u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_a_book_is_found_with_its_whole_text() {
        let book = "# Title\n\n- DSA-1 One\n  and more.\n- no rule\n- DSA-R2 Two.\n\n  not of it\n- dsa-3 small\n";
        let found: Vec<(String, String)> = rules(book).into_iter().map(|rule| (rule.id, rule.text)).collect();
        assert_eq!(found, [("DSA-1".into(), "One and more.".into()), ("DSA-R2".into(), "Two.".into())]);
    }

    #[test]
    fn the_served_rule_books_are_complete() {
        for kind in kinds() {
            let ids: Vec<&str> = kind.rules.iter().map(|rule| rule.id.as_str()).collect();
            assert!(kind.rules.iter().all(|rule| rule.text.len() > 10), "{}: a rule without text", kind.title);
            let mut unique = ids.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), ids.len(), "{}: an id stands twice", kind.title);
        }
        let count = |kind: Kind| kinds().iter().find(|info| info.title == kind.title()).map(|info| info.rules.len());
        // Rules, divers, variants, encounters, tables and rulings of each book.
        for (kind, least) in [
            (Kind::DeepSeaAdventure, 20 + 9),
            (Kind::CaptainCarcass, 21 + 17 + 7 + 10),
            (Kind::KeyLargo, 27 + 24 + 4 + 17),
            (Kind::VeiledIsles, 21 + 11),
        ] {
            assert!(count(kind) >= Some(least), "{}: {:?} rules, not {least}", kind.title(), count(kind));
        }
    }

    #[test]
    fn every_option_of_the_protos_is_described() {
        let pool = prost_reflect::DescriptorPool::decode(divelog_proto::FILE_DESCRIPTOR_SET).unwrap();
        let all = pool.get_message_by_name("divelog.v1.GameOptions").unwrap();
        for kind in kinds() {
            let field = all.get_field_by_name(&kind.code_name).unwrap().kind();
            let of_kind = field.as_message().unwrap();
            let fields: Vec<String> = of_kind.fields().map(|field| field.name().to_owned()).collect();
            let described: Vec<&str> = kind.options.iter().map(|option| option.name.as_str()).collect();
            assert_eq!(described, fields, "{}", kind.title);
        }
    }
}
