//! A request id makes a call safe to repeat: the first answer comes again, byte for byte, at once, later, after a
//! restart and while the first call is still running; and the thing is done once.

use divelog_proto::v1 as pb;
use divelog_tests::player::new_game;
use divelog_tests::{Player, Server};
use prost::Message;
use tonic::Code;

use super::{details_of, dive, leave, submit};

fn creation(request_id: &str) -> pb::CreateGameRequest {
    let mut request = new_game(3);
    request.players[0].name = "Ana".into();
    request.players[1].entropy = b"seat 1's own luck".as_slice().into();
    request.labels.insert("league".into(), "north".into());
    pb::CreateGameRequest { request_id: request_id.into(), ..request }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_answer_comes_again_also_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let server = Server::start(&data);
    let mut games = server.games().await;
    let create = creation("create-1");
    let created = games.create_game(create.clone()).await.unwrap().into_inner();
    let game = created.game.clone().unwrap();
    let seat = game.to_act[0];
    let act = pb::SubmitActionRequest { request_id: "act-1".into(), ..submit(&game.game_id, seat, dive()) };
    let acted = games.submit_action(act.clone()).await.unwrap().into_inner();
    // Others act in between, so that a repeated answer cannot be the present state by accident.
    games.submit_action(submit(&game.game_id, seat, leave())).await.unwrap();
    let abandon = pb::AbandonGameRequest {
        game_id: game.game_id.clone(),
        reason: "table closed".into(),
        request_id: "abandon-1".into(),
        ..Default::default()
    };
    // Before it is abandoned, each call again.
    assert_eq!(games.submit_action(act.clone()).await.unwrap().into_inner().encode_to_vec(), acted.encode_to_vec());
    let abandoned = games.abandon_game(abandon.clone()).await.unwrap().into_inner();
    assert_eq!(abandoned.game.as_ref().unwrap().revision, 4);
    let mut server = server;
    for restart in 0..3 {
        let mut games = server.games().await;
        let again = games.create_game(create.clone()).await.unwrap().into_inner();
        assert_eq!(again.encode_to_vec(), created.encode_to_vec(), "restart {restart}");
        let again = games.submit_action(act.clone()).await.unwrap().into_inner();
        assert_eq!(again.encode_to_vec(), acted.encode_to_vec(), "restart {restart}");
        // Whatever revision the caller expected the first time: the call was done.
        let expecting = pb::SubmitActionRequest { expected_revision: Some(1), ..act.clone() };
        let again = games.submit_action(expecting).await.unwrap().into_inner();
        assert_eq!(again.encode_to_vec(), acted.encode_to_vec(), "restart {restart}");
        let again = games.abandon_game(abandon.clone()).await.unwrap().into_inner();
        assert_eq!(again.encode_to_vec(), abandoned.encode_to_vec(), "restart {restart}");
        let list = games.list_games(pb::ListGamesRequest::default()).await.unwrap().into_inner();
        assert_eq!((list.games.len(), list.games[0].revision), (1, 4), "nothing was done twice");
        if restart == 0 {
            server.stop();
        } else {
            server.kill();
        }
        server = Server::start(&data);
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_was_used_for_something_else_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut server = Server::start(&data);
    let mut games = server.games().await;
    let game = games.create_game(creation("create")).await.unwrap().into_inner().game.unwrap();
    let (id, seat) = (game.game_id.clone(), game.to_act[0]);
    let act = |request_id: &str, seat, action| pb::SubmitActionRequest {
        request_id: request_id.into(),
        ..submit(&id, seat, action)
    };
    games.submit_action(act("act", seat, dive())).await.unwrap();
    for restarted in [false, true] {
        if restarted {
            server.stop();
            server = Server::start(&data);
        }
        let mut games = server.games().await;
        let other = seat + 1;
        let abandon = pb::AbandonGameRequest { game_id: id.clone(), request_id: "act".into(), ..Default::default() };
        let mut creations = vec![creation("create"); 4];
        creations[0].players.push(pb::NewPlayer::default());
        creations[1].players[0].name = "Ben".into();
        creations[2].players[1].entropy.clear();
        creations[3].labels.clear();
        let mut refused = vec![
            games.submit_action(act("act", seat, leave())).await.unwrap_err(),
            games.submit_action(act("act", other, dive())).await.unwrap_err(),
            games.submit_action(act("create", seat, leave())).await.unwrap_err(),
            games.abandon_game(abandon).await.unwrap_err(),
        ];
        for creation in creations {
            refused.push(games.create_game(creation).await.unwrap_err());
        }
        for (at, status) in refused.iter().enumerate() {
            assert_eq!(status.code(), Code::AlreadyExists, "{at}: {status:?}");
            let details = details_of(status);
            assert_eq!(details.reason, "REQUEST_ID_REUSED");
            assert!(["act", "create"].contains(&details.metadata["request_id"].as_str()));
        }
        let mut player = Player::of(games, id.clone(), 0);
        assert_eq!(player.game().await.revision, 2, "nothing happened");
    }
    // An id belongs to its game: another game may use it.
    let mut games = server.games().await;
    let other = games.create_game(new_game(2)).await.unwrap().into_inner().game.unwrap();
    let request = pb::SubmitActionRequest { game_id: other.game_id, ..act("act", other.to_act[0], dive()) };
    assert_eq!(games.submit_action(request).await.unwrap().into_inner().revision, 2);
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_calls_at_the_same_time_are_one() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let clients = [server.games().await, server.games().await, server.games().await, server.games().await];
    for round in 0..15 {
        let create = creation(&format!("create-{round}"));
        let calls = clients.clone().map(|mut client| {
            let create = create.clone();
            tokio::spawn(async move { client.create_game(create).await.unwrap().into_inner() })
        });
        let mut answers = Vec::new();
        for call in calls {
            answers.push(call.await.unwrap());
        }
        let bytes = answers[0].encode_to_vec();
        assert!(answers.iter().all(|answer| answer.encode_to_vec() == bytes), "{answers:?}");
        let game = answers[0].game.clone().unwrap();

        let act = pb::SubmitActionRequest {
            request_id: "one".into(),
            // Only one of several different calls could have this: a repeat must not be judged by it.
            expected_revision: Some(1),
            ..submit(&game.game_id, game.to_act[0], dive())
        };
        let calls = clients.clone().map(|mut client| {
            let act = act.clone();
            tokio::spawn(async move { client.submit_action(act).await.unwrap().into_inner() })
        });
        let mut answers = Vec::new();
        for call in calls {
            answers.push(call.await.unwrap());
        }
        let bytes = answers[0].encode_to_vec();
        assert!(answers.iter().all(|answer| answer.encode_to_vec() == bytes), "{answers:?}");

        let abandon =
            pb::AbandonGameRequest { game_id: game.game_id.clone(), request_id: "end".into(), ..Default::default() };
        let calls = clients.clone().map(|mut client| {
            let abandon = abandon.clone();
            tokio::spawn(async move { client.abandon_game(abandon).await.unwrap().into_inner() })
        });
        let mut answers = Vec::new();
        for call in calls {
            answers.push(call.await.unwrap());
        }
        let bytes = answers[0].encode_to_vec();
        assert!(answers.iter().all(|answer| answer.encode_to_vec() == bytes), "{answers:?}");
        assert_eq!(answers[0].game.as_ref().unwrap().revision, 3, "each was done once");
    }
    let list = clients[0].clone().list_games(pb::ListGamesRequest::default()).await.unwrap().into_inner();
    assert_eq!(list.games.len(), 15);
    server.stop();
}
