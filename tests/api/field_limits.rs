//! Every string and list has a maximum: at it a request is taken, beyond it the field is named and nothing happens.

use divelog_proto::v1 as pb;
use divelog_tests::player::new_game;
use divelog_tests::{Player, Server};
use tonic::Code;

use super::{assert_invalid_field, details_of, dive, submit};

type Change = Box<dyn Fn(&mut pb::CreateGameRequest)>;

fn labels(count: usize) -> std::collections::BTreeMap<String, String> {
    (0..count).map(|at| (format!("key-{at}"), "value".into())).collect()
}

fn change(change: impl Fn(&mut pb::CreateGameRequest) + 'static) -> Change {
    Box::new(change)
}

#[tokio::test(flavor = "multi_thread")]
async fn creation_is_bounded_field_by_field() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut client = server.games().await;
    // What still fits, what does not any more, and the field that is named.
    let name = |size: usize| change(move |request| request.players[1].name = "n".repeat(size));
    let entropy = |size: usize| change(move |request| request.players[1].entropy = vec![7; size].into());
    let label = |key: usize, value: usize| {
        change(move |request| drop(request.labels.insert("k".repeat(key), "v".repeat(value))))
    };
    let request_id = |id: String| change(move |request| request.request_id = id.clone());
    let bounds: [(&str, Change, Change); 7] = [
        ("players.name", name(64), name(65)),
        ("players.entropy", entropy(64), entropy(65)),
        ("labels", label(64, 64), label(65, 1)),
        ("labels", label(1, 64), label(1, 65)),
        ("labels", change(|request| request.labels = labels(16)), change(|request| request.labels = labels(17))),
        ("request_id", request_id("r".repeat(64)), request_id("r".repeat(65))),
        ("rules_version", change(|request| request.rules_version = 1), change(|request| request.rules_version = 3)),
    ];
    for (field, fits, too_much) in bounds {
        let mut request = new_game(2);
        fits(&mut request);
        client.create_game(request).await.unwrap_or_else(|status| panic!("{field}: {status:?}"));
        for validate_only in [false, true] {
            let mut request = pb::CreateGameRequest { validate_only, ..new_game(2) };
            too_much(&mut request);
            assert_invalid_field(&client.create_game(request).await.unwrap_err(), field);
        }
    }
    let nonsense: [(&str, Change); 12] = [
        ("players.name", change(|request| request.players[1].name = "\x1b[31mEve".into())),
        ("players.name", change(|request| request.players[0].name = "Eve\u{202e}".into())),
        ("labels", change(|request| drop(request.labels.insert("line\n".into(), "v".into())))),
        ("labels", change(|request| drop(request.labels.insert("k".into(), "\u{2066}v".into())))),
        ("options", change(|request| request.options = None)),
        ("options", change(|request| request.options = Some(pb::GameOptions { options: None }))),
        ("players", change(|request| request.players = vec![pb::NewPlayer::default(); 65])),
        ("labels", label(0, 1)),
        ("request_id", request_id("with space".into())),
        ("request_id", request_id("größe".into())),
        ("request_id", request_id("line\n".into())),
        ("rules_version", change(|request| request.rules_version = u32::MAX)),
    ];
    for (field, nonsense) in nonsense {
        let mut request = new_game(2);
        nonsense(&mut request);
        assert_invalid_field(&client.create_game(request).await.unwrap_err(), field);
    }
    let list = client.list_games(pb::ListGamesRequest::default()).await.unwrap().into_inner();
    assert_eq!(list.games.len(), 7, "only what fitted was created");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_other_request_is_bounded_too() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 1).await;
    let (mut games, mut audit) = (server.games().await, server.audit().await);
    let game = player.game().await;
    let seat = game.to_act[0];
    let game_id = player.game_id.clone();
    let id = || game_id.clone();
    let viewer = |role: i32, seat: u32| Some(pb::Viewer { role, seat });
    let roles: [i32; 2] = [pb::viewer::Role::Seat.into(), 9];

    for bad in ["", "x", "0192D4E0-7B1A-7C3E-9F00-2A6B8C1D5E7F", &"0".repeat(100_000)] {
        let bad_id = || bad.to_owned();
        let get = pb::GetGameRequest { game_id: bad_id(), viewer: None };
        assert_invalid_field(&games.get_game(get).await.unwrap_err(), "game_id");
        assert_invalid_field(&games.submit_action(submit(bad, 0, dive())).await.unwrap_err(), "game_id");
        let watch = pb::WatchGameRequest { game_id: bad_id(), ..Default::default() };
        assert_invalid_field(&games.watch_game(watch).await.unwrap_err(), "game_id");
        let read = pb::ReadLogRequest { game_id: bad_id(), include_secret: false };
        assert_invalid_field(&audit.read_log(read).await.unwrap_err(), "game_id");
    }
    for role in roles {
        let viewer = viewer(role, 2);
        let get = pb::GetGameRequest { game_id: id(), viewer };
        assert_invalid_field(&games.get_game(get).await.unwrap_err(), "viewer");
        let watch = pb::WatchGameRequest { game_id: id(), viewer, ..Default::default() };
        assert_invalid_field(&games.watch_game(watch).await.unwrap_err(), "viewer");
        let replay = pb::ReplayGameRequest { game_id: id(), viewer, ..Default::default() };
        assert_invalid_field(&audit.replay_game(replay).await.unwrap_err(), "viewer");
    }
    for seat in [2, 256, u32::MAX] {
        let legal = pb::ListLegalActionsRequest { game_id: id(), seat };
        assert_invalid_field(&games.list_legal_actions(legal).await.unwrap_err(), "seat");
    }
    for request_id in ["r".repeat(65), "\u{7f}".into(), "tab\t".into()] {
        let action = pb::SubmitActionRequest { request_id: request_id.clone(), ..submit(&id(), seat, dive()) };
        assert_invalid_field(&games.submit_action(action).await.unwrap_err(), "request_id");
        let abandon = pb::AbandonGameRequest { game_id: id(), request_id, ..Default::default() };
        assert_invalid_field(&games.abandon_game(abandon).await.unwrap_err(), "request_id");
    }
    let list = pb::ListGamesRequest::default;
    for (field, request) in [
        ("page_token", pb::ListGamesRequest { page_token: "nonsense".into(), ..list() }),
        ("kind", pb::ListGamesRequest { kind: 99, ..list() }),
        ("status", pb::ListGamesRequest { status: 99, ..list() }),
        ("labels", pb::ListGamesRequest { labels: labels(17), ..list() }),
    ] {
        assert_invalid_field(&games.list_games(request).await.unwrap_err(), field);
    }
    let reason = |size: usize| pb::AbandonGameRequest { game_id: id(), reason: "x".repeat(size), ..Default::default() };
    assert_invalid_field(&games.abandon_game(reason(257)).await.unwrap_err(), "reason");
    assert_eq!(player.game().await, game, "nothing of all that did anything");
    let abandoned = games.abandon_game(reason(256)).await.unwrap().into_inner().game.unwrap();
    assert_eq!(abandoned.abandon_reason.len(), 256);
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_beyond_256_kib_is_refused_and_the_server_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut client = server.games().await;
    let mut request = new_game(2);
    request.players[0].name = "n".repeat(300 * 1024);
    let refused = client.create_game(request.clone()).await.unwrap_err();
    assert_eq!((refused.code(), details_of(&refused).reason.as_str()), (Code::InvalidArgument, "REQUEST_TOO_LARGE"));
    request.players[0].name = "n".repeat(200 * 1024);
    assert_invalid_field(&client.create_game(request).await.unwrap_err(), "players.name");
    client.create_game(new_game(2)).await.unwrap();
    server.stop();
}
