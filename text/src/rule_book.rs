//! The rule books of `docs/rules/` and the options of the games, for programs that ask for them: the text that people read
//! is the text that is served.
//!
//! They are here, and not in the server, because they are what people read of a game, like its words and its board.

use std::mem;

use divelog_engine::{Kind, Listed, match_game};
use divelog_proto::v1::{GameKindInfo, OptionInfo, Rule};

/// A game's rule book. Each game implements it in its folder.
pub(crate) trait RuleBook: Listed {
    /// The text of the book.
    const BOOK: &'static str;

    /// The fields of the game's `Options` message in their order. A test of the server compares the names with the protos.
    const OPTIONS: &'static [OptionText];
}

/// An option of a game for people.
pub(crate) struct OptionText {
    /// The field's name.
    pub name: &'static str,
    /// What it does. What it takes, and its default, are printed beside this.
    pub description: &'static str,
    /// A value to try, as typed after `name=`; good for the fewest seats with all other options at their default.
    pub example: &'static str,
    /// The rules version that brought it; games of older ones refuse it.
    pub rules_version: u16,
    /// How many values it takes, where it is a list of a fixed length.
    pub list_length: Option<usize>,
}

impl OptionText {
    /// An option that every version has, and that is no list of a fixed length; what has no default is still to be said.
    pub const USUAL: OptionText =
        OptionText { name: "", description: "", example: "", rules_version: 1, list_length: None };
}

fn option_texts(kind: Kind) -> &'static [OptionText] {
    match_game!(kind, Kind, G => <G as RuleBook>::OPTIONS)
}

/// The options of a kind in its newest version.
pub fn options(kind: Kind) -> Vec<OptionInfo> {
    let info = |option: &OptionText| OptionInfo {
        name: option.name.into(),
        description: option.description.into(),
        example: format!("{}={}", option.name, option.example),
        rules_version: option.rules_version.into(),
    };
    option_texts(kind).iter().map(info).collect()
}

/// How many values an option takes, where it is a list of a fixed length.
pub fn list_length(kind: Kind, option: &str) -> Option<usize> {
    option_texts(kind).iter().find(|text| text.name == option)?.list_length
}

/// The rules of a kind in its newest version, in the order of its book.
pub fn rules(kind: Kind) -> Vec<Rule> {
    newest_and_earlier(texts(kind)).0
}

/// The texts of a kind's rules that a later version has replaced, in the order of its book.
pub fn earlier_rules(kind: Kind) -> Vec<Rule> {
    newest_and_earlier(texts(kind)).1
}

/// A kind as a server describes it, as it was when this version was the newest; none if there is no such version.
pub fn as_of(info: &GameKindInfo, version: u32) -> Option<GameKindInfo> {
    if !(1..=info.rules_version).contains(&version) {
        return None;
    }
    let known = info.rules.iter().chain(&info.earlier_rules).filter(|rule| rule.rules_version <= version);
    let (mut rules, earlier_rules) = newest_and_earlier(known.cloned().collect());
    // An id keeps its place in the book.
    rules.sort_by_key(|rule| info.rules.iter().position(|newest| newest.id == rule.id));
    let options = info.options.iter().filter(|option| option.rules_version <= version).cloned().collect();
    Some(GameKindInfo { rules_version: version, options, rules, earlier_rules, ..info.clone() })
}

fn texts(kind: Kind) -> Vec<Rule> {
    parse(match_game!(kind, Kind, G => <G as RuleBook>::BOOK))
}

/// For each id the text of the highest version, at the place where the id stands first; and all other texts.
fn newest_and_earlier(texts: Vec<Rule>) -> (Vec<Rule>, Vec<Rule>) {
    let (mut newest, mut earlier): (Vec<Rule>, Vec<Rule>) = (Vec::new(), Vec::new());
    for mut rule in texts {
        match newest.iter_mut().find(|other| other.id == rule.id) {
            Some(other) => {
                if rule.rules_version > other.rules_version {
                    mem::swap(other, &mut rule);
                }
                earlier.push(rule);
            }
            None => newest.push(rule),
        }
    }
    (newest, earlier)
}

