//! `divelog game ...`: the short commands here, the longer ones in files of their own.

mod act;
mod create;
mod fork;
mod kinds;
mod legal;
mod list;
mod prepare;
mod watch;

use divelog_proto::v1::AbandonGameRequest;
use divelog_text::Seating;

use super::game_pairs;
use crate::{
    args::{GameArg, GameCommand, Global, RequestIdArg, ViewerArg},
    connect::{self, required},
    errors::CliError,
    input,
    output::Output,
};

/// Runs one of the game commands.
pub async fn run(global: &Global, command: GameCommand, out: &mut Output) -> Result<(), CliError> {
    match command {
        GameCommand::Kinds { kind } => kinds::run(global, kind.as_deref(), out).await,
        GameCommand::Create(args) => create::run(global, &args, out).await,
        GameCommand::Prepare { quiet } => prepare::run(global, quiet, out).await,
        GameCommand::List(args) => list::run(global, &args, out).await,
        GameCommand::Show { game, viewer } => show(global, &game, &viewer, out).await,
        GameCommand::Legal { game, seat } => legal::run(global, &game, seat, out).await,
        GameCommand::Act(args) => act::run(global, &args, out).await,
        GameCommand::Watch(args) => watch::run(global, &args, out).await,
        GameCommand::Fork(args) => fork::run(global, &args, out).await,
        GameCommand::Abandon { game, reason, request } => abandon(global, &game, reason, request, out).await,
    }
}

async fn show(global: &Global, game: &GameArg, viewer: &ViewerArg, out: &mut Output) -> Result<(), CliError> {
    let viewer = input::viewer(viewer)?;
    let game_id = input::game_id(game)?;
    let connection = connect::open(global).await?;
    let response = connect::get_game(&connection, &game_id, Some(viewer)).await?;
    if !out.is_table() {
        return out.message(&response);
    }
    let game = required(response.game, "it has no game")?;
    let view = required(response.view, "it has no view")?;
    let moment =
        legal::Moment { game_id: &game_id, revision: game.revision, status: game.status(), to_act: &game.to_act };
    let legal = legal::for_board(&connection, viewer, moment).await;
    let screen = out.screen();
    let board = divelog_text::draw(&view, game.status(), &legal, &Seating::of(&game), screen);
    out.text(&format!("{}\n\n{board}", game_pairs(&game, screen.paint)))
}

async fn abandon(
    global: &Global,
    game: &GameArg,
    reason: String,
    request: RequestIdArg,
    out: &mut Output,
) -> Result<(), CliError> {
    let game_id = input::game_id(game)?;
    let connection = connect::open(global).await?;
    let response = connection
        .call(AbandonGameRequest { game_id, reason, expected_revision: None, request_id: request.request_id })
        .await?;
    if !out.is_table() {
        return out.message(&response);
    }
    let game = required(response.game, "it has no game")?;
    out.text(&game_pairs(&game, out.screen().paint))
}
