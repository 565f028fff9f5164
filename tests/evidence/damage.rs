//! A damaged log folder is noticed and named, games go on, and the folder can be built again.

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use tonic::Code;

use super::{Kept, transparency};
use crate::api::details_of;

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_log_folder_is_named_and_built_again_when_it_is_moved_away() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let server = Server::start(&data);
    for seed in 0..5 {
        Player::create(server.games().await, 2, seed).await;
    }
    let kept = Kept::sealed(&server).await;
    server.stop();
    let tile = data.join("tlog/tile/0/000.p/5");
    let mut bytes = std::fs::read(&tile).unwrap();
    bytes[40] ^= 1;
    std::fs::write(&tile, &bytes).unwrap();

    let server = Server::start(&data);
    let mut log = transparency(&server).await;
    for broken in [
        Kept::ask(&server, false).await.unwrap_err(),
        Kept::ask(&server, true).await.unwrap_err(),
        log.get_consistency_proof(pb::GetConsistencyProofRequest { old_size: 1, new_size: 0 }).await.unwrap_err(),
    ] {
        assert_eq!(broken.code(), Code::FailedPrecondition, "{broken:?}");
        assert_eq!(details_of(&broken).reason, "TRANSPARENCY_LOG_BROKEN");
        assert!(broken.message().contains("tlog"), "{}", broken.message());
        assert!(broken.message().contains("move it away and restart"), "{}", broken.message());
    }
    assert!(server.log().contains("ERROR"), "the log names it for the operator");
    let mut player = Player::create(server.games().await, 2, 1).await;
    player.play(5).await;
    // Evidence goes out without a proof.
    let export = pb::ExportBundleRequest { game_id: player.game_id.clone(), ..Default::default() };
    let bundle = server.audit().await.export_bundle(export).await.unwrap().into_inner().bundle.unwrap();
    assert!(bundle.inclusion.is_none() && bundle.checkpoint.is_empty());
    server.stop();

    std::fs::rename(data.join("tlog"), dir.path().join("damaged")).unwrap();
    let server = Server::start(&data);
    let newer = Kept::sealed(&server).await;
    assert_eq!(newer.checkpoint.size, kept.checkpoint.size + 1);
    kept.is_continued_by(&server, &newer).await.unwrap();
    server.stop();
}
