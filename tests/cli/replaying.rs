//! A game as each viewer saw it: at one revision, compared, and stepped through by key in a terminal.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use divelog_tests::{Server, binary};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::{json, ok};

/// How long a terminal may take to show something.
const PATIENCE: Duration = Duration::from_secs(60);

/// Three seats with hands of their own, of which one has passed an island.
fn veiled_isles(server: &Server) -> (String, [String; 3]) {
    let game = ok(server, "game create veiled_isles --player Ana --player Ben --player Eve -q").trim_end().to_owned();
    let boards = [0, 1, 2].map(|seat| {
        let shown = ok(server, &format!("game show {game} --as seat:{seat}"));
        shown.split_once("\n\n").unwrap().1.to_owned()
    });
    (game, boards)
}

fn pass(server: &Server, game: &str, seat: u32) {
    let legal = ok(server, &format!("game legal {game} --seat {seat}"));
    ok(server, &format!("game act {game} --seat {seat} {}", legal.lines().nth(1).unwrap()));
}

#[test]
fn each_seat_is_shown_what_it_saw_then() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let (game, boards) = veiled_isles(&server);
    let legal = [0, 1, 2].map(|seat| {
        let legal = ok(&server, &format!("game legal {game} --seat {seat}"));
        legal.lines().skip(1).map(str::to_owned).collect::<Vec<_>>().join(", ")
    });
    (0..3).for_each(|seat| pass(&server, &game, seat));
    for (seat, name) in ["Ana", "Ben", "Eve"].into_iter().enumerate() {
        let then = ok(&server, &format!("replay {game} --as seat:{seat} --at 1"));
        assert!(then.starts_with("== Revision 1 "), "{then}");
        // What could be typed stands below the board, in the past tense.
        let (board, _) = boards[seat].split_once(&format!("\n\n{name} (seat {seat}) can type:\n")).unwrap();
        assert!(then.contains(board), "the board as it was: {then}\n{board}");
        let could = format!("{name} (seat {seat}) could then: {}\n", legal[seat]);
        assert!(then.ends_with(&could), "{could}: {then}");
        assert_eq!(then.matches(" could then: ").count(), 1, "what others could do would reveal their hands: {then}");
    }
    let auditor = ok(&server, &format!("replay {game} --as auditor --at 1"));
    assert_eq!(auditor.matches(" could then: ").count(), 3, "{auditor}");
    let spectator = ok(&server, &format!("replay {game} --at 1"));
    assert!(!spectator.contains(" could then: ") && spectator.contains("To act: Ana (seat 0)"), "{spectator}");
    let steps = json(&server, &format!("replay {game} --as seat:2 --at 1"));
    assert_eq!((steps.as_array().unwrap().len(), &steps[0]["legal_after"][0]["seat"]), (1, &serde_json::json!(2)));

    let viewers = ok(&server, &format!("replay {game} --as seat:2 --at 1 --diff seat:1"));
    assert!(viewers.starts_with("--- seat:1 at revision 1\n+++ seat:2 at revision 1\n"), "{viewers}");
    assert!(viewers.contains("- Hand of Ben (seat 1):") && viewers.contains("+ Hand of Eve (seat 2):"), "{viewers}");
    let revisions = ok(&server, &format!("replay {game} --as seat:2 --at 4 --diff-at 1"));
    assert!(revisions.contains("- Round 1 of 2, islands are passed"), "{revisions}");
    let both = json(&server, &format!("replay {game} --as seat:2 --at 4 --diff-at 1"));
    assert_eq!((&both["base"]["step"]["revision"], &both["shown"]["step"]["revision"]), (&1.into(), &4.into()));
    server.stop();
}

/// The client in a terminal of its own.
struct Terminal {
    keyboard: File,
    screen: mpsc::Receiver<Vec<u8>>,
    shown: String,
    /// The other end, to look at its modes; while it is open, reading goes on.
    line: File,
    child: Child,
}

