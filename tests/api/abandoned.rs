//! An abandoned game asks nobody, whichever game it is and however it is looked at; what was shown before stays as it was.

use divelog_engine::Kind;
use divelog_ledger::{Position, convert};
use divelog_proto::v1 as pb;
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_tests::{Server, divelog};
use pb::game_view::View;
use pb::watch_game_response::Message;
use tonic::transport::Channel;

use super::validate_only::{position, read_log};

const SEATS: u32 = 3;

/// The seats that a view asks.
fn asked(view: &pb::GameView) -> Vec<u32> {
    match view.view.as_ref().unwrap() {
        View::DeepSeaAdventure(view) => view.turn.into_iter().collect(),
        View::CaptainCarcass(view) => view.asked.into_iter().collect(),
        View::KeyLargo(view) => view.turn.into_iter().chain(view.asked.iter().copied()).collect(),
        View::VeiledIsles(view) => view.turn.into_iter().collect(),
    }
}

/// The same view, asking nobody.
fn asking_nobody(view: &pb::GameView) -> pb::GameView {
    let mut view = view.clone();
    match view.view.as_mut().unwrap() {
        View::DeepSeaAdventure(view) => view.turn = None,
        View::CaptainCarcass(view) => view.asked = None,
        View::KeyLargo(view) => (view.turn, view.asked) = (None, Vec::new()),
        View::VeiledIsles(view) => view.turn = None,
    }
    view
}

fn viewers() -> Vec<pb::Viewer> {
    use pb::viewer::Role;
    let seats = (0..SEATS).map(|seat| pb::Viewer { role: Role::Seat.into(), seat });
    let others = [Role::Spectator, Role::Auditor].map(|role| pb::Viewer { role: role.into(), seat: 0 });
    seats.chain(others).collect()
}

/// Plays until the view of the table names a seat, and at least so many actions; where it stands then.
async fn play(server: &Server, client: &mut GameServiceClient<Channel>, game_id: &str, actions: u64) -> Position {
    loop {
        let (records, secret) = read_log(server, game_id).await;
        let position = position(game_id, &records, &secret);
        let view = convert::view_to_proto(&position.view(divelog_engine::Viewer::Spectator));
        if position.revision().get() > actions && !asked(&view).is_empty() {
            return position;
        }
        let seat = position.to_act().iter().next().expect("the game is not over so soon");
        let action = position.game().legal_actions(seat)[0].nth(0);
        let request = pb::SubmitActionRequest {
            game_id: game_id.to_owned(),
            seat: seat.0.into(),
            action: Some(convert::action_to_proto(&action)),
            ..Default::default()
        };
        client.submit_action(request).await.unwrap();
    }
}

async fn get(client: &mut GameServiceClient<Channel>, game_id: &str, viewer: pb::Viewer) -> (pb::Game, pb::GameView) {
    let request = pb::GetGameRequest { game_id: game_id.to_owned(), viewer: Some(viewer) };
    let shown = client.get_game(request).await.unwrap().into_inner();
    (shown.game.unwrap(), shown.view.unwrap())
}

/// The first message of a watch.
async fn watch(
    client: &mut GameServiceClient<Channel>,
    game_id: &str,
    viewer: pb::Viewer,
    after_revision: Option<u64>,
) -> Message {
    let request = pb::WatchGameRequest {
        game_id: game_id.to_owned(),
        viewer: Some(viewer),
        after_revision,
        include_views: true,
        ..Default::default()
    };
    let mut stream = client.watch_game(request).await.unwrap().into_inner();
    stream.message().await.unwrap().unwrap().message.unwrap()
}

