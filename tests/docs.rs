//! Pages that list what the code can return: every reason has its row.

use std::collections::BTreeSet;

use divelog_tests::repository;

/// Rules that an error can name, written like reasons but none.
const RULES: [&str; 2] = ["MALFORMED", "REVISION"];

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The words in quotation marks that are written like reasons. What stands between two literals never is.
fn reasons(source: &str) -> BTreeSet<&str> {
    let is_reason = |word: &&str| {
        let shape = word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        shape && word.len() >= 3 && !RULES.contains(word)
    };
    source.split('"').filter(is_reason).collect()
}

/// The reasons of the page's first table. Those of the rules are checked by the engine's own tests.
fn listed(page: &str) -> BTreeSet<&str> {
    let (table, _) = page.split_once("## Reasons of refused actions").expect("the page has that heading");
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    rows.filter_map(|row| row.split(" | ").nth(1)?.strip_prefix('`')?.strip_suffix('`')).collect()
}

#[test]
fn every_reason_of_the_server_is_on_the_page_of_errors() {
    let (source, page) = (read("service/src/api/errors.rs"), read("docs/errors.md"));
    let (given, listed) = (reasons(&source), listed(&page));
    assert!(given.len() >= 20, "the table of errors has moved: {given:?}");
    let missing: Vec<_> = given.difference(&listed).collect();
    assert!(missing.is_empty(), "docs/errors.md lacks {missing:?}");
    // The rules' own reason for an action that is none.
    let stray: Vec<_> = listed.difference(&given).filter(|reason| **reason != "MALFORMED_ACTION").collect();
    assert!(stray.is_empty(), "docs/errors.md lists {stray:?}, which the server does not give");
}
