//! Bundles: one game's evidence, verified offline.

use divelog_ledger::bundle::{Check, Judgement, Verdict, from_file, to_file, verify};
use divelog_ledger::tlog::{SigningKey, VerifierKey};
use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use tonic::Code;

use super::Kept;
use crate::api::details_of;

async fn export(server: &Server, request: pb::ExportBundleRequest) -> pb::Bundle {
    server.audit().await.export_bundle(request).await.unwrap().into_inner().bundle.unwrap()
}

fn request(game_id: &str) -> pb::ExportBundleRequest {
    pb::ExportBundleRequest { game_id: game_id.to_owned(), ..Default::default() }
}

#[track_caller]
fn judgement(verdict: &Verdict, check: Check) -> Judgement {
    let finding = verdict.findings.iter().find(|finding| finding.check == check);
    finding.unwrap_or_else(|| panic!("there is nothing about {check:?}")).result
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_games_bundle_proves_everything_to_anyone_with_the_key() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(&dir.path().join("data"), &["--seal-interval", "3600s"]);
    let mut player = Player::create(server.games().await, 4, 3).await;
    player.play(1_000).await;
    let game = player.game().await;
    assert_eq!(game.status(), pb::GameStatus::Finished);
    // Sealed on demand: nobody else asked for it.
    let bundle = export(&server, request(&player.game_id)).await;
    let key = Kept::ask(&server, false).await.unwrap().key;
    assert_eq!(bundle.secret, game.revealed_secret);
    let claims = bundle.claims.clone().unwrap();
    assert_eq!(claims.producer, format!("divelogd {}", env!("CARGO_PKG_VERSION")));
    assert_eq!(claims.verifier_key, key.to_string());
    assert_eq!(claims.outcome, game.outcome);
    let verdict = verify(&from_file(&to_file(&bundle)).unwrap(), Some(&key));
    assert!(verdict.ok(), "{verdict:?}");
    for check in [Check::Chain, Check::Commitment, Check::Replay, Check::Outcome, Check::Inclusion, Check::Signature] {
        assert_eq!(judgement(&verdict, check), Judgement::Proved, "{check:?}: {verdict:?}");
    }
    let other: VerifierKey = SigningKey::generate(key.origin(), [1; 32]).unwrap().verifier_key().clone();
    let verdict = verify(&bundle, Some(&other));
    assert!(!verdict.ok());
    assert_eq!(judgement(&verdict, Check::Signature), Judgement::Failed);
    // One byte of one record.
    let mut forged = bundle.clone();
    let mut record = forged.records[7].to_vec();
    record[60] ^= 1;
    forged.records[7] = record.into();
    assert!(!verify(&forged, Some(&key)).ok());
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_games_bundle_holds_the_secret_only_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 3, 3).await;
    player.play(12).await;
    let bundle = export(&server, request(&player.game_id)).await;
    let key = Kept::sealed(&server).await.key;
    assert!(bundle.secret.is_empty() && bundle.claims.as_ref().unwrap().legal_digests.is_empty());
    let verdict = verify(&bundle, Some(&key));
    assert!(verdict.ok(), "{verdict:?}");
    assert_eq!(judgement(&verdict, Check::Inclusion), Judgement::Proved, "its beginning is in the log");
    assert_eq!(judgement(&verdict, Check::Replay), Judgement::NotProved);

    let open_draws = vec![5, 0, 3, 5];
    let bundle = export(&server, pb::ExportBundleRequest { open_draws, ..request(&player.game_id) }).await;
    let opened: Vec<u64> = bundle.opened_draws.iter().map(|draw| draw.sequence).collect();
    assert_eq!(opened, [0, 3, 5]);
    let verdict = verify(&bundle, Some(&key));
    assert!(verdict.ok(), "{verdict:?}");
    assert_eq!(judgement(&verdict, Check::OpenedDraws), Judgement::Proved);

    let to_come = pb::ExportBundleRequest { open_draws: vec![0, 13], ..request(&player.game_id) };
    let refused = server.audit().await.export_bundle(to_come).await.unwrap_err();
    assert_eq!((refused.code(), details_of(&refused).reason.as_str()), (Code::FailedPrecondition, "DRAW_TO_COME"));

    let bundle = export(&server, pb::ExportBundleRequest { include_secret: true, ..request(&player.game_id) }).await;
    let verdict = verify(&bundle, Some(&key));
    assert!(verdict.ok() && bundle.secret.len() == 32, "{verdict:?}");
    assert_eq!(judgement(&verdict, Check::Replay), Judgement::Proved);
    let unknown = request("0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f");
    let missing = server.audit().await.export_bundle(unknown).await.unwrap_err();
    assert_eq!(details_of(&missing).reason, "GAME_NOT_FOUND");
    server.stop();
}
