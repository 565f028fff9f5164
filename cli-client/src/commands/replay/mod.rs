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
    errors::CliError,
    input,
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
    let seating = if out.is_table() {
        Seating::of(&connect::game(&connection, &call.game_id).await?)
    } else {
        Seating::default()
    };
    let mut stream = connection.open_stream(call).await?;
    let mut first = true;
    while let Some(step) = connection.next(&mut stream).await? {
        if !out.is_table() {
            out.list_item(&step)?;
            continue;
        }
        let gap = if first { "" } else { "\n" };
        let text_width = out.table_screen().width;
        let renderer =
            StepRenderer { seating: &seating, screen: out.screen(), text_width, what_next: args.at.is_some() };
        out.text(&format!("{gap}{}", renderer.step(&step)))?;
        out.flush()?;
        first = false;
    }
    out.end_list()
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
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;

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