/// The texts of a book: each is a list item that begins with its id, and goes on over the indented lines after it.
fn parse(book: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut inside = false;
    for line in book.lines() {
        if let Some((id, rules_version, text)) = first_line(line) {
            rules.push(Rule { id: id.into(), text: text.into(), rules_version });
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

/// The id, rules version and text of a line that begins a rule: `- DSA-7 Text`, or for a text that a later version has brought
/// `- DSA-7, version 2: Text`.
fn first_line(line: &str) -> Option<(&str, u32, &str)> {
    let (word, rest) = line.strip_prefix("- ")?.split_once(' ')?;
    let Some(id) = word.strip_suffix(',') else { return is_rule_id(word).then_some((word, 1, rest)) };
    let (version, text) = rest.strip_prefix("version ")?.split_once(": ")?;
    let version = version.parse().ok().filter(|_| is_rule_id(id))?;
    Some((id, version, text))
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
        assert_eq!(parse(book), [rule("DSA-1", 1, "One and more."), rule("DSA-R2", 1, "Two.")]);
    }

    fn rule(id: &str, rules_version: u32, text: &str) -> Rule {
        Rule { id: id.into(), text: text.into(), rules_version }
    }

    /// A book in which rule 2 has three texts, and rule 4 came with version 2.
    fn changed() -> GameKindInfo {
        let book = "- DSA-1 One.\n- DSA-2 Two.\n- DSA-2, version 2: Two\n  again.\n- DSA-2, version 3: Two at last.\n\
                    - DSA-3 Three.\n- DSA-4, version 2: Four.\n- DSA-5, version x: none.\n";
        let (rules, earlier_rules) = newest_and_earlier(parse(book));
        GameKindInfo { rules_version: 3, rules, earlier_rules, ..Default::default() }
    }

    #[test]
    fn the_newest_text_of_each_id_stands_in_its_place() {
        let info = changed();
        let rules = [
            rule("DSA-1", 1, "One."),
            rule("DSA-2", 3, "Two at last."),
            rule("DSA-3", 1, "Three."),
            rule("DSA-4", 2, "Four."),
        ];
        assert_eq!(info.rules, rules);
        assert_eq!(info.earlier_rules, [rule("DSA-2", 1, "Two."), rule("DSA-2", 2, "Two again.")]);
    }

    #[test]
    fn a_version_has_the_texts_that_are_not_newer() {
        let info = changed();
        let first = as_of(&info, 1).unwrap();
        assert_eq!(first.rules, [rule("DSA-1", 1, "One."), rule("DSA-2", 1, "Two."), rule("DSA-3", 1, "Three.")]);
        assert_eq!((first.rules_version, first.earlier_rules), (1, vec![]));
        let second = as_of(&info, 2).unwrap();
        assert_eq!(second.rules[1], rule("DSA-2", 2, "Two again."));
        assert_eq!(second.earlier_rules, [rule("DSA-2", 1, "Two.")]);
        assert_eq!(as_of(&info, 3).unwrap(), info);
        assert_eq!([0, 4].map(|version| as_of(&info, version)), [None, None]);
    }

    #[test]
    fn a_version_has_the_options_that_are_not_newer() {
        let option = |name: &str, rules_version| OptionInfo { name: name.into(), rules_version, ..Default::default() };
        let info = GameKindInfo { options: vec![option("new", 3), option("old", 1)], ..changed() };
        let names = |version| {
            let options = as_of(&info, version).unwrap().options;
            options.into_iter().map(|option| option.name).collect::<Vec<_>>()
        };
        assert_eq!([1, 2, 3].map(names), [vec!["old"], vec!["old"], vec!["new", "old"]]);
    }

    #[test]
    fn every_option_says_which_version_brought_it() {
        for kind in Kind::ALL {
            for option in options(*kind) {
                let known = 1..=u32::from(kind.rules_version());
                assert!(known.contains(&option.rules_version), "{}: {option:?}", kind.title());
            }
        }
    }

    #[test]
    fn every_rule_of_every_game_has_an_id_of_its_own_and_a_text() {
        for kind in Kind::ALL {
            let (rules, title) = (rules(*kind), kind.title());
            assert!(!rules.is_empty(), "{title} has no rules");
            assert!(rules.iter().all(|rule| rule.text.len() > 10), "{title}: a rule without text");
            let ids: BTreeSet<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
            assert_eq!(ids.len(), rules.len(), "{title}: an id stands twice");
            let newest = u32::from(kind.rules_version());
            for text in rules.iter().chain(&earlier_rules(*kind)) {
                assert!((1..=newest).contains(&text.rules_version), "{title}: {text:?}");
            }
        }
    }
}
