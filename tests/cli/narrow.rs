//! Every screen at 80 columns: no line is wider, so that no terminal breaks one.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use divelog_engine::Kind;
use divelog_tests::{Choices, Server, binary, divelog};

use super::kinds::CliPlayer;
use super::{json, ok};

const COLUMNS: usize = 80;

/// The games that are looked at: kind, seats, options.
const KINDS: [(&str, usize, &[&str]); 4] = [
    ("deep_sea_adventure", 6, &[]),
    ("captain_carcass", 4, &["variant=strange_lands"]),
    ("key_largo", 5, &["encounters=true"]),
    ("veiled_isles", 5, &["red_blue_action=a3", "green_purple_action=a4"]),
];
/// How far each of them is played.
const ACTIONS: usize = 80;

/// An action of another game.
fn impossible(kind: &str) -> String {
    let action = match kind {
        "veiled_isles" => r#"{"deep_sea_adventure":{"leave":{}}}"#,
        _ => r#"{"veiled_isles":{"pass":{"island":{"colour":"red","number":8}}}}"#,
    };
    action.to_owned()
}

/// What a terminal of 80 columns shows, and what is said beside it.
fn at_80(server: &Server, line: &str) -> (String, String) {
    let mut command = Command::new(binary("divelog"));
    command.args(line.split_whitespace()).env("DIVELOG_SERVER", server.url()).env("NO_COLOR", "1");
    let output = command.env("COLUMNS", COLUMNS.to_string()).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn no_table_and_no_board_is_wider_than_the_screen() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    // As wide as they may be: 64 bytes, some of two columns each, and one without a space to break it at.
    let names = [
        "山田花子山田花子山田花子山田花子山田花子",
        "👩\u{200d}👩\u{200d}👧 Familie Größenwahn",
        &"Maximilian".repeat(6),
    ];
    let mut games = Vec::new();
    for (kind, seats, options) in KINDS {
        let mut args = vec!["game", "create", kind, "-q", "--label", "league=north"];
        args.extend((0..seats).flat_map(|seat| ["--player", names[seat % names.len()]]));
        args.extend(options.iter().flat_map(|option| ["--option", option]));
        games.push((kind, divelog(server.url(), &args).ok().trim().to_owned()));
    }
    assert_eq!(games.len(), Kind::ALL.len());
    let mut lines: Vec<String> = ["game list", "game kinds"].map(str::to_owned).into();
    lines.extend(Kind::ALL.iter().map(|kind| format!("game kinds {}", kind.code_name())));
    for (kind, game) in &games {
        let mut player = CliPlayer { server: &server, kind, game: game.clone(), choices: Choices::new(7, 0) };
        // Chance decides how long a game is.
        let actions = (0..ACTIONS).take_while(|_| player.step()).count();
        assert!(actions >= ACTIONS / 8, "{kind} was over after {actions} actions");
        // Refused for the turn or for the action.
        for seat in 0..3 {
            divelog(server.url(), &["game", "act", game, "--seat", &seat.to_string(), "--json", &impossible(kind)]);
        }
        if let Some(asked) = json(&server, &format!("game show {game}"))["game"]["to_act"][0].as_u64() {
            lines.push(format!("game legal {game} --seat {asked}"));
        }
        ok(&server, &format!("game fork {game} --label why=dispute-12"));
        // As it was at every position, to everybody.
        lines.push(format!("replay {game} --as auditor --legal --views"));
        lines.push(format!("replay {game} --as auditor --lang fr"));
        for revision in [2, actions / 2, actions] {
            lines.push(format!("replay {game} --as auditor --at {revision}"));
        }
        for viewer in ["auditor", "spectator", "seat:0", "seat:1"] {
            lines.push(format!("game show {game} --as {viewer}"));
            lines.push(format!("game show {game} --as {viewer} --lang fr"));
        }
        for command in ["log show", "log refusals", "log verify", "game watch --after 0 --views --as auditor"] {
            lines.push(format!("{command} {game}"));
        }
        // A watch ends with its game, which may be over.
        divelog(server.url(), &["game", "abandon", game]);
    }
    lines.push("log verify --all".into());
    let mut too_wide = BTreeMap::new();
    for line in lines {
        let (text, _) = at_80(&server, &line);
        let wide = text.lines().filter(|shown| divelog_text::strings::width(shown) > COLUMNS);
        too_wide.extend(wide.map(|shown| (shown.to_owned(), line.clone())));
    }
    assert!(too_wide.is_empty(), "{too_wide:#?}");
    server.stop();
}

/// What is left out for lack of room is named, and there for whoever asks.
#[test]
fn what_has_no_room_is_named_and_shown_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = ok(&server, "game create key_largo --players 3 --label league=north -q").trim().to_owned();
    let (text, notes) = at_80(&server, "game list");
    assert!(notes.contains("left out") && notes.contains("labels") && notes.contains("-o wide"), "{notes}");
    assert!(!text.contains("league=north") && text.contains(&game), "{text}");
    let (text, notes) = at_80(&server, "game list -o wide");
    assert!(text.contains("league=north") && notes.is_empty(), "{text}");
    assert_eq!(text, ok(&server, "game list"), "a pipe has all columns");
    let (text, _) = at_80(&server, &format!("game show {game}"));
    assert!(!text.contains("options"), "all of Key Largo's options are at their default: {text}");
    let (text, _) = at_80(&server, &format!("game show {game} -o wide"));
    assert!(text.contains("wreck_cards=") && text.contains("dolphins=40,50,60,20,20,20,20,40,50,60"), "{text}");
    assert!(json(&server, &format!("game show {game}"))["game"]["options"]["key_largo"]["bar"].is_object());
    // Something to copy is on one line in a pipe.
    let (text, kinds) = (at_80(&server, "game kinds key_largo").0, ok(&server, "game kinds key_largo"));
    let example =
        |text: &str| text[text.find("--option 'wreck_cards").unwrap()..].split("'\n").next().unwrap().to_owned();
    assert_eq!(example(&kinds).lines().count(), 1);
    assert!(example(&text).lines().count() > 1);
    let joined: String =
        example(&text).lines().enumerate().map(|(at, line)| if at == 0 { line } else { line.trim() }).collect();
    assert_eq!(joined, example(&kinds));
    // Pasted as it is shown, it is taken.
    let line = format!("{} game create key_largo --players 3 -q {}'", binary("divelog").display(), example(&text));
    let pasted = Command::new("sh").args(["-c", &line]).env("DIVELOG_SERVER", server.url()).status().unwrap();
    assert!(pasted.success(), "{line}");
    server.stop();
}
