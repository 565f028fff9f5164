//! The rule books in `docs/rules/` and the engine name the same rules.

use alloc::{borrow::ToOwned, collections::BTreeSet, format, string::String, vec::Vec};
use std::{fs, path::Path};

use crate::Kind;

/// Words of the form of a rule id that are none.
const OTHER_WORDS: &[&str] = &["SHA-256", "SHA-512", "UTF-8", "FIPS-180"];
/// The refusals that all games share, in the order in which they are judged.
const COMMON: [&str; 4] = ["OVER", "TURN", "MALFORMED", "PHASE"];

/// The text of every file below a folder whose name ends so.
pub(super) fn texts(folder: &str, ending: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut folders = alloc::vec![root];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(ending) {
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty(), "no {ending} below {folder}");
    found
}

/// Every rule id that a text cites: capitals, a hyphen, perhaps one capital, digits.
pub(super) fn ids(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| is_id(word) && !OTHER_WORDS.contains(word)).map(str::to_owned).collect()
}

pub(super) fn is_id(word: &str) -> bool {
    let Some((game, number)) = word.split_once('-') else { return false };
    let digits = number.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(number);
    let game_is_letters = !game.is_empty() && game.bytes().all(|byte| byte.is_ascii_uppercase());
    game_is_letters && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The ids that a rule book defines, in its order: lines that start with a hyphen, a space and the id.
fn defined(book: &str) -> Vec<String> {
    let heads = book.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(' '));
    heads.map(|(head, _)| head).filter(|head| is_id(head)).map(str::to_owned).collect()
}

/// The rule books with the ids that each defines.
fn books() -> Vec<(String, String, Vec<String>)> {
    let files = texts("../docs/rules", ".md").into_iter();
    let books = files.filter(|(name, _)| !name.ends_with("/README.md"));
    books.map(|(name, text)| (name, text.clone(), defined(&text))).collect()
}

/// The text of the tests: of the rules' folders called `tests`, and of the contract suite.
fn test_text() -> String {
    let files = texts("src", ".rs").into_iter();
    files.filter(|(name, _)| name.contains("/tests/") || name.contains("/contract/")).map(|(_, text)| text).collect()
}

/// Whether a test is named after a rule or example, as in `fn dsa_7_…`, or a line of a test table cites it.
fn is_tested(id: &str, tests: &str, cited: &BTreeSet<String>) -> bool {
    let name = format!("fn {}_", id.to_ascii_lowercase().replace('-', "_"));
    tests.contains(&name) || cited.contains(id)
}

#[test]
fn every_rule_of_every_book_has_a_test() {
    let tests = test_text();
    // Comments name rules in passing; only other lines count.
    let without_comments: String = tests.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let cited = ids(&without_comments);
    for (book, _, defined) in books() {
        let untested: Vec<&String> = defined.iter().filter(|id| !is_tested(id, &tests, &cited)).collect();
        assert!(untested.is_empty(), "{book}: no test names {untested:?}");
    }
}

#[test]
fn every_worked_example_has_a_test() {
    let tests = test_text();
    for (book, text, defined) in books() {
        let (_, examples) = text.split_once("## Worked examples").expect("every book has worked examples");
        let (game, _) = defined[0].split_once('-').unwrap();
        let numbers = examples.lines().filter_map(|line| line.split_once(". ")?.0.parse::<u32>().ok());
        for number in numbers {
            let name = format!("fn {}_example_{number}_", game.to_ascii_lowercase());
            assert!(tests.contains(&name), "{book}: no test is named {name}…");
        }
    }
}

#[test]
fn every_rule_that_the_engine_cites_is_in_a_book() {
    let all: BTreeSet<String> = books().into_iter().flat_map(|(_, _, defined)| defined).collect();
    for (file, text) in texts("src", ".rs").into_iter().chain(texts("../docs/rules", ".md")) {
        let unknown: Vec<String> = ids(&text).into_iter().filter(|id| !all.contains(id)).collect();
        assert!(unknown.is_empty(), "{file} cites {unknown:?}, which no book defines");
    }
}

#[test]
fn every_kind_of_game_has_a_book_that_starts_with_rule_0() {
    let books = books();
    assert_eq!(books.len(), Kind::ALL.len(), "a book for each kind, and no other");
    for kind in Kind::ALL {
        let file = format!("/{}.md", kind.code_name().replace('_', "-"));
        let (_, text, defined) = books.iter().find(|(name, ..)| name.ends_with(&file)).expect("a book of that name");
        assert!(text.contains(&format!("`{}`", kind.code_name())));
        assert!(defined[0].ends_with("-0"), "{file} starts with {}", defined[0]);
        let distinct: BTreeSet<&String> = defined.iter().collect();
        assert_eq!(distinct.len(), defined.len(), "{file} defines an id twice");
        let (game, _) = defined[0].split_once('-').unwrap();
        assert!(defined.iter().all(|id| id.split_once('-').unwrap().0 == game), "{file} defines ids of two games");
    }
}

#[test]
fn the_common_refusals_stand_in_their_order() {
    let files = texts("../docs/rules", "README.md");
    let rows = files[0].1.lines().filter(|line| line.starts_with("| ") && line.contains("` | `"));
    let listed: Vec<&str> = rows.filter_map(|row| row.split('`').nth(1)).filter(|id| COMMON.contains(id)).collect();
    assert_eq!(listed, COMMON);
}

#[test]
fn ids_are_recognised() {
    // Put together here, because this file is searched for ids too.
    let (rule, ruling) = (["ZZ", "7"].join("-"), ["ZZ", "R12"].join("-"));
    let text = format!("{rule}, `{ruling}`: UTF-8, zz-7, ZZ-, -7, x-ray, {rule}.");
    assert_eq!(ids(&text).into_iter().collect::<Vec<_>>(), [rule.clone(), ruling]);
    assert_eq!(defined(&format!("- {rule} One.\n {rule} Two.\n- Three {rule}\n")), alloc::vec![rule.clone()]);
    assert!(is_tested(&rule, "fn zz_7_holds()", &BTreeSet::new()));
    assert!(!is_tested(&rule, "fn zz_70_holds()", &BTreeSet::new()));
    assert!(is_tested(&rule, "", &BTreeSet::from([rule.clone()])));
}