/// The last two steps as a replay shows them.
async fn replayed(
    server: &Server,
    game_id: &str,
    viewer: pb::Viewer,
    from_revision: u64,
) -> Vec<pb::ReplayGameResponse> {
    let request = pb::ReplayGameRequest {
        game_id: game_id.to_owned(),
        viewer: Some(viewer),
        from_revision,
        include_views: true,
        include_all_views: viewer.role == i32::from(pb::viewer::Role::Auditor),
        include_legal_after: true,
        ..Default::default()
    };
    let mut stream = server.audit().await.replay_game(request).await.unwrap().into_inner();
    let mut steps = Vec::new();
    while let Some(step) = stream.message().await.unwrap() {
        steps.push(step);
    }
    steps
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_game_asks_nobody_in_any_of_the_games() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut client = server.games().await;
    // Before anything happened, where the first phase asks all at once or somebody; and in the middle.
    for (kind, actions) in Kind::ALL.iter().flat_map(|kind| [(*kind, 0), (*kind, 8)]) {
        let options = convert::options_to_proto(kind.rules_version(), &kind.default_options());
        let players = vec![pb::NewPlayer::default(); SEATS as usize];
        let create = pb::CreateGameRequest { options: Some(options), players, ..Default::default() };
        let game_id = client.create_game(create).await.unwrap().into_inner().game.unwrap().game_id;
        let last = play(&server, &mut client, &game_id, actions).await.revision().get();
        let mut before = Vec::new();
        for viewer in viewers() {
            let (game, view) = get(&mut client, &game_id, viewer).await;
            assert!(!asked(&view).is_empty() && !game.to_act.is_empty(), "{kind:?}");
            before.push(view);
        }
        let abandon =
            pb::AbandonGameRequest { game_id: game_id.clone(), reason: "enough".into(), ..Default::default() };
        let abandoned = client.abandon_game(abandon).await.unwrap().into_inner().game.unwrap();
        assert_eq!((abandoned.status(), &abandoned.to_act[..]), (pb::GameStatus::Abandoned, &[][..]));
        for (viewer, before) in viewers().into_iter().zip(&before) {
            let expected = asking_nobody(before);
            let (game, view) = get(&mut client, &game_id, viewer).await;
            assert_eq!((&game, &view), (&abandoned, &expected), "{kind:?} to {viewer:?}");
            let Message::Snapshot(snapshot) = watch(&mut client, &game_id, viewer, None).await else {
                panic!("{kind:?}")
            };
            assert_eq!((snapshot.game.as_ref(), snapshot.view.as_ref()), (Some(&abandoned), Some(&expected)));
            let Message::Update(update) = watch(&mut client, &game_id, viewer, Some(last)).await else {
                panic!("{kind:?}")
            };
            assert_eq!(
                (&update.to_act[..], update.view.as_ref()),
                (&[][..], Some(&expected)),
                "{kind:?} to {viewer:?}"
            );
            let steps = replayed(&server, &game_id, viewer, last).await;
            let [played, ended] = &steps[..] else { panic!("{} steps", steps.len()) };
            assert_eq!(
                (played.view.as_ref(), played.to_act.is_empty()),
                (Some(before), false),
                "the past is as it was"
            );
            assert_eq!((ended.view.as_ref(), ended.to_act.is_empty()), (Some(&expected), true));
            assert!(ended.legal_after.is_empty());
            assert!(ended.seen_by.iter().all(|seen| asked(seen.view.as_ref().unwrap()).is_empty()), "{kind:?}");
        }
        let legal = pb::ListLegalActionsRequest { game_id: game_id.clone(), seat: 0 };
        let legal = client.list_legal_actions(legal).await.unwrap().into_inner();
        assert_eq!((legal.to_act.len(), legal.legal_actions.len()), (0, 0));
        let board = divelog(server.url(), &["game", "show", &game_id]).ok();
        assert!(!board.contains("Turn of") && !board.contains("to act"), "{board}");
    }
    server.stop();
}

/// Whoever loads the game again, and a game whose records are looked at by a second server, see the same: nothing of it is in
/// the records.
#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_game_asks_nobody_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let server = Server::start(&data);
    let mut client = server.games().await;
    let mut shown = Vec::new();
    for kind in Kind::ALL {
        let options = convert::options_to_proto(kind.rules_version(), &kind.default_options());
        let players = vec![pb::NewPlayer::default(); SEATS as usize];
        let create = pb::CreateGameRequest { options: Some(options), players, ..Default::default() };
        let game_id = client.create_game(create).await.unwrap().into_inner().game.unwrap().game_id;
        play(&server, &mut client, &game_id, 0).await;
        let abandon = pb::AbandonGameRequest { game_id: game_id.clone(), ..Default::default() };
        client.abandon_game(abandon).await.unwrap();
        let verify = pb::VerifyGameRequest { game_id: game_id.clone() };
        assert!(server.audit().await.verify_game(verify).await.unwrap().into_inner().verified);
        let seen = get(&mut client, &game_id, viewers()[0]).await;
        shown.push((game_id, seen));
    }
    server.stop();
    let server = Server::start(&data);
    let mut client = server.games().await;
    for (game_id, before) in shown {
        let after = get(&mut client, &game_id, viewers()[0]).await;
        assert_eq!(after, before);
        assert!(asked(&after.1).is_empty());
    }
    server.stop();
}
