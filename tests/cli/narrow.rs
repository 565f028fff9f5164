//! Every screen at 80 columns: no line is wider, so that no terminal breaks one.

use std::process::{Command, Stdio};

use divelog_engine::Kind;
use divelog_tests::{Dice, Server, binary, divelog};

use super::{CliPlayer, json, ok};

const COLUMNS: usize = 80;

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
    let mut args = vec!["game", "create", "deep_sea_adventure", "-q", "--label", "league=north"];
    args.extend(names.iter().flat_map(|name| ["--player", name]));
    let game = divelog(server.url(), &args).ok().trim().to_owned();
    let mut player = CliPlayer { server: &server, game: game.clone(), dice: Dice::new(7, 0) };
    for _ in 0..40 {
        player.step();
    }
    for seat in 0..3 {
        // One of them is refused for its turn, the others for the action.
        divelog(server.url(), &["game", "act", &game, "--seat", &seat.to_string(), "put-down", "4"]);
    }
    ok(&server, &format!("game fork {game} --label why=dispute-12"));
    let mut games = vec![game.clone()];
    for (kind, seats) in [("captain_carcass", 4), ("key_largo", 5), ("veiled_isles", 5)] {
        let mut args = vec!["game", "create", kind, "-q"];
        args.extend((0..seats).flat_map(|seat| ["--player", names[seat % names.len()]]));
        games.push(divelog(server.url(), &args).ok().trim().to_owned());
    }
    assert_eq!(games.len(), Kind::ALL.len());
    let mut lines: Vec<String> = ["game list", "game kinds", "log verify --all"].map(str::to_owned).into();
    lines.extend(
        Kind::ALL.iter().filter(|kind| **kind != Kind::KeyLargo).map(|kind| format!("game kinds {}", kind.code_name())),
    );
    for game in &games {
        lines.push(format!("game show {game} --as auditor"));
        lines.push(format!("game show {game} --as seat:0"));
    }
    for command in ["log show", "log refusals", "log verify", "replay"] {
        lines.push(format!("{command} {game}"));
    }
    let mut too_wide = Vec::new();
    for line in lines {
        let (text, _) = at_80(&server, &line);
        let wide = text.lines().filter(|shown| divelog_text::strings::width(shown) > COLUMNS);
        too_wide.extend(wide.map(|shown| format!("{line}: {shown}")));
    }
    assert!(too_wide.is_empty(), "{too_wide:#?}");
    // What is left out is named, and there for whoever asks.
    let (text, notes) = at_80(&server, "game list");
    assert!(notes.contains("left out") && notes.contains("labels") && notes.contains("-o wide"), "{notes}");
    assert!(!text.contains("league=north") && text.contains(&game), "{text}");
    let (text, notes) = at_80(&server, "game list -o wide");
    assert!(text.contains("league=north") && notes.is_empty(), "{text}");
    assert_eq!(text, ok(&server, "game list"), "a pipe has all columns");
    let (text, _) = at_80(&server, &format!("game show {}", games[2]));
    assert!(!text.contains("options"), "all of Key Largo's options are at their default: {text}");
    let (text, _) = at_80(&server, &format!("game show {} -o wide", games[2]));
    assert!(text.contains("wreck_cards=") && text.contains("dolphins=40,50,60,20,20,20,20,40,50,60"), "{text}");
    assert!(json(&server, &format!("game show {}", games[2]))["game"]["options"]["key_largo"]["bar"].is_object());
    server.stop();
}
