//! `divelog replay`: a game step by step, as any viewer saw it: straight through, one revision alone, by key in a
//! terminal, or compared with another viewer or revision.

mod diff;
mod render_steps;
mod stepper;
mod terminal;

use divelog_proto::v1::{ReplayGameRequest, ReplayGameResponse, Viewer, viewer::Role};
use divelog_text::Seating;

use crate::{
    args::{Global, ReplayArgs},
    connect::{self, Connection},
    errors::{CliError, Exit, worst},
    input,
    interrupt::unless_interrupted,
    output::Output,
};
use render_steps::StepRenderer;

/// Replays the game.
pub async fn run(global: &Global, args: &ReplayArgs, out: &mut Output) -> Result<(), CliError> {
    let mut call = request(args)?;
    if args.diff.is_some() || args.diff_at.is_some() {
        return diff::run(global, args, call, out).await;
    }
    call.game_id = input::game_id(&args.game)?;
    let connection = connect::open(global).await?;
    if args.step && terminal::is_interactive(out) {
        return terminal::run(&connection, call, out.screen()).await;
    }
    let json = out.is_json();
    let seating = if out.is_table() {
        Seating::of(&connect::game(&connection, &call.game_id).await?)
    } else {
        Seating::default()
    };
    let steps = print_steps(&connection, call, &seating, args.at.is_some(), out);
    // A table or lines that are cut off can be read as far as they go.
    if json { unless_interrupted(steps).await } else { steps.await }
}

/// Prints each step as it comes. The server replays as it goes, so what is wrong with a record is known only at its step: where
/// stdout takes no more, the rest is read all the same, and the verdict on it wins.
async fn print_steps(
    connection: &Connection,
    call: ReplayGameRequest,
    seating: &Seating,
    what_next: bool,
    out: &mut Output,
) -> Result<(), CliError> {
    let mut stream = connection.open_stream(call).await?;
    out.begin_list();
    let mut printed = Ok(());
    let mut first = true;
    let ended = loop {
        let step = match connection.next(&mut stream).await {
            Ok(Some(step)) => step,
            Ok(None) => break Ok(()),
            Err(error) => break Err(CliError::from(error)),
        };
        if printed.is_ok() {
            printed = print_step(&step, seating, what_next, first, out);
        }
        first = false;
    };
    match (ended, printed) {
        (Ok(()), Ok(())) => out.end_list(),
        // Whoever stopped reading has what they wanted, whatever became of the connection after that.
        (Err(error), Err(unread)) if unread.is_broken_pipe() && error.exit() != Exit::Unverified => Err(unread),
        (ended, printed) => worst(ended, printed),
    }
}

fn print_step(
    step: &ReplayGameResponse,
    seating: &Seating,
    what_next: bool,
    first: bool,
    out: &mut Output,
) -> Result<(), CliError> {
    if !out.is_table() {
        return out.list_item(step);
    }
    let gap = if first { "" } else { "\n" };
    let text_width = out.table_screen().width;
    let renderer = StepRenderer { seating, screen: out.screen(), text_width, what_next };
    out.text(&format!("{gap}{}", renderer.step(step)))?;
    out.flush()
}

/// The request that the arguments ask for, without the game.
fn request(args: &ReplayArgs) -> Result<ReplayGameRequest, CliError> {
    if args.to != 0 && args.from > args.to {
        return Err(CliError::usage(format!("--from {} lies after --to {}", args.from, args.to)));
    }
    let viewer = input::viewer(&args.viewer)?;
    if args.views && viewer.role() != Role::Auditor {
        return Err(CliError::usage("--views shows what every seat saw, so it needs --as auditor"));
    }
    Ok(ReplayGameRequest {
        game_id: String::new(),
        viewer: Some(viewer),
        from_revision: args.at.unwrap_or(args.from),
        to_revision: args.at.unwrap_or(args.to),
        include_views: true,
        include_legal_actions: args.legal,
        include_all_views: args.views,
        include_legal_after: args.at.is_some() || args.step,
    })
}

/// One revision as a viewer was shown it, with what could be done then.
async fn one_step(
    connection: &Connection,
    game_id: &str,
    viewer: Viewer,
    revision: u64,
) -> Result<ReplayGameResponse, CliError> {
    let call = ReplayGameRequest {
        game_id: game_id.to_owned(),
        viewer: Some(viewer),
        from_revision: revision,
        to_revision: revision,
        include_views: true,
        include_legal_after: true,
        ..Default::default()
    };
    let mut stream = connection.open_stream(call).await?;
    let step = connection.next(&mut stream).await?;
    step.filter(|step| step.revision == revision)
        .ok_or_else(|| CliError::Protocol(format!("it did not show revision {revision}")))
}

