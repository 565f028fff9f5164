//! A fork that a crash cut short takes no actions, and is completed by the same request.

use std::time::Duration;

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};

use super::forks::{fork, forked, replay, seen};
use crate::api::details_of;
use crate::faults::SharedChoices;

/// After so many forks one must have been cut short.
const MAX_ROUNDS: u64 = 40;

/// The forks of a game, of which some may lack a part of their past.
async fn forks(server: &Server, source: &str) -> Vec<pb::GameSummary> {
    let list = server.games().await.list_games(pb::ListGamesRequest::default()).await.unwrap().into_inner().games;
    list.into_iter().filter(|game| game.fork_of == source).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_cut_short_by_a_crash_is_completed_by_the_same_request() {
    let choices = SharedChoices::from_environment("forks");
    let dir = tempfile::tempdir().unwrap();
    let (mut cut_short, mut round) = (0, 0);
    // Some rounds, and more until a kill has really come in between.
    while round < 8 || cut_short == 0 {
        assert!(round < MAX_ROUNDS, "none of {MAX_ROUNDS} forks was cut short");
        let data = dir.path().join(format!("data-{round}"));
        // Records go to disk one or two at a time, so that the copying takes as many syncs.
        let server = Server::start_with(&data, &["--queue", "2"]);
        let mut source = Player::create(server.games().await, 6, round).await;
        source.play(90).await;
        let at = source.game().await.revision;
        let request = pb::ForkGameRequest { request_id: "again".into(), ..fork(&source.game_id, at, true) };
        let mut audit = server.audit().await;
        let asking = tokio::spawn({
            let request = request.clone();
            async move { audit.fork_game(request).await.map(drop) }
        });
        // In most rounds once the fork has begun; in some at any moment. How long after that is what varies.
        while round % 4 != 3 && !asking.is_finished() && forks(&server, &source.game_id).await.is_empty() {}
        tokio::time::sleep(Duration::from_micros(choices.below(6_000))).await;
        server.kill();
        drop(asking.await.unwrap());
        let server = Server::start(&data);
        for fork in forks(&server, &source.game_id).await.iter().filter(|fork| fork.revision < at) {
            cut_short += 1;
            let get = pb::GetGameRequest { game_id: fork.game_id.clone(), viewer: None };
            let seat = server.games().await.get_game(get).await.unwrap().into_inner().game.unwrap().to_act[0];
            let action = crate::api::submit(&fork.game_id, seat, crate::api::dive());
            let refused = server.games().await.submit_action(action).await.unwrap_err();
            assert_eq!(details_of(&refused).reason, "FORK_INCOMPLETE");
        }
        let game = forked(&server, request.clone()).await;
        assert_eq!(game.revision, at);
        let whole = replay(&server, &source.game_id, 0).await;
        let own = replay(&server, &game.game_id, 0).await;
        assert_eq!(own.len(), whole.len());
        for (own, source) in own.into_iter().zip(whole) {
            assert_eq!(seen(own), seen(source));
        }
        assert_eq!(forked(&server, request).await.game_id, game.game_id);
        assert_eq!(forks(&server, &source.game_id).await.len(), 1, "one request makes one fork");
        server.stop();
        round += 1;
    }
    println!("forks: {cut_short} of {round} were cut short");
}
