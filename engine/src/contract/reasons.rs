//! `docs/errors.md` lists every reason with which the rules refuse, under its game, and no other.

use alloc::{borrow::ToOwned, collections::BTreeSet, format, string::String, vec::Vec};

use super::rule_ids::{ids, is_id, texts};
use crate::Kind;

/// The rules that are common to all games: written like reasons, but none.
const COMMON_RULES: [&str; 4] = ["OVER", "TURN", "MALFORMED", "PHASE"];
/// Given by every game for its rule 0, by code that they share.
const SHARED: &str = "SEAT_COUNT";

/// Whether a word is written like a reason: capitals and underscores, not shorter than three letters.
fn is_reason(word: &str) -> bool {
    let shape = word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    shape && word.len() >= 3 && !COMMON_RULES.contains(&word)
}

/// The reasons in a source text. They are the only string literals of that shape, and what stands between two literals
/// never has it, so it does not matter which quotation marks open and which close.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').filter(|piece| is_reason(piece))
}

/// The reasons that the sources of one folder or file below `src/` give.
fn given(below: &str) -> BTreeSet<String> {
    let files = texts("src", ".rs").into_iter();
    let files = files.filter(|(name, _)| name.contains(&format!("/src/{below}")) && !name.contains("/tests/"));
    files.flat_map(|(_, text)| literals(&text).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// One row of the page: its rules and its reason.
type Row = (Vec<String>, String);

/// The rows of the page under a heading.
fn listed(page: &str, heading: &str) -> Vec<Row> {
    let (_, rest) = page.split_once(&format!("\n### {heading}\n")).unwrap_or_else(|| panic!("no section {heading}"));
    let section = rest.split("\n#").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let mut cells = row.split(" | ");
        let mut code = || {
            let cell = cells.next().unwrap_or_default();
            cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
        };
        let (rules, reasons) = (code(), code());
        assert_eq!(reasons.len(), 1, "{heading}: {row}");
        (rules, reasons[0].clone())
    })
    .collect()
}

fn page() -> String {
    let mut pages = texts("../docs", "/errors.md");
    assert_eq!(pages.len(), 1);
    pages.remove(0).1
}

/// What is wrong with a section, if anything.
fn differences(given: &BTreeSet<String>, rows: &[Row]) -> Vec<String> {
    let reasons: BTreeSet<&String> = rows.iter().map(|(_, reason)| reason).collect();
    let missing = given.iter().filter(|reason| !reasons.contains(reason)).map(|reason| format!("lacks {reason}"));
    let stray = reasons.iter().filter(|reason| !given.contains(**reason));
    let twice = (reasons.len() != rows.len()).then(|| String::from("lists a reason twice"));
    missing.chain(stray.map(|reason| format!("lists {reason}, which nothing gives"))).chain(twice).collect()
}

#[test]
fn every_reason_of_every_game_is_on_the_page_of_errors() {
    let page = page();
    for kind in Kind::ALL {
        let (folder, rows) = (format!("{}/", kind.code_name()), listed(&page, kind.title()));
        let mut given = given(&folder);
        given.insert(SHARED.into());
        let differences = differences(&given, &rows);
        assert!(differences.is_empty(), "docs/errors.md, {}: {differences:?}", kind.title());
        // A rule that the folder does not cite cannot be the one that refuses.
        let sources = texts("src", ".rs").into_iter().filter(|(name, _)| name.contains(&format!("/src/{folder}")));
        let mut cited: BTreeSet<String> = sources.flat_map(|(_, text)| ids(&text)).collect();
        cited.insert(kind.refuse_seats(0).rule.into());
        for (rules, reason) in rows {
            assert!(
                !rules.is_empty() && rules.iter().all(|rule| is_id(rule) && cited.contains(rule)),
                "{reason}: {rules:?}"
            );
        }
    }
}

#[test]
fn the_common_reasons_are_on_the_page_of_errors() {
    let mut given = given("violation.rs");
    assert!(given.remove(SHARED), "it is listed with each game");
    let rows = listed(&page(), "All games");
    let differences = differences(&given, &rows);
    assert!(differences.is_empty(), "docs/errors.md, All games: {differences:?}");
    let rules: Vec<&str> = rows.iter().map(|(rules, _)| rules[0].as_str()).collect();
    assert_eq!(rules, COMMON_RULES, "in the order in which they are judged");
}

#[test]
fn a_reason_that_the_page_lacks_is_noticed() {
    let source = r#"refuse("xx-1", "NOT_NOW", format!("not {now}")); refuse("PHASE", "SOLD", "sold")"#;
    let given: BTreeSet<String> = literals(source).map(str::to_owned).collect();
    assert_eq!(given.iter().map(String::as_str).collect::<Vec<_>>(), ["NOT_NOW", "SOLD"]);
    let rows =
        listed("\n### A game\n\n| `xx-1`, `xx-2` | `NOT_NOW` | no |\n| `xx-1` | `GONE` | no |\n## B\n", "A game");
    assert_eq!(rows[0].0, ["xx-1", "xx-2"].map(String::from));
    assert_eq!(differences(&given, &rows), ["lacks SOLD", "lists GONE, which nothing gives"].map(String::from));
}
