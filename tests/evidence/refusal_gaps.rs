//! What a list of refusals says of those that may be missing: after a kill, with an older database, in a restored store.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server, divelog};
use pb::refusal_gap::Cause;

use super::refusals::list;
use crate::api::{dive, submit};
use crate::recovery::{divelogd, text};

fn since_1970(time: &Option<prost_types::Timestamp>) -> Duration {
    SystemTime::try_from(time.unwrap()).unwrap().duration_since(UNIX_EPOCH).unwrap()
}

/// In milliseconds, as refusals are kept.
fn now() -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Duration::from_millis(now.as_millis() as u64)
}

/// Whether the server had written a refusal before it was killed is luck; that the list knows of it, or says when others may
/// have been lost, is not.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_kill_the_list_says_what_may_be_missing() {
    let dir = tempfile::tempdir().unwrap();
    let mut was_lost = false;
    for round in 0..20 {
        let data = dir.path().join(format!("data-{round}"));
        let server = Server::start(&data);
        let mut player = Player::create(server.games().await, 3, 1).await;
        let game_id = player.game_id.clone();
        let other = (player.game().await.to_act[0] + 1) % 3;
        player.client.submit_action(submit(&game_id, other, dive())).await.unwrap_err();
        let answered = now();
        server.kill();

        let server = Server::start(&data);
        let kept = list(&server, &game_id).await;
        let [gap] = &kept.gaps[..] else { panic!("{kept:?}") };
        assert_eq!((gap.cause(), gap.count), (Cause::UncleanEnd, 0));
        let (from, to) = (since_1970(&gap.from), since_1970(&gap.to));
        assert!(from <= to && answered <= to && to <= now(), "{gap:?}");
        assert_eq!((kept.dropped, &kept.gaps_known_since), (0, &None));
        let lost = kept.refusals.is_empty();
        assert!(!lost || from <= answered, "it is lost and no answer says so: {kept:?}");
        let output = divelog(server.url(), &["log", "refusals", &game_id]);
        assert!(output.stderr.contains("may be missing"), "{output:?}");
        assert!(!output.stderr.contains("no action of this game was refused"), "{output:?}");
        assert_eq!(output.stderr.contains("no refusal of this game is on record"), lost, "{output:?}");

        // A game that began later has lost nothing, and a stop in good order loses nothing.
        let later = Player::create(server.games().await, 3, 2).await.game_id;
        assert_eq!(list(&server, &later).await, pb::ListRefusalsResponse::default());
        player = Player::of(server.games().await, game_id.clone(), 3);
        player.client.submit_action(submit(&game_id, other, dive())).await.unwrap_err();
        server.stop();
        let server = Server::start(&data);
        let after = list(&server, &game_id).await;
        assert_eq!((after.refusals.len(), &after.gaps), (kept.refusals.len() + 1, &kept.gaps));
        assert_eq!(list(&server, &later).await, pb::ListRefusalsResponse::default());
        server.stop();
        was_lost |= lost;
        if was_lost {
            break;
        }
    }
    assert!(was_lost, "the server had written every refusal before the kill");
}

/// A game with a refusal in a store that was stopped in good order.
async fn refused_once(data: &Path) -> String {
    let server = Server::start(data);
    let mut player = Player::create(server.games().await, 3, 1).await;
    let other = (player.game().await.to_act[0] + 1) % 3;
    player.client.submit_action(submit(&player.game_id, other, dive())).await.unwrap_err();
    let game_id = player.game_id.clone();
    server.stop();
    game_id
}

/// What the older database does not hold was answered all the same.
#[tokio::test(flavor = "multi_thread")]
async fn an_older_database_that_is_put_back_does_not_vouch_for_what_came_after_it() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let game_id = refused_once(&data).await;
    let older = std::fs::read(data.join("db")).unwrap();
    let server = Server::start(&data);
    let mut player = Player::of(server.games().await, game_id.clone(), 3);
    let other = (player.game().await.to_act[0] + 1) % 3;
    player.client.submit_action(submit(&game_id, other, dive())).await.unwrap_err();
    let answered = now();
    player.step().await.unwrap();
    server.stop();
    std::fs::write(data.join("db"), older).unwrap();
    assert!(Server::try_start(&data, &[]).is_err(), "it lacks a block");
    let server = Server::start_with(&data, &["--accept-loss"]);
    let kept = list(&server, &game_id).await;
    assert_eq!(kept.refusals.len(), 1, "{kept:?}");
    let since = kept.gaps_known_since.is_some().then(|| since_1970(&kept.gaps_known_since));
    assert!(since.is_some_and(|since| answered <= since), "{kept:?}");
    let output = divelog(server.url(), &["log", "refusals", &game_id]);
    assert!(output.stderr.contains("may be missing"), "{output:?}");
    server.stop();
    // It stays said.
    let server = Server::start(&data);
    assert_eq!(list(&server, &game_id).await, kept);
    server.stop();
}

/// Between the restore and its first start another server may have served the same games.
#[tokio::test(flavor = "multi_thread")]
async fn a_restored_store_knows_of_refusals_from_its_first_start_on() {
    let dir = tempfile::tempdir().unwrap();
    let (data, restored) = (dir.path().join("data"), dir.path().join("restored"));
    let game_id = refused_once(&data).await;
    divelogd(&["restore", "--from", text(&data), "--data", text(&restored)]).ok();
    let before_start = now();
    let server = Server::start(&restored);
    let kept = list(&server, &game_id).await;
    assert_eq!((&kept.refusals[..], &kept.gaps[..]), (&[][..], &[][..]), "refusals are not restored");
    assert!(since_1970(&kept.gaps_known_since) >= before_start, "{kept:?}");
    let later = Player::create(server.games().await, 3, 2).await.game_id;
    assert_eq!(list(&server, &later).await, pb::ListRefusalsResponse::default());
    server.stop();
}
