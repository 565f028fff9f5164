//! `divelog replay --diff` and `--diff-at`: what differs between two boards of one game.

use divelog_proto::v1::{ReplayGameRequest, ReplayGameResponse, Viewer};
use divelog_text::Seating;
use serde_json::json;
use similar::ChangeTag;

use super::{StepRenderer, one_step, viewer_word};
use crate::{
    args::{Global, ReplayArgs, ViewerArg},
    connect::{self, required},
    errors::CliError,
    input,
    output::{self, Output, diff, json},
};

/// A viewer at a revision.
type ViewerAt = (Viewer, u64);

/// Draws both boards and compares them.
pub async fn run(
    global: &Global,
    args: &ReplayArgs,
    call: ReplayGameRequest,
    out: &mut Output,
) -> Result<(), CliError> {
    let base_viewer = args.diff.clone().map(|viewer| input::viewer(&ViewerArg { viewer })).transpose()?;
    let game_id = input::game_id(&args.game)?;
    let connection = connect::open(global).await?;
    let game = connect::game(&connection, &game_id).await?;
    let shown: ViewerAt = (call.viewer.unwrap_or_default(), args.at.unwrap_or(game.revision));
    let base: ViewerAt = (base_viewer.unwrap_or(shown.0), args.diff_at.unwrap_or(shown.1));
    let before = one_step(&connection, &game_id, base.0, base.1).await?;
    let after = one_step(&connection, &game_id, shown.0, shown.1).await?;
    // Without colours: they would make lines differ that read the same.
    let screen = output::Screen { paint: output::Paint::new(false), ..out.screen() };
    let seating = Seating::of(&game);
    let renderer = StepRenderer { seating: &seating, screen, text_width: screen.width, what_next: true };
    let boards = [board(&renderer, &before)?, board(&renderer, &after)?];
    let lines = diff::lines(&boards[0], &boards[1]);
    if !out.is_table() {
        return out.value(&json!({
            "game_id": game_id,
            "base": { "viewer": viewer_word(base.0), "step": json::to_value(&before)? },
            "shown": { "viewer": viewer_word(shown.0), "step": json::to_value(&after)? },
            "lines": diff::to_value(&lines),
        }));
    }
    let paint = out.screen().paint;
    out.text(&paint.alarm(&format!("--- {} at revision {}", viewer_word(base.0), base.1)))?;
    out.text(&paint.good(&format!("+++ {} at revision {}", viewer_word(shown.0), shown.1)))?;
    out.text(&diff::marked(&lines, paint))?;
    if lines.iter().all(|(mark, _)| *mark == ChangeTag::Equal) {
        output::note("both boards read the same");
    }
    Ok(())
}

fn board(renderer: &StepRenderer, step: &ReplayGameResponse) -> Result<String, CliError> {
    required(renderer.board(step), "a step has no view")
}

#[cfg(test)]
mod tests {
    use divelog_proto::{
        games::deep_sea_adventure::v1 as dsa,
        v1::{Game, GameView, game_view},
    };
    use serde_json::Value;

    use crate::{
        args::{Cli, Command, Format},
        output::capture,
        test_server::{Script, TestServer},
    };

    use super::*;
    use clap::Parser as _;

    const GAME: &str = "0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e10";

    fn step(revision: u64, air: i32) -> ReplayGameResponse {
        let view = dsa::View { round: 1, air, ..Default::default() };
        let view = GameView { view: Some(game_view::View::DeepSeaAdventure(view)) };
        ReplayGameResponse { revision, view: Some(view), ..Default::default() }
    }

    async fn diff(line: &str, format: Format) -> String {
        let steps = [((2, 41), step(41, 20)), ((1, 41), step(41, 19)), ((2, 38), step(38, 25))].into();
        let game = Game { revision: 41, ..Default::default() };
        let server = TestServer::start(Script { game, steps, ..Default::default() }).await;
        let (mut out, captured) = capture::output(format);
        let cli = Cli::try_parse_from(format!("divelog replay {GAME} {line}").split(' ')).unwrap();
        let Command::Replay(args) = cli.command else { panic!("{line}") };
        super::super::run(&server.global(), &args, &mut out).await.unwrap();
        captured.text()
    }

    #[tokio::test]
    async fn two_viewers_and_two_revisions() {
        let viewers = diff("--as seat:2 --at 41 --diff seat:1", Format::Table).await;
        assert!(viewers.starts_with("--- seat:1 at revision 41\n+++ seat:2 at revision 41\n- Round 1"), "{viewers}");
        assert!(viewers.contains("- Round 1 of 3   air 19/25") && viewers.contains("+ Round 1 of 3   air 20/25"));
        let revisions = diff("--as seat:2 --diff-at 38", Format::Table).await;
        assert!(revisions.starts_with("--- seat:2 at revision 38\n+++ seat:2 at revision 41\n"), "{revisions}");
        assert_eq!(revisions.lines().skip(2).filter(|line| line.starts_with('-')).count(), 1, "{revisions}");
    }

    #[tokio::test]
    async fn programs_get_both_views() {
        let value: Value = serde_json::from_str(&diff("--as seat:2 --diff seat:1", Format::Json).await).unwrap();
        assert_eq!((&value["base"]["viewer"], &value["shown"]["viewer"]), (&json!("seat:1"), &json!("seat:2")));
        assert_eq!(value["base"]["step"]["view"]["deep_sea_adventure"]["air"], 19);
        assert_eq!(value["shown"]["step"]["view"]["deep_sea_adventure"]["air"], 20);
        assert_eq!(value["lines"].as_array().unwrap().len(), 2);
    }
}
