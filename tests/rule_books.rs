//! The rule books' commands work as written, and every option has one.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use divelog_engine::Kind;
use divelog_tests::{CommandOutput, Server, binary, divelog, repository};
use serde_json::Value;

/// A book's text, by the code name of its game.
fn book(kind: Kind) -> String {
    let path = repository().join("docs/rules").join(format!("{}.md", kind.code_name().replace('_', "-")));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The code blocks of a page that have commands of the client.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in page.lines() {
        match (&mut open, line.starts_with("```")) {
            (None, true) => open = Some(String::new()),
            (Some(_), true) => blocks.extend(open.take()),
            (Some(block), false) => block.extend([line, "\n"]),
            (None, false) => {}
        }
    }
    assert_eq!(open, None, "a code block has no end");
    blocks.retain(|block| !commands(block).is_empty());
    blocks
}

/// The commands of a block, each by its first line.
fn commands(block: &str) -> Vec<&str> {
    block.lines().filter(|line| line.starts_with("divelog ")).collect()
}

/// Runs a block as somebody would paste it, up to the first command that fails.
fn paste(server: &Server, block: &str) -> CommandOutput {
    let programs = binary("divelog");
    let path = format!("{}:{}", programs.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", block]).current_dir(repository()).stdin(Stdio::null());
    shell.env("PATH", path).env("DIVELOG_SERVER", server.url()).env("NO_COLOR", "1").env("DIVELOG_TIMEOUT", "60");
    shell.output().unwrap().into()
}

fn json(server: &Server, args: &[&str]) -> Value {
    let text = divelog(server.url(), &[args, &["-o", "json"]].concat()).ok();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_commands_of_the_rule_books_work_as_written() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    for kind in Kind::ALL {
        let (title, page) = (kind.title(), book(*kind));
        let blocks = blocks(&page);
        let mut created = 0;
        for block in &blocks {
            let output = paste(&server, block);
            assert_eq!(output.code, 0, "{title}: {output:?}\n{block}");
            created += commands(block).iter().filter(|command| command.starts_with("divelog game create ")).count();
        }
        assert!(created > 0, "the book of {title} creates no game");
        let listed = json(&server, &["game", "list", "--kind", kind.code_name()]);
        assert_eq!(listed["games"].as_array().unwrap().len(), created, "{title}: {listed}");
    }
    server.stop();
}

#[test]
fn every_option_is_in_its_book_with_a_command_to_copy() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    for kind in Kind::ALL {
        let page = book(*kind);
        let (title, commands) = (kind.title(), blocks(&page).concat());
        let about = json(&server, &["game", "kinds", kind.code_name()]);
        let options: Vec<&str> =
            about["options"].as_array().unwrap().iter().map(|o| o["name"].as_str().unwrap()).collect();
        let (_, section) = page.split_once("\n## Options\n").expect("every book has a section on options");
        let (section, _) = section.split_once("\n## ").unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        let rows: BTreeSet<&str> = rows.map(|(name, _)| name).collect();
        assert_eq!(rows, options.iter().copied().collect(), "{title}: the table of options");
        for option in &options {
            let single = [format!("--option {option}="), format!("--option '{option}=")];
            assert!(single.iter().any(|single| commands.contains(single)), "{title}: no command with {option}");
        }
        assert!(options.is_empty() || commands.contains("--options '{\""), "{title}: no command with JSON");
    }
    server.stop();
}
