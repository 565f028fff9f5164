//! A whole game over gRPC, from creation to a verified log.

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_is_played_and_verified() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 4, 1).await;
    player.play(usize::MAX).await;
    let game = player.game().await;
    assert_eq!(game.status(), pb::GameStatus::Finished);
    assert_eq!(game.outcome.unwrap().standings.len(), 4);
    assert_eq!(game.revealed_secret.len(), 32);
    let request = pb::VerifyGameRequest { game_id: player.game_id.clone() };
    let verdict = server.audit().await.verify_game(request).await.unwrap().into_inner();
    assert!(verdict.verified, "{verdict:?}");
    assert_eq!(verdict.records_verified, game.revision);
    assert_eq!(verdict.head_hash, game.head_hash);
    server.stop();
}
