//! `divelog game ...`: the short commands here, the longer ones in files of their own.

mod act;
mod create;
mod fork;
mod kinds;
mod list;
mod prepare;
mod watch;

use divelog_proto::v1::{AbandonGameRequest, ListLegalActionsRequest, ListLegalActionsResponse};
use divelog_text::Seating;

use super::game_pairs;
use crate::{
    args::{GameArg, GameCommand, Global, RequestIdArg, ViewerArg},
    connect::{Connection, required},
    errors::CliError,
    input,
    output::{self, Output, table::Table},
};

/// Runs one of the game commands.
pub async fn run(global: &Global, command: GameCommand, out: &mut Output) -> Result<(), CliError> {
    match command {
        GameCommand::Kinds { kind } => kinds::run(global, kind.as_deref(), out).await,
        GameCommand::Create(args) => create::run(global, &args, out).await,
        GameCommand::Prepare { quiet } => prepare::run(global, quiet, out).await,
        GameCommand::List(args) => list::run(global, &args, out).await,
        GameCommand::Show { game, viewer } => show(global, &game, &viewer, out).await,
        GameCommand::Legal { game, seat } => legal(global, &game, seat, out).await,
        GameCommand::Act(args) => act::run(global, &args, out).await,
        GameCommand::Watch(args) => watch::run(global, &args, out).await,
        GameCommand::Fork(args) => fork::run(global, &args, out).await,
        GameCommand::Abandon { game, reason, request } => abandon(global, &game, reason, request, out).await,
    }
}

async fn show(global: &Global, game: &GameArg, viewer: &ViewerArg, out: &mut Output) -> Result<(), CliError> {
    let viewer = input::viewer(viewer)?;
    let game_id = input::game_id(game)?;
    let connection = Connection::open(global).await?;
    let response = connection.get_game(&game_id, Some(viewer)).await?;
    if !out.is_table() {
        return out.message(&response);
    }
    let game = required(response.game, "it has no game")?;
    let view = required(response.view, "it has no view")?;
    let screen = out.screen();
    let board = divelog_text::draw(&view, game.status(), &Seating::of(&game), screen);
    out.text(&format!("{}\n\n{board}", game_pairs(&game, screen.paint)))
}

async fn legal(global: &Global, game: &GameArg, seat: u32, out: &mut Output) -> Result<(), CliError> {
    let game_id = input::game_id(game)?;
    let connection = Connection::open(global).await?;
    let request = connection.request(ListLegalActionsRequest { game_id, seat });
    let response = connection.answer(connection.games().list_legal_actions(request)).await?;
    if out.is_jsonl() {
        return response.legal_actions.iter().try_for_each(|action| out.message(action));
    }
    if !out.is_table() {
        return out.message(&response);
    }
    if response.legal_actions.is_empty() {
        output::note(&nothing_legal(&response, seat));
        return Ok(());
    }
    let mut table = Table::new(["action"]);
    for action in &response.legal_actions {
        table.row([divelog_text::legal_words(action)]);
    }
    out.text(&table.render(out.screen().paint))
}

/// Why there is nothing to choose from.
fn nothing_legal(response: &ListLegalActionsResponse, seat: u32) -> String {
    let asked = Seating::default().list(&response.to_act);
    match asked.as_str() {
        "" => "nobody is asked to act: the game is over".into(),
        asked => format!("seat {seat} is not asked to act at revision {}; to act: {asked}", response.revision),
    }
}

async fn abandon(
    global: &Global,
    game: &GameArg,
    reason: String,
    request: RequestIdArg,
    out: &mut Output,
) -> Result<(), CliError> {
    let game_id = input::game_id(game)?;
    let connection = Connection::open(global).await?;
    let request = connection.request(AbandonGameRequest {
        game_id,
        reason,
        expected_revision: None,
        request_id: request.request_id,
    });
    let response = connection.answer(connection.games().abandon_game(request)).await?;
    if !out.is_table() {
        return out.message(&response);
    }
    let game = required(response.game, "it has no game")?;
    out.text(&game_pairs(&game, out.screen().paint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_is_explained() {
        let mut response = ListLegalActionsResponse { revision: 4, to_act: vec![1], ..Default::default() };
        assert_eq!(nothing_legal(&response, 0), "seat 0 is not asked to act at revision 4; to act: seat 1");
        response.to_act.clear();
        assert_eq!(nothing_legal(&response, 0), "nobody is asked to act: the game is over");
    }
}
