//! Which files name a game: those that `docs/adding-a-game.md` lists, so that it can be followed, and nothing else can be
//! forgotten when a game is added.
//!
//! Deep Sea Adventure may be named anywhere: it is the example in help, in documentation and in the bench.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use divelog_engine::Kind;

const PAGE: &str = "docs/adding-a-game.md";
/// What stands for a game's code name in a place on the page.
const GAME: &str = "<game>";
/// The game that may be named anywhere.
const EXAMPLE: Kind = Kind::DeepSeaAdventure;
/// What belongs to production beside the workspace's members.
const MORE_FOLDERS: [&str; 3] = ["proto", "deploy", "examples/python"];
/// Folders below them that hold tests and their data.
const FOLDERS_OF_TESTS: [&str; 4] = ["tests", "golden", "fixtures", "target"];
/// Files that hold only tests or what they share.
const FILES_OF_TESTS: [&str; 2] = ["tests.rs", "fixtures.rs"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The places that the page lists under a heading: what the items begin with, in code marks.
fn listed<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let (_, section) = page.split_once(&format!("\n### {heading}\n")).unwrap_or_else(|| panic!("no {heading:?}"));
    let section = section.split("\n#").next().unwrap();
    section.lines().filter_map(|line| line.strip_prefix("- `")?.split('`').next()).collect()
}

/// The places of the page.
struct Places<'a> {
    /// A game's own folders, with [`GAME`] in them.
    own: Vec<&'a str>,
    /// The files that name all games.
    shared: Vec<&'a str>,
}

impl Places<'_> {
    fn of(page: &str) -> Places<'_> {
        Places { own: listed(page, "Its own folders"), shared: listed(page, "Shared files") }
    }

    /// Whether a file may name this game: a shared file, or one in a folder of the game's own. A folder of one file may be
    /// that file.
    fn allow(&self, path: &str, kind: Kind) -> bool {
        let own = |place: &&str| {
            let folder = place.replace(GAME, kind.code_name());
            path.starts_with(&folder) || path.strip_suffix(".rs") == folder.strip_suffix('/')
        };
        self.shared.contains(&path) || self.own.iter().any(own)
    }
}

/// What a file says outside its tests, which stand at its end.
fn production(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap()
}

/// Whether a text names a game, however it is written: `KeyLargo`, `key_largo`, `KEY-LARGO` or "Key Largo".
fn names(text: &str, kind: Kind) -> bool {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-', ' '], "");
    let name = plain(kind.code_name());
    text.lines().any(|line| plain(line).contains(&name))
}

/// What a file names or is named after without being allowed to.
fn stray(path: &str, text: &str, places: &Places) -> Vec<String> {
    let games = Kind::ALL.iter().filter(|kind| **kind != EXAMPLE);
    let stray =
        games.filter(|kind| (names(path, **kind) || names(production(text), **kind)) && !places.allow(path, **kind));
    stray.map(|kind| format!("{path} names {}", kind.title())).collect()
}

/// All files of production with their text. What is no text names nothing.
fn files() -> Vec<(String, String)> {
    let root = repository();
    let workspace = read("Cargo.toml");
    let members = workspace.split_once("\nmembers = [").unwrap().1.split(']').next().unwrap();
    let members = members.split(',').map(|member| member.trim().trim_matches('"')).filter(|member| !member.is_empty());
    let mut found = vec![("build.rs".to_owned(), read("build.rs"))];
    let mut folders: Vec<PathBuf> = members.chain(MORE_FOLDERS).map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        let name = |path: &Path| path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let of_tests = |path: &Path| name(path).split('/').any(|part| FOLDERS_OF_TESTS.contains(&part));
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            let last = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                folders.extend((!of_tests(&path)).then_some(path));
            } else if !of_tests(&path) && !FILES_OF_TESTS.contains(&last) {
                found.extend(fs::read_to_string(&path).ok().map(|text| (name(&path), text)));
            }
        }
    }
    found
}

#[test]
fn only_the_places_on_the_page_name_a_game() {
    let (page, files) = (read(PAGE), files());
    let places = Places::of(&page);
    let found = |path: &str| files.iter().any(|(file, _)| file == path);
    for path in ["service/src/main.rs", "cli-client/src/main.rs", "bench/src/main.rs", "proto/lib.rs"] {
        assert!(found(path), "{path} is not looked at: {} files are", files.len());
    }
    let stray: Vec<String> = files.iter().flat_map(|(path, text)| stray(path, text, &places)).collect();
    assert!(stray.is_empty(), "{PAGE} does not list these places:\n{}", stray.join("\n"));
}

#[test]
fn every_shared_file_on_the_page_names_every_game() {
    let page = read(PAGE);
    let shared = Places::of(&page).shared;
    assert!(!shared.is_empty());
    for path in shared {
        let text = read(path);
        for kind in Kind::ALL {
            assert!(names(production(&text), *kind), "{PAGE} lists {path}, which does not name {}", kind.title());
        }
    }
}

#[test]
fn every_game_has_every_folder_on_the_page() {
    let page = read(PAGE);
    let own = Places::of(&page).own;
    assert!(!own.is_empty());
    for (place, kind) in own.iter().flat_map(|place| Kind::ALL.iter().map(move |kind| (place, kind))) {
        let folder = repository().join(place.replace(GAME, kind.code_name()));
        assert!(folder.is_dir() || folder.with_extension("rs").is_file(), "there is no {}", folder.display());
    }
}

#[test]
fn a_place_that_is_not_on_the_page_is_found() {
    let places = Places { own: vec!["engine/src/<game>/"], shared: vec!["engine/src/games.rs"] };
    let found = |path: &str, text: &str| stray(path, text, &places);
    for text in ["Kind::KeyLargo => 1,", "// as in key-largo", "\"KEY_LARGO\"", "Key Largo has more"] {
        assert_eq!(found("service/src/api/rulebook.rs", text), ["service/src/api/rulebook.rs names Key Largo"]);
        assert_eq!(
            found("engine/src/veiled_isles/rules.rs", text),
            ["engine/src/veiled_isles/rules.rs names Key Largo"]
        );
        assert!(found("engine/src/games.rs", text).is_empty());
        assert!(found("engine/src/key_largo/rules.rs", text).is_empty());
        assert!(found("engine/src/key_largo.rs", text).is_empty());
        let in_tests = format!("fn f() {{}}\n\n#[cfg(test)]\nmod tests {{\n    {text}\n}}\n");
        assert!(found("service/src/api/rulebook.rs", &in_tests).is_empty());
    }
    assert_eq!(found("service/src/api/key_largo.rs", ""), ["service/src/api/key_largo.rs names Key Largo"]);
    assert!(found("bench/src/echo.rs", "Kind::DeepSeaAdventure").is_empty(), "the example");
}
