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

use super::{game_pairs, print_game};
use crate::{
    args::{AbandonArgs, GameArg, GameCommand, Global, ViewerArg},
    connect::{self, required},
    errors::CliError,
    input,
    output::Output,
    repeat::Repeat,
};

/// Runs one of the game commands.
pub async fn run(global: &Global, command: GameCommand, out: &mut Output) -> Result<(), CliError> {
    match command {
        GameCommand::Kinds { kind, rules_version } => kinds::run(global, kind.as_deref(), rules_version, out).await,
        GameCommand::Create(args) => create::run(global, &args, out).await,
        GameCommand::Prepare { quiet } => prepare::run(global, quiet, out).await,
        GameCommand::List(args) => list::run(global, &args, out).await,
        GameCommand::Show { game, viewer } => show(global, &game, &viewer, out).await,
        GameCommand::Legal { game, seat } => legal::run(global, &game, seat, out).await,
        GameCommand::Act(args) => act::run(global, &args, out).await,
        GameCommand::Watch(args) => watch::run(global, &args, out).await,
        GameCommand::Fork(args) => fork::run(global, &args, out).await,
        GameCommand::Abandon(args) => abandon(global, &args, out).await,
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
    let seating = Seating::of(&game);
    let board = divelog_text::draw(&view, game.status(), game.outcome.as_ref(), &legal, &seating, out.screen());
    out.text(&format!("{}\n\n{board}", game_pairs(&game, out.table_screen(), out.is_wide())))
}

async fn abandon(global: &Global, args: &AbandonArgs, out: &mut Output) -> Result<(), CliError> {
    let game_id = input::game_id(&args.game)?;
    let repeat = Repeat::new(global, &args.request, args.game.read_from_stdin(&game_id))?;
    let call = AbandonGameRequest {
        game_id: game_id.clone(),
        reason: args.reason.clone(),
        expected_revision: args.expected_revision,
        request_id: repeat.request_id.clone(),
    };
    let connection = connect::open(global).await?;
    let response = connection.call(call).await.map_err(|error| repeat.attach(error))?;
    out.done(format!("the game {game_id} was abandoned"));
    if !out.is_table() {
        return out.message(&response);
    }
    print_game(&required(response.game, "it has no game")?, out)
}
