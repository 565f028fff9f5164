//! Forks: the same past, a different future, and marked in every output.

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use tonic::Code;

use super::read_log;
use crate::api::{assert_invalid_field, details_of};

pub fn fork(game_id: &str, at_revision: u64, same_seed: bool) -> pb::ForkGameRequest {
    pb::ForkGameRequest { game_id: game_id.to_owned(), at_revision, same_seed, ..Default::default() }
}

pub async fn forked(server: &Server, request: pb::ForkGameRequest) -> pb::Game {
    server.audit().await.fork_game(request).await.unwrap().into_inner().game.unwrap()
}

/// What everybody saw of a game, step by step.
pub async fn replay(server: &Server, game_id: &str, to_revision: u64) -> Vec<pb::ReplayGameResponse> {
    let request = pb::ReplayGameRequest {
        game_id: game_id.to_owned(),
        viewer: Some(pb::Viewer { role: pb::viewer::Role::Auditor.into(), seat: 0 }),
        to_revision,
        include_views: true,
        include_all_views: true,
        include_legal_actions: true,
        include_legal_after: true,
        ..Default::default()
    };
    let mut steps = server.audit().await.replay_game(request).await.unwrap().into_inner();
    let mut all = Vec::new();
    while let Some(step) = steps.message().await.unwrap() {
        all.push(step);
    }
    all
}

/// A step without what is each game's own: its hash, its time, and where it was forked from.
pub fn seen(mut step: pb::ReplayGameResponse) -> pb::ReplayGameResponse {
    (step.record_hash, step.time) = Default::default();
    if let Some(setup) = &mut step.setup {
        setup.fork_of = None;
    }
    step
}

async fn do_again(server: &Server, game_id: &str, steps: &[pb::ReplayGameResponse]) {
    let mut client = server.games().await;
    for step in steps {
        let action = pb::SubmitActionRequest {
            game_id: game_id.to_owned(),
            seat: step.seat.unwrap(),
            action: step.action.clone(),
            ..Default::default()
        };
        client.submit_action(action).await.unwrap();
    }
}

