//! `divelog replay --diff` and `--diff-at`: what differs between two boards of one game.

use divelog_proto::v1::{ReplayGameRequest, ReplayGameResponse, Viewer};
use serde_json::json;

use super::{Teller, one_step, viewer_word};
use crate::{
    args::{Global, ReplayArgs, ViewerArg},
    boards::Seating,
    connect::{Connection, required},
    errors::CliError,
    input,
    output::{self, Output, diff, json},
};

/// A viewer at a revision.
type Eyes = (Viewer, u64);

/// Draws both boards and compares them.
pub async fn run(
    global: &Global,
    args: &ReplayArgs,
    call: ReplayGameRequest,
    out: &mut Output,
) -> Result<(), CliError> {
    let base_viewer = args.diff.clone().map(|viewer| input::viewer(&ViewerArg { viewer })).transpose()?;
    let game_id = input::game_id(&args.game)?;
    let connection = Connection::open(global).await?;
    let game = connection.game(&game_id).await?;
    let shown: Eyes = (call.viewer.unwrap_or_default(), args.at.unwrap_or(game.revision));
    let base: Eyes = (base_viewer.unwrap_or(shown.0), args.diff_at.unwrap_or(shown.1));
    let before = one_step(&connection, &game_id, base.0, base.1).await?;
    let after = one_step(&connection, &game_id, shown.0, shown.1).await?;
    // Without colours: they would make lines differ that read the same.
    let screen = output::Screen { paint: output::Paint::new(false), ..out.screen() };
    let seating = Seating::of(&game);
    let teller = Teller { seating: &seating, screen, what_next: true };
    let boards = [board(&teller, &before)?, board(&teller, &after)?];
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
    if lines.iter().all(|(mark, _)| *mark == diff::Mark::Same) {
        output::note("both boards read the same");
    }
    Ok(())
}

fn board(teller: &Teller, step: &ReplayGameResponse) -> Result<String, CliError> {
    required(teller.board(step), "a step has no view")
}
