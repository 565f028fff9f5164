//! One draw of a running game, opened: it fits the commitment that was made before, and no later draw is shown.

use divelog_ledger::check_draw;
use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use tonic::Code;

use super::read_log;
use crate::api::details_of;

#[tokio::test(flavor = "multi_thread")]
async fn a_written_draw_opens_and_fits_its_commitment_and_a_draw_to_come_never_opens() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 4, 9).await;
    player.play(15).await;
    let mut audit = server.audit().await;
    let (records, secret) = read_log(&server, &player.game_id, false).await;
    assert!(secret.is_empty() && records.len() == 16);
    let ask = |sequence| pb::OpenDrawRequest { game_id: player.game_id.clone(), sequence };
    let mut keys = std::collections::BTreeSet::new();
    for sequence in 0..16 {
        let opened = audit.open_draw(ask(sequence)).await.unwrap().into_inner();
        let draw = opened.draw.unwrap();
        assert_eq!(draw.sequence, sequence);
        check_draw(&records, &draw).unwrap();
        assert_eq!(opened.record, records[sequence as usize]);
        assert_eq!(opened.committing_record, records[sequence.saturating_sub(1) as usize]);
        assert!(!opened.events.is_empty(), "what came of it is shown");
        // It opens no other draw.
        let other = pb::OpenedDraw { sequence: (sequence + 1) % 16, ..draw.clone() };
        assert!(check_draw(&records, &other).is_err());
        assert!(keys.insert(draw.chance_key), "each record has a key of its own");
    }
    for sequence in [16, 17, u64::MAX] {
        let refused = audit.open_draw(ask(sequence)).await.unwrap_err();
        assert_eq!(refused.code(), Code::FailedPrecondition);
        assert_eq!(details_of(&refused).reason, "DRAW_TO_COME");
        assert_eq!(details_of(&refused).metadata["revision"], "16");
    }
    let unknown = pb::OpenDrawRequest { game_id: "0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f".into(), sequence: 0 };
    assert_eq!(audit.open_draw(unknown).await.unwrap_err().code(), Code::NotFound);
    server.stop();
}