async fn verified(server: &Server, game_id: &str) {
    let request = pb::VerifyGameRequest { game_id: game_id.to_owned() };
    let verdict = server.audit().await.verify_game(request).await.unwrap().into_inner();
    assert!(verdict.verified, "{verdict:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_has_the_same_past_and_with_the_same_seed_the_same_luck() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut source = Player::create(server.games().await, 4, 11).await;
    source.play(60).await;
    let whole = replay(&server, &source.game_id, 0).await;
    let at = 25;
    let same = forked(&server, fork(&source.game_id, at, true)).await;
    let fresh = forked(&server, fork(&source.game_id, at, false)).await;
    for game in [&same, &fresh] {
        assert_eq!(game.revision, at);
        let past = replay(&server, &game.game_id, 0).await;
        assert_eq!(past.len() as u64, at);
        for (own, source) in past.into_iter().zip(&whole) {
            assert_eq!(seen(own), seen(source.clone()));
        }
        verified(&server, &game.game_id).await;
    }
    let future = &whole[at as usize..];
    do_again(&server, &same.game_id, future).await;
    let again = replay(&server, &same.game_id, 0).await;
    for (own, source) in again.into_iter().zip(&whole) {
        assert_eq!(seen(own), seen(source.clone()), "the same actions have the same luck");
    }
    // Fresh luck: the same first dive shows other choices in at least one of many forks.
    let mut differs = false;
    for _ in 0..8 {
        let fresh = forked(&server, fork(&source.game_id, at, false)).await;
        do_again(&server, &fresh.game_id, &future[..1]).await;
        let next = replay(&server, &fresh.game_id, 0).await.pop().unwrap();
        differs |= next.events != future[0].events;
    }
    assert!(differs || !format!("{:?}", future[0].events).contains("Moved"), "fresh luck is fresh: {:?}", future[0]);
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_is_marked_everywhere_and_never_shows_a_secret() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut server = Server::start(&data);
    let mut source = Player::create(server.games().await, 3, 4).await;
    source.play(9).await;
    let hash = replay(&server, &source.game_id, 6).await.pop().unwrap().record_hash;
    let labels = [("why".to_owned(), "dispute".to_owned())].into();
    let request = pb::ForkGameRequest { labels, request_id: "fork-1".into(), ..fork(&source.game_id, 6, false) };
    let game = forked(&server, request.clone()).await;
    let origin = pb::ForkOrigin { game_id: source.game_id.clone(), revision: 6, head_hash: hash, same_seed: false };
    assert_eq!(game.fork_of, Some(origin.clone()));
    assert_eq!(game.labels["why"], "dispute");
    for restarted in [false, true] {
        if restarted {
            server.stop();
            server = Server::start(&data);
        }
        assert_eq!(forked(&server, request.clone()).await.game_id, game.game_id, "the same request, the same fork");
        let mut client = server.games().await;
        let get = pb::GetGameRequest { game_id: game.game_id.clone(), viewer: None };
        let got = client.get_game(get).await.unwrap().into_inner().game.unwrap();
        assert_eq!(got.fork_of, Some(origin.clone()));
        let list = client.list_games(pb::ListGamesRequest::default()).await.unwrap().into_inner().games;
        let marks: Vec<&str> = list.iter().map(|game| game.fork_of.as_str()).collect();
        assert_eq!(marks, [source.game_id.as_str(), ""], "newest first: the fork, then the game");
        let setup = replay(&server, &game.game_id, 1).await.pop().unwrap().setup.unwrap();
        assert_eq!(setup.fork_of, Some(origin.clone()));
    }
    let other = pb::ForkGameRequest { same_seed: true, ..request.clone() };
    let reused = server.audit().await.fork_game(other).await.unwrap_err();
    assert_eq!((reused.code(), details_of(&reused).reason.as_str()), (Code::AlreadyExists, "REQUEST_ID_REUSED"));
    let abandon = pb::AbandonGameRequest { game_id: game.game_id.clone(), ..Default::default() };
    let over = server.games().await.abandon_game(abandon).await.unwrap().into_inner().game.unwrap();
    assert!(over.revealed_secret.is_empty(), "it would open the source's");
    assert!(read_log(&server, &game.game_id, false).await.1.is_empty());
    let export = pb::ExportBundleRequest { game_id: game.game_id.clone(), ..Default::default() };
    let mut audit = server.audit().await;
    assert!(audit.export_bundle(export.clone()).await.unwrap().into_inner().bundle.unwrap().secret.is_empty());
    let export = pb::ExportBundleRequest { include_secret: true, ..export };
    let bundle = audit.export_bundle(export).await.unwrap().into_inner().bundle.unwrap();
    let verdict = divelog_ledger::bundle::verify(&bundle, None);
    assert!(verdict.ok() && bundle.secret.len() == 32, "{verdict:?}");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn where_a_game_can_be_forked() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut source = Player::create(server.games().await, 3, 4).await;
    source.play(9).await;
    let mut audit = server.audit().await;
    let ahead = audit.fork_game(fork(&source.game_id, 11, false)).await.unwrap_err();
    assert_eq!((ahead.code(), details_of(&ahead).reason.as_str()), (Code::OutOfRange, "REVISION_AHEAD"));
    let unknown = audit.fork_game(fork("0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f", 0, false)).await.unwrap_err();
    assert_eq!(details_of(&unknown).reason, "GAME_NOT_FOUND");
    assert_eq!(forked(&server, fork(&source.game_id, 0, false)).await.revision, 10, "0 is the newest");
    assert_eq!(forked(&server, fork(&source.game_id, 1, false)).await.revision, 1, "the set-up alone");

    // A fork of a fork, within their common past and beyond it.
    let first = forked(&server, fork(&source.game_id, 8, false)).await;
    let mut player = Player::of(server.games().await, first.game_id.clone(), 1);
    player.play(4).await;
    for (at, same_seed) in [(5, true), (5, false), (11, true), (11, false)] {
        let second = forked(&server, fork(&first.game_id, at, same_seed)).await;
        assert_eq!((second.fork_of.as_ref().unwrap().game_id.as_str(), second.revision), (&*first.game_id, at));
        let (own, parent) = (replay(&server, &second.game_id, 0).await, replay(&server, &first.game_id, at).await);
        for (own, parent) in own.into_iter().zip(parent) {
            assert_eq!(seen(own), seen(parent));
        }
    }

    // An abandonment is no part of a past that goes on.
    let abandon = pb::AbandonGameRequest { game_id: source.game_id.clone(), ..Default::default() };
    server.games().await.abandon_game(abandon).await.unwrap();
    assert_invalid_field(&audit.fork_game(fork(&source.game_id, 11, false)).await.unwrap_err(), "at_revision");
    let game = forked(&server, fork(&source.game_id, 0, false)).await;
    assert_eq!((game.revision, game.status()), (10, pb::GameStatus::Running));
    server.stop();
}
