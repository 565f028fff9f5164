//! Proofs by RPC, and precise errors where there are none.

use divelog_ledger::Status;
use divelog_ledger::tlog::verify_inclusion;
use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use tonic::Code;

use super::{Kept, transparency};
use crate::api::{assert_invalid_field, details_of};

fn ask(game_id: &str, revision: u64) -> pb::GetInclusionProofRequest {
    pb::GetInclusionProofRequest { game_id: game_id.to_owned(), revision }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_played_game_is_in_the_log_at_its_beginning_at_intervals_and_at_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut log = transparency(&server).await;
    let mut players = Vec::new();
    for seed in 0..6 {
        let mut player = Player::create(server.games().await, 6, seed).await;
        player.play(if seed == 0 { 80 } else { 1_000 }).await;
        players.push(player);
    }
    let kept = Kept::sealed(&server).await;
    for player in &mut players {
        let game = player.game().await;
        let newest = log.get_inclusion_proof(ask(&player.game_id, 0)).await.unwrap().into_inner();
        assert_eq!(newest.checkpoint, kept.note);
        let leaf = verify_inclusion(&newest.inclusion.unwrap(), &kept.checkpoint).unwrap();
        assert_eq!(leaf.game.to_string(), game.game_id);
        if game.status() == pb::GameStatus::Finished {
            assert_eq!((leaf.revision.get(), leaf.status), (game.revision, Status::Finished));
            assert_eq!(leaf.record_hash, game.head_hash[..]);
        } else {
            assert_eq!((leaf.revision.get(), leaf.status), (64, Status::Running));
        }
        for (asked, found) in [(1, 1), (2, 64), (64, 64)] {
            let proof = log.get_inclusion_proof(ask(&player.game_id, asked)).await.unwrap().into_inner();
            let leaf = verify_inclusion(&proof.inclusion.unwrap(), &kept.checkpoint).unwrap();
            assert_eq!(leaf.revision.get(), found.min(game.revision), "asked for {asked}");
        }
    }
    let running = players[0].game().await;
    assert_eq!(running.status(), pb::GameStatus::Running, "choose another seed");
    let none = log.get_inclusion_proof(ask(&running.game_id, 65)).await.unwrap_err();
    assert_eq!((none.code(), details_of(&none).reason.as_str()), (Code::NotFound, "LEAF_NOT_FOUND"));
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_proved_is_refused_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    // Nothing is sealed unless somebody asks for it.
    let server = Server::start_with(&dir.path().join("data"), &["--seal-interval", "3600s"]);
    let mut log = transparency(&server).await;
    Kept::sealed(&server).await;
    let mut player = Player::create(server.games().await, 2, 1).await;
    let none = log.get_inclusion_proof(ask(&player.game_id, 0)).await.unwrap_err();
    assert_eq!(none.code(), Code::NotFound);
    assert_eq!(details_of(&none).reason, "LEAF_NOT_FOUND");
    assert_eq!(details_of(&none).metadata["game_id"], player.game_id);
    let kept = Kept::sealed(&server).await;
    let proof = log.get_inclusion_proof(ask(&player.game_id, 0)).await.unwrap().into_inner();
    verify_inclusion(&proof.inclusion.unwrap(), &kept.checkpoint).unwrap();

    player.play(3).await;
    let ahead = log.get_inclusion_proof(ask(&player.game_id, 5)).await.unwrap_err();
    assert_eq!((ahead.code(), details_of(&ahead).reason.as_str()), (Code::OutOfRange, "REVISION_AHEAD"));
    let unknown = log.get_inclusion_proof(ask("0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f", 0)).await.unwrap_err();
    assert_eq!((unknown.code(), details_of(&unknown).reason.as_str()), (Code::NotFound, "GAME_NOT_FOUND"));
    assert_invalid_field(&log.get_inclusion_proof(ask("no id", 0)).await.unwrap_err(), "game_id");

    let sizes = |old_size, new_size| pb::GetConsistencyProofRequest { old_size, new_size };
    assert_invalid_field(&log.get_consistency_proof(sizes(0, 1)).await.unwrap_err(), "old_size");
    for (old_size, new_size) in [(2, 0), (1, 2), (7, 8)] {
        let ahead = log.get_consistency_proof(sizes(old_size, new_size)).await.unwrap_err();
        assert_eq!((ahead.code(), details_of(&ahead).reason.as_str()), (Code::OutOfRange, "TREE_SIZE_AHEAD"));
        assert_eq!(details_of(&ahead).metadata["tree_size"], "1");
    }
    player.client.create_game(divelog_tests::player::new_game(2)).await.unwrap();
    Kept::sealed(&server).await;
    assert_invalid_field(&log.get_consistency_proof(sizes(2, 1)).await.unwrap_err(), "old_size");
    server.stop();
}
