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

/// The ids that a rule book defines, in its order: lines that start with a hyphen, a space and the id. Ids that came with a
/// later version stand behind the others.
fn defined(book: &str) -> Vec<String> {
    let heads = book.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(' '));
    let mut ids: Vec<String> = heads.map(|(head, _)| head).filter(|head| is_id(head)).map(str::to_owned).collect();
    for (id, _) in changed(book).unwrap_or_else(|line| panic!("no rule can be read from {line}")) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// The texts that later rules versions have brought, in the book's order: `- <id>, version <number>: …`. An error is a line
/// that begins like one, and is none.
fn changed(book: &str) -> Result<Vec<(String, u16)>, String> {
    let heads = book.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(", "));
    let heads = heads.filter(|(id, _)| is_id(id));
    let read = |(id, rest): (&str, &str)| {
        let number = rest.strip_prefix("version ").and_then(|rest| rest.split_once(": "));
        let number = number.and_then(|(number, _)| number.parse().ok()).ok_or_else(|| format!("- {id}, {rest}"))?;
        Ok((id.to_owned(), number))
    };
    heads.map(read).collect()
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

/// Whether a test is named after what a rules version changed in a rule, as in `fn dsa_7_…_version_2()`.
fn change_is_tested(id: &str, version: u16, tests: &str) -> bool {
    let (start, end) = (format!("{}_", id.to_ascii_lowercase().replace('-', "_")), format!("_version_{version}"));
    let names = tests.split("fn ").skip(1).filter_map(|text| text.split_once('(')).map(|(name, _)| name);
    names.into_iter().any(|name| name.starts_with(&start) && name.ends_with(&end))
}

#[test]
fn every_rules_version_has_its_texts_and_their_tests() {
    let (tests, books) = (test_text(), books());
    for kind in Kind::ALL {
        let (newest, file) = (kind.rules_version(), format!("/{}.md", kind.code_name().replace('_', "-")));
        let (_, text, _) = books.iter().find(|(name, ..)| name.ends_with(&file)).expect("a book of that name");
        assert!(
            text.contains(&format!("rules version {newest}.")),
            "{file} does not say that it is of version {newest}"
        );
        let changed = changed(text).unwrap();
        let of_versions: BTreeSet<u16> = changed.iter().map(|(_, version)| *version).collect();
        assert_eq!(of_versions, (2..=newest).collect(), "{file}: the versions after the first that change something");
        let distinct: BTreeSet<&(String, u16)> = changed.iter().collect();
        assert_eq!(distinct.len(), changed.len(), "{file} has two texts of a rule for one version");
        let untested: Vec<_> = changed.iter().filter(|(id, version)| !change_is_tested(id, *version, &tests)).collect();
        assert!(untested.is_empty(), "{file}: no test is named after {untested:?}");
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
    assert_eq!(ids(&text).into_iter().collect::<Vec<_>>(), [rule.clone(), ruling.clone()]);
    assert_eq!(defined(&format!("- {rule} One.\n {rule} Two.\n- Three {rule}\n")), alloc::vec![rule.clone()]);
    let book = format!("- {rule} One.\n- {rule}, version 2: Two.\n- {ruling}, version 2: New.\n- and, so on\n");
    assert_eq!(changed(&book), Ok(alloc::vec![(rule.clone(), 2), (ruling.clone(), 2)]));
    assert_eq!(defined(&book), [rule.clone(), ruling.clone()]);
    assert!(changed(&format!("- {rule}, Version 2: Two.")).is_err());
    assert!(change_is_tested(&rule, 2, "fn zz_7_holds_in_version_2() {"));
    assert!(!change_is_tested(&rule, 2, "fn zz_7_holds() {} fn zz_70_holds_in_version_2() {}"));
    assert!(is_tested(&rule, "fn zz_7_holds()", &BTreeSet::new()));
    assert!(!is_tested(&rule, "fn zz_70_holds()", &BTreeSet::new()));
    assert!(is_tested(&rule, "", &BTreeSet::from([rule.clone()])));
}
