//! Golden playthroughs: whole games as text in `ledger/golden/`, played again on every build.
//!
//! A file holds what was chosen (options, actions), what chance gave, and what must follow: events, digests, the result.
//! It does not hold our random generator's seed, so that another implementation of the rules can check it too.
//! Beside them lie golden bundles, whole logs as bytes. `ledger/golden/README.md` describes the format; `sh ledger/golden/regenerate` writes the files again.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::disallowed_methods, reason = "what is banned from the ledger is how a test gets at its files")]

mod bundles;
mod coverage;
mod file;
mod play;
mod wire;

use std::{env, fs};

use file::Golden;
use play::Script;

/// Writes the files instead of checking them; set by `ledger/golden/regenerate`.
const REGENERATE: &str = "DIVELOG_REGENERATE_GOLDEN";

#[test]
fn every_playthrough_is_played_the_same_again() {
    let regenerate = env::var_os(REGENERATE).is_some();
    for path in file::paths() {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.display();
        let golden = Golden::parse(&text).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        // A released version's playthroughs never change: only those of the newest version are written.
        if regenerate && golden.rules_version == golden.kind.rules_version() {
            let played = play::whole(&golden, Script::Random(golden.player));
            fs::write(&path, played.unwrap_or_else(|problem| panic!("{name}: {problem}"))).unwrap();
            continue;
        }
        let played = play::whole(&golden, Script::Recorded(&golden.steps))
            .unwrap_or_else(|problem| panic!("{name}: the rules changed.\n  {problem}\n{CHANGE}"));
        let mut lines = text.lines().zip(played.lines()).enumerate();
        if let Some((line, (was, is))) = lines.find(|(_, (was, is))| was != is) {
            panic!("{name}:{}: the rules changed.\n  golden: {was}\n  now:    {is}\n{}", line + 1, CHANGE);
        }
        assert_eq!(text.len(), played.len(), "{name}: the game ends elsewhere now.\n{CHANGE}");
    }
}

/// Version 1 has the plain names; those of a later one end as its bundle's does.
#[test]
fn every_playthrough_is_named_after_its_rules_version() {
    for path in file::paths() {
        let golden = Golden::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let named = name.rsplit_once("-rules-").map_or(1, |(_, version)| version.parse().unwrap());
        assert_eq!(golden.rules_version, named, "{}", path.display());
    }
}

const CHANGE: &str =
    "If that is meant, it is a new rules version: see docs/adding-a-game.md, \"Changing rules later\".";

#[test]
fn a_changed_line_is_noticed() {
    let path = file::paths().next().expect("there are playthroughs");
    let text = fs::read_to_string(path).unwrap();
    let golden = Golden::parse(&text).unwrap();
    let mut altered = golden.clone();
    let step = altered.steps.iter_mut().find(|step| !step.draws.is_empty()).expect("a game with luck");
    let draw = &mut step.draws[0];
    draw.answer = (draw.answer + 1) % draw.bound;
    let played = play::whole(&altered, Script::Recorded(&altered.steps));
    assert_ne!(played, Ok(text), "other luck, the same game");
}
