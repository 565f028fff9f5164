//! `divelog game legal`, and what a player can type under a board.

use divelog_proto::v1::{
    GameStatus, ListLegalActionsRequest, ListLegalActionsResponse, SeatLegalActions, Viewer, viewer::Role,
};
use divelog_text::Seating;

use crate::{
    args::{GameArg, Global},
    connect::{self, Connection},
    errors::CliError,
    input,
    output::{self, Output, table::Table},
};

/// Prints what a seat can do.
pub async fn run(global: &Global, game: &GameArg, seat: u32, out: &mut Output) -> Result<(), CliError> {
    let game_id = input::game_id(game)?;
    let connection = connect::open(global).await?;
    let response = list(&connection, &game_id, seat).await?;
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
    out.text(&table.render(out.table_screen()))
}

async fn list(connection: &Connection, game_id: &str, seat: u32) -> Result<ListLegalActionsResponse, CliError> {
    Ok(connection.call(ListLegalActionsRequest { game_id: game_id.to_owned(), seat }).await?)
}

/// Why there is nothing to choose from.
fn nothing_legal(response: &ListLegalActionsResponse, seat: u32) -> String {
    let asked = Seating::default().list(&response.to_act);
    match asked.as_str() {
        "" => "nobody is asked to act: the game is over".into(),
        asked => format!("seat {seat} is not asked to act at revision {}; to act: {asked}", response.revision),
    }
}

/// Where a game stands when its board is drawn.
pub struct Moment<'a> {
    pub game_id: &'a str,
    pub revision: u64,
    pub status: GameStatus,
    pub to_act: &'a [u32],
}

/// What the viewer can do at this moment. Only a seat that is to act can do anything, so the server is asked only for such
/// a seat. A board without these words is still correct, so a failure is ignored: a refusal, or a game that has gone on in
/// the meantime, so that the words would not fit the board.
pub async fn for_board(connection: &Connection, viewer: Viewer, moment: Moment<'_>) -> Vec<SeatLegalActions> {
    let is_asked = viewer.role() == Role::Seat && moment.to_act.contains(&viewer.seat);
    if !is_asked || moment.status != GameStatus::Running {
        return Vec::new();
    }
    match list(connection, moment.game_id, viewer.seat).await {
        Ok(response) if response.revision == moment.revision => {
            vec![SeatLegalActions { seat: viewer.seat, legal_actions: response.legal_actions }]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use divelog_proto::v1::LegalAction;
    use tonic::Status;

    use super::*;
    use crate::test_server::{Script, TestServer};

    #[test]
    fn an_empty_list_is_explained() {
        let mut response = ListLegalActionsResponse { revision: 4, to_act: vec![1], ..Default::default() };
        assert_eq!(nothing_legal(&response, 0), "seat 0 is not asked to act at revision 4; to act: seat 1");
        response.to_act.clear();
        assert_eq!(nothing_legal(&response, 0), "nobody is asked to act: the game is over");
    }

    fn viewer(role: Role, seat: u32) -> Viewer {
        Viewer { role: role.into(), seat }
    }

    const RUNNING: Moment<'static> = Moment { game_id: "g", revision: 4, status: GameStatus::Running, to_act: &[0, 1] };

    /// What the viewer is given, and for which seats the server was asked.
    async fn given(
        answer: Result<u64, Status>,
        viewer: Viewer,
        moment: Moment<'_>,
    ) -> (Vec<SeatLegalActions>, Vec<u32>) {
        let legal = answer.map(|revision| ListLegalActionsResponse {
            legal_actions: vec![LegalAction::default()],
            revision,
            to_act: vec![],
        });
        let server = TestServer::start(Script { legal: Some(legal), ..Default::default() }).await;
        let connection = connect::open(&server.global()).await.unwrap();
        let given = for_board(&connection, viewer, moment).await;
        let asked = server.script.lock().unwrap().legal_asked.clone();
        (given, asked)
    }

    #[tokio::test]
    async fn a_seat_that_is_asked_gets_its_actions() {
        let (legal, asked) = given(Ok(4), viewer(Role::Seat, 1), RUNNING).await;
        assert_eq!((legal.len(), legal[0].seat, legal[0].legal_actions.len()), (1, 1, 1));
        assert_eq!(asked, [1]);
    }

    #[tokio::test]
    async fn the_server_is_asked_for_nobody_else() {
        let cases = [
            (viewer(Role::Seat, 2), RUNNING),
            (viewer(Role::Spectator, 0), RUNNING),
            (viewer(Role::Auditor, 0), RUNNING),
            (viewer(Role::Seat, 0), Moment { status: GameStatus::Abandoned, ..RUNNING }),
            (viewer(Role::Seat, 0), Moment { status: GameStatus::Finished, ..RUNNING }),
        ];
        for (viewer, moment) in cases {
            assert_eq!(given(Ok(4), viewer, moment).await, (vec![], vec![]), "{viewer:?}");
        }
    }

    #[tokio::test]
    async fn a_refusal_and_a_game_that_has_gone_on_give_nothing() {
        let refused = Err(Status::permission_denied("not yours"));
        assert_eq!(given(refused, viewer(Role::Seat, 0), RUNNING).await, (vec![], vec![0]));
        assert_eq!(given(Ok(5), viewer(Role::Seat, 0), RUNNING).await, (vec![], vec![0]));
    }
}
