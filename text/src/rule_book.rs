//! The rule books of `docs/rules/` and the options of the games, for programs that ask for them: the text that people read
//! is the text that is served.
//!
//! They are here, and not in the server, because they are what people read of a game, like its words and its board.

use divelog_engine::{Kind, Listed, match_game};
use divelog_proto::v1::{OptionInfo, Rule};

/// A game's rule book. Each game implements it in its folder.
pub(crate) trait RuleBook: Listed {
    /// The text of the book.
    const BOOK: &'static str;

    /// The fields of the game's `Options` message in their order, each with a sentence. A test of the server compares the
    /// names with the protos.
    const OPTIONS: &'static [(&'static str, &'static str)];
}

/// The options of a kind.
pub fn options(kind: Kind) -> Vec<OptionInfo> {
    let options = match_game!(kind, Kind, G => <G as RuleBook>::OPTIONS);
    options
        .iter()
        .map(|(name, description)| OptionInfo { name: (*name).into(), description: (*description).into() })
        .collect()
}

/// The rules of a kind, in the order of its book.
pub fn rules(kind: Kind) -> Vec<Rule> {
    parse(match_game!(kind, Kind, G => <G as RuleBook>::BOOK))
}

/// The rules of a book: each is a list item that begins with its id, and goes on over the indented lines after it.
fn parse(book: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut inside = false;
    for line in book.lines() {
        let item = line.strip_prefix("- ").and_then(|item| item.split_once(' ')).filter(|(id, _)| is_rule_id(id));
        if let Some((id, text)) = item {
            rules.push(Rule { id: id.into(), text: text.into() });
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
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_of_a_book_is_found_with_its_whole_text() {
        let book = "# Title\n\n- DSA-1 One\n  and more.\n- no rule\n- DSA-R2 Two.\n\n  not of it\n- dsa-3 small\n";
        let found: Vec<(String, String)> = parse(book).into_iter().map(|rule| (rule.id, rule.text)).collect();
        assert_eq!(found, [("DSA-1".into(), "One and more.".into()), ("DSA-R2".into(), "Two.".into())]);
    }

    #[test]
    fn every_rule_of_every_game_has_an_id_of_its_own_and_a_text() {
        for kind in Kind::ALL {
            let (rules, title) = (rules(*kind), kind.title());
            assert!(!rules.is_empty(), "{title} has no rules");
            assert!(rules.iter().all(|rule| rule.text.len() > 10), "{title}: a rule without text");
            let ids: BTreeSet<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
            assert_eq!(ids.len(), rules.len(), "{title}: an id stands twice");
        }
    }
}
