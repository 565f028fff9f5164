//! A dry run does nothing: no record, no die. The next real action gives what it would have given anyway.

use divelog_engine::Seat;
use divelog_ledger::{GameId, Position, Secret, Stamp, convert};
use divelog_proto::v1 as pb;
use divelog_tests::player::{action_of, new_game};
use divelog_tests::{Player, Server};
use pb::read_log_response::Message;
use prost::Message as _;
use tonic_types::StatusExt;

/// The records of a game, and its secret.
pub async fn read_log(server: &Server, game_id: &str) -> (Vec<bytes::Bytes>, Secret) {
    let request = pb::ReadLogRequest { game_id: game_id.into(), include_secret: true };
    let mut stream = server.audit().await.read_log(request).await.unwrap().into_inner();
    let (mut records, mut secret) = (Vec::new(), None);
    while let Some(message) = stream.message().await.unwrap() {
        match message.message.unwrap() {
            Message::Header(header) => secret = Some(Secret(header.secret[..].try_into().unwrap())),
            Message::Record(record) => records.push(record.record),
        }
    }
    (records, secret.unwrap())
}

pub fn position(game_id: &str, records: &[bytes::Bytes], secret: &Secret) -> Position {
    let game: GameId = game_id.parse().unwrap();
    let first = Position::open(game, &records[0], secret).unwrap().position;
    records[1..].iter().fold(first, |position, record| position.replay(record).unwrap().position)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_rolls_no_die() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 3, 5).await;
    while let Some(request) = player.choose().await.unwrap() {
        let game = player.game().await;
        let (records, secret) = read_log(&server, &player.game_id).await;
        let before = position(&player.game_id, &records, &secret);
        let legal = pb::ListLegalActionsRequest { game_id: player.game_id.clone(), seat: request.seat };
        let legal = player.client.list_legal_actions(legal).await.unwrap().into_inner().legal_actions;
        for action in legal.iter().map(action_of) {
            let dry = pb::SubmitActionRequest {
                action: Some(action),
                validate_only: true,
                request_id: format!("try-{}", game.revision),
                expected_revision: Some(game.revision),
                ..request.clone()
            };
            let answer = player.client.submit_action(dry).await.unwrap().into_inner();
            let revision_only = pb::SubmitActionResponse { revision: game.revision, ..Default::default() };
            assert_eq!(answer, revision_only, "a dry run answers with the present revision and nothing else");
        }
        assert_eq!(player.game().await, game, "a dry run changes nothing");
        // The real action gives, byte for byte, the record that the secret fixed before anybody tried anything; and the
        // request id of a dry run is not used up.
        let request_id = format!("try-{}", game.revision);
        let real = pb::SubmitActionRequest { request_id: request_id.clone(), ..request.clone() };
        player.client.submit_action(real).await.unwrap();
        let (records, _) = read_log(&server, &player.game_id).await;
        let again = pb::SubmitActionRequest { request_id: request_id.clone(), validate_only: true, ..request.clone() };
        let answer = player.client.submit_action(again.clone()).await.unwrap().into_inner();
        assert_eq!(answer.revision, game.revision + 1, "it would be answered as it was");
        let other = pb::SubmitActionRequest { seat: (again.seat + 1) % 3, ..again };
        let reused = player.client.submit_action(other).await.unwrap_err();
        assert_eq!(reused.get_error_details().error_info().unwrap().reason, "REQUEST_ID_REUSED");
        let written = records.last().unwrap();
        let stamp = Stamp { time_ms: pb::Record::decode(written.clone()).unwrap().time_ms, request_id: &request_id };
        let action = convert::action_from_proto(before.kind(), request.action.as_ref()).unwrap();
        let foreseen = before.act(Seat(request.seat as u8), &action, stamp).unwrap();
        assert_eq!(&foreseen.record, written);
        if game.revision > 40 {
            break;
        }
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_creates_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut client = server.games().await;
    let request = pb::CreateGameRequest { request_id: "id".into(), ..new_game(2) };
    let dry = pb::CreateGameRequest { validate_only: true, ..request.clone() };
    assert_eq!(client.create_game(dry).await.unwrap().into_inner().game, None);
    let list = client.list_games(pb::ListGamesRequest::default()).await.unwrap().into_inner();
    assert_eq!(list.games, []);
    assert!(client.create_game(request).await.unwrap().into_inner().game.is_some());
    server.stop();
}
