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

fn options(kind: Kind) -> Vec<pb::OptionInfo> {
    match kind {
        Kind::DeepSeaAdventure => Vec::new(),
    }
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
        let dsa = kinds().remove(0);
        for id in (0..=19).map(|n| format!("DSA-{n}")).chain((1..=8).map(|n| format!("DSA-R{n}"))) {
            assert!(dsa.rules.iter().any(|rule| rule.id == id), "{id} is not served");
        }
    }
}