impl Terminal {
    fn start(server: &Server, args: &[&str]) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let line = OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        tcsetwinsize(&line, Winsize { ws_row: 60, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let mut command = Command::new(binary("divelog"));
        command.args(args).args(["--server", server.url()]).env("TERM", "xterm").env("NO_COLOR", "1");
        command.stdin(line.try_clone().unwrap()).stdout(line.try_clone().unwrap()).stderr(Stdio::inherit());
        let child = command.spawn().unwrap();
        let keyboard = File::from(master);
        let mut eyes = keyboard.try_clone().unwrap();
        let (sender, screen) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count) = eyes.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Terminal { keyboard, screen, shown: String::new(), line, child }
    }

    /// Presses keys, and waits until something is shown that was not there before.
    #[track_caller]
    fn press(&mut self, keys: &str, expected: &str) {
        self.shown.clear();
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.wait_for(expected);
    }

    #[track_caller]
    fn wait_for(&mut self, expected: &str) {
        while !self.shown.contains(expected) {
            let Ok(bytes) = self.screen.recv_timeout(PATIENCE) else { panic!("no {expected:?}: {:?}", self.shown) };
            self.shown.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    fn is_raw(&self) -> bool {
        !tcgetattr(&self.line).unwrap().local_modes.contains(LocalModes::ICANON)
    }

    fn end(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

/// Leaves the alternate screen.
const LEAVE: &str = "\x1b[?1049l";

#[test]
fn a_game_is_stepped_through_by_key() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let (game, _) = veiled_isles(&server);
    (0..3).for_each(|seat| pass(&server, &game, seat));
    let mut terminal = Terminal::start(&server, &["replay", &game, "--step"]);
    terminal.wait_for("1/4 as spectator");
    assert!(terminal.is_raw());
    terminal.press("\x1b[C", "2/4 as spectator");
    terminal.press(" ", "3/4 as spectator");
    terminal.press("2", "3/4 as seat:2");
    assert!(terminal.shown.contains("Hand of Eve (seat 2)"), "{}", terminal.shown);
    terminal.press("\x1b[D", "2/4 as seat:2");
    terminal.press("a", "2/4 as auditor");
    terminal.press("g4", "go to revision: 4_");
    terminal.press("\r", "4/4 as auditor");
    terminal.press("p", "3/4 as auditor");
    terminal.press("\x1b[H", "1/4 as auditor");
    // The game goes on meanwhile.
    let seat = json(&server, &format!("game show {game}"))["game"]["to_act"][0].as_u64().unwrap();
    let legal = ok(&server, &format!("game legal {game} --seat {seat}"));
    let play = legal.lines().nth(1).unwrap().split(' ').take(2).collect::<Vec<_>>().join(" ");
    ok(&server, &format!("game act {game} --seat {seat} {play} sea"));
    terminal.press("\x1b[F", "5/5 as auditor");
    terminal.press("q", LEAVE);
    assert!(terminal.end().success());
    assert!(!terminal.is_raw(), "the terminal is as it was");
    server.stop();
}

#[test]
fn the_terminal_is_restored_on_every_way_out() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let (game, _) = veiled_isles(&server);
    let args = ["replay", &game, "--step", "--timeout", "5"];
    for (what, leave) in [("Ctrl-C", "\x03"), ("Esc", "\x1b"), ("SIGTERM", "")] {
        let mut terminal = Terminal::start(&server, &args);
        terminal.wait_for("1/1 as spectator");
        if leave.is_empty() {
            rustix::process::kill_process(
                rustix::process::Pid::from_child(&terminal.child),
                rustix::process::Signal::TERM,
            )
            .unwrap();
        }
        terminal.press(leave, LEAVE);
        assert!(terminal.end().success(), "{what}");
        assert!(!terminal.is_raw(), "{what}");
    }
    // The server goes away in the middle of it.
    let mut terminal = Terminal::start(&server, &args);
    terminal.wait_for("1/1 as spectator");
    server.stop();
    terminal.press("a", LEAVE);
    assert_eq!(terminal.end().code(), Some(3));
    assert!(!terminal.is_raw());
}