/// A viewer in the words that `--as` takes.
fn viewer_word(viewer: Viewer) -> String {
    match viewer.role() {
        Role::Seat => format!("seat:{}", viewer.seat),
        Role::Auditor => "auditor".into(),
        Role::Spectator | Role::Unspecified => "spectator".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;
    use crate::{
        args::{Cli, Command, Format},
        output::capture,
        test_server::{Script, TestServer},
    };
    use clap::Parser as _;
    use serde_json::Value;
    use tonic::Status;

    const GAME: &str = "0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e10";

    /// A replay of so many steps, and how it ends.
    async fn replayed(steps: u64, end: Option<Status>, out: &mut Output) -> Result<(), CliError> {
        let step = |revision| Ok(ReplayGameResponse { revision, ..Default::default() });
        let replay = (1..=steps).map(step).chain(end.map(Err)).collect();
        let server = TestServer::start(Script { replay: Some(replay), ..Default::default() }).await;
        let Command::Replay(args) = Cli::try_parse_from(["divelog", "replay", GAME]).unwrap().command else { panic!() };
        let result = run(&server.global(), &args, out).await;
        out.end(result)
    }

    #[tokio::test]
    async fn what_is_wrong_with_a_record_is_found_though_nobody_reads_the_steps_before_it() {
        let damaged = || Some(Status::data_loss("record 3 differs"));
        let gone = || Some(Status::unavailable("the connection broke"));
        for format in [Format::Table, Format::Json, Format::Jsonl] {
            for (kind, end, exit) in [
                (ErrorKind::BrokenPipe, damaged(), Exit::Unverified),
                (ErrorKind::StorageFull, damaged(), Exit::Unverified),
                (ErrorKind::BrokenPipe, gone(), Exit::Done),
                (ErrorKind::BrokenPipe, None, Exit::Done),
                (ErrorKind::StorageFull, None, Exit::Unwritten),
            ] {
                let mut out = capture::failing(format, kind);
                let error = replayed(3, end, &mut out).await.unwrap_err();
                assert_eq!(error.exit(), exit, "{format:?} {kind}: {error}");
            }
        }
    }

    #[tokio::test]
    async fn a_replay_that_breaks_off_is_a_document_wherever_it_does() {
        for steps in 0..3 {
            let (mut out, captured) = capture::output(Format::Json);
            let error = replayed(steps, Some(Status::data_loss("damaged")), &mut out).await.unwrap_err();
            assert_eq!(error.exit(), Exit::Unverified);
            let items: Vec<Value> = serde_json::from_str(&captured.text()).unwrap();
            assert_eq!(items.len() as u64, steps + 1);
            assert_eq!(items.last().unwrap()["error"]["code"], "DATA_LOSS");
        }
        let (mut out, captured) = capture::output(Format::Json);
        replayed(0, None, &mut out).await.unwrap();
        assert_eq!(captured.text(), "[]\n");
    }

    fn parse(line: &str) -> Result<ReplayGameRequest, String> {
        let cli = Cli::try_parse_from(line.split(' ')).map_err(|error| error.to_string())?;
        match cli.command {
            Command::Replay(args) => request(&args).map_err(|error| error.to_string()),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn arguments_become_a_request() {
        let request = parse("divelog replay g --as auditor --from 3 --to 5").unwrap();
        assert_eq!((request.from_revision, request.to_revision), (3, 5));
        assert_eq!(request.viewer.unwrap().role(), Role::Auditor);
        assert!(request.include_views && !request.include_legal_actions && !request.include_all_views);
        let full = parse("divelog replay g --as auditor --legal --views").unwrap();
        assert!(full.include_legal_actions && full.include_all_views);
        assert!(parse("divelog replay g --as seat:0 --views").is_err());
        assert_eq!(parse("divelog replay g").unwrap().to_revision, 0);
        assert!(parse("divelog replay g --from 3").is_ok());
        assert!(parse("divelog replay g --from 3 --to 2").is_err());
    }

    #[test]
    fn one_revision_comes_with_what_could_be_done_then() {
        let request = parse("divelog replay g --as seat:2 --at 41").unwrap();
        assert_eq!((request.from_revision, request.to_revision), (41, 41));
        assert_eq!(viewer_word(request.viewer.unwrap()), "seat:2");
        assert!(request.include_legal_after);
        assert!(!parse("divelog replay g").unwrap().include_legal_after);
        for bad in ["--at 0", "--at 4 --from 3", "--at 4 --to 5", "--diff seat:1 --step", "--diff-at 3 --to 5"] {
            assert!(parse(&format!("divelog replay g {bad}")).is_err(), "{bad}");
        }
    }
}
