//! "I clicked and nothing happened": every refused request is kept, with who asked and why not.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server, divelog};
use pb::refusal_gap::Cause;
use tokio_stream::StreamExt;

use crate::api::{dive, leave, submit};

async fn list(server: &Server, game_id: &str) -> pb::ListRefusalsResponse {
    let request = pb::ListRefusalsRequest { game_id: game_id.to_owned() };
    server.audit().await.list_refusals(request).await.unwrap().into_inner()
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_kept_with_rule_revision_request_and_caller_across_restarts() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let server = Server::start(&data);
    let mut player = Player::create(server.games().await, 3, 1).await;
    let game_id = player.game_id.clone();
    let seat = player.game().await.to_act[0];
    let other = (seat + 1) % 3;
    let with_id = |request_id: &str, request| pb::SubmitActionRequest { request_id: request_id.into(), ..request };
    let stale = pb::SubmitActionRequest { expected_revision: Some(9), ..submit(&game_id, seat, dive()) };
    let empty = pb::SubmitActionRequest { action: None, ..submit(&game_id, seat, dive()) };
    for (at, request) in
        [submit(&game_id, other, dive()), submit(&game_id, seat, leave()), stale, empty, submit(&game_id, 7, dive())]
            .into_iter()
            .enumerate()
    {
        let dry = pb::SubmitActionRequest { validate_only: true, ..request.clone() };
        player.client.submit_action(dry).await.unwrap_err();
        player.client.submit_action(with_id(&format!("click-{at}"), request)).await.unwrap_err();
    }
    let too_long = "x".repeat(65);
    player.client.submit_action(with_id(&too_long, submit(&game_id, seat, dive()))).await.unwrap_err();
    let abandon = pb::AbandonGameRequest {
        game_id: game_id.clone(),
        expected_revision: Some(2),
        request_id: "give-up".into(),
        ..Default::default()
    };
    player.client.abandon_game(abandon).await.unwrap_err();
    let streamed = pb::SubmitActionsRequest { tag: 1, action: Some(submit(&game_id, other, dive())) };
    let mut answers = player.client.submit_actions(tokio_stream::iter([streamed])).await.unwrap().into_inner();
    while answers.next().await.is_some() {}

    let wanted = [
        ("click-0", "TURN", "NOT_ASKED", other),
        ("click-1", "PHASE", "WRONG_PHASE", seat),
        ("click-2", "REVISION", "STALE_REVISION", seat),
        ("click-3", "MALFORMED", "MALFORMED_ACTION", seat),
        ("click-4", "TURN", "NOT_ASKED", 7),
        (too_long.as_str(), "MALFORMED", "INVALID_FIELD", seat),
        ("give-up", "REVISION", "STALE_REVISION", 0),
        ("", "TURN", "NOT_ASKED", other),
    ];
    let kept = list(&server, &game_id).await;
    assert_eq!((kept.dropped, kept.overflowed, &kept.gaps[..], &kept.gaps_known_since), (0, 0, &[][..], &None));
    let mut oldest_first = kept.refusals.clone();
    oldest_first.reverse();
    for (at, (refusal, (request_id, rule, reason, seat))) in oldest_first.iter().zip(wanted).enumerate() {
        assert_eq!(refusal.number, at as u64);
        let found = (refusal.request_id.as_str(), refusal.rule.as_str(), refusal.reason.as_str(), refusal.seat);
        assert_eq!(found, (request_id, rule, reason, seat));
        assert!(refusal.caller.starts_with("127.0.0.1:"), "{refusal:?}");
        assert!(!refusal.sentence.is_empty() && refusal.time.is_some());
        assert!(refusal.revision == 1 || reason == "INVALID_FIELD", "{refusal:?}");
    }
    assert_eq!(oldest_first.len(), wanted.len());
    assert_eq!(oldest_first[0].action, Some(dive()));
    assert_eq!(oldest_first[3].action, None);
    // Nothing of it is in the chain.
    assert_eq!(player.game().await.revision, 1);
    server.stop();
    let server = Server::start(&data);
    assert_eq!(list(&server, &game_id).await, kept);
    let unknown = pb::ListRefusalsRequest { game_id: "0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f".into() };
    assert_eq!(server.audit().await.list_refusals(unknown).await.unwrap_err().code(), tonic::Code::NotFound);
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_refusals_leaves_the_newest_and_a_count() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let server = Server::start(&data);
    let mut player = Player::create(server.games().await, 3, 1).await;
    let game_id = player.game_id.clone();
    let other = (player.game().await.to_act[0] + 1) % 3;
    let flood = 6_000_u64;
    let requests: Vec<_> = (0..flood)
        .map(|tag| {
            let action = pb::SubmitActionRequest { request_id: tag.to_string(), ..submit(&game_id, other, dive()) };
            pb::SubmitActionsRequest { tag, action: Some(action) }
        })
        .collect();
    let mut answers = player.client.submit_actions(tokio_stream::iter(requests)).await.unwrap().into_inner();
    let mut count = 0;
    while let Some(answer) = answers.next().await {
        answer.unwrap();
        count += 1;
    }
    assert_eq!(count, flood);
    player.play(3).await;
    let check = |kept: &pb::ListRefusalsResponse| {
        assert_eq!((kept.refusals.len(), kept.dropped), (256, flood - 256));
        assert_eq!((kept.overflowed, &kept.gaps[..]), (0, &[][..]), "only the newest 256 are kept anyway");
        let numbers: Vec<u64> = kept.refusals.iter().map(|refusal| refusal.number).collect();
        assert_eq!(numbers, (flood - 256..flood).rev().collect::<Vec<_>>());
        assert!(kept.refusals.iter().all(|refusal| refusal.request_id == refusal.number.to_string()));
    };
    check(&list(&server, &game_id).await);
    server.stop();
    let server = Server::start(&data);
    check(&list(&server, &game_id).await);
    server.stop();
}

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
        assert!(!lost || from <= answered, "it is lost and nothing is said: {kept:?}");
        let said = divelog(server.url(), &["log", "refusals", &game_id]);
        assert!(said.stderr.contains("may be missing"), "{said:?}");
        assert!(!said.stderr.contains("no action of this game was refused"), "{said:?}");
        assert_eq!(said.stderr.contains("no refusal of this game is on record"), lost, "{said:?}");

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

/// More than wait to be written, from more games than one: each is counted, and the list says that some of the newest are not
/// there.
#[tokio::test(flavor = "multi_thread")]
async fn a_flood_over_many_games_says_what_it_has_cost() {
    const GAMES: u64 = 30;
    const EACH: u64 = 256;
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut lost = false;
    for _ in 0..10 {
        let (mut ids, mut requests) = (Vec::new(), Vec::new());
        for seed in 0..GAMES {
            let mut player = Player::create(server.games().await, 3, seed).await;
            let other = (player.game().await.to_act[0] + 1) % 3;
            ids.push((player.game_id.clone(), other));
        }
        for tag in 0..GAMES * EACH {
            let (game_id, other) = &ids[(tag % GAMES) as usize];
            requests.push(pb::SubmitActionsRequest { tag, action: Some(submit(game_id, *other, dive())) });
        }
        let mut client = server.games().await;
        let mut answers = client.submit_actions(tokio_stream::iter(requests)).await.unwrap().into_inner();
        while let Some(answer) = answers.next().await {
            answer.unwrap();
        }
        for (game_id, _) in &ids {
            let kept = list(&server, game_id).await;
            assert_eq!(kept.refusals.len() as u64 + kept.dropped, EACH, "each was counted");
            assert_eq!(
                (kept.overflowed, &kept.gaps[..]),
                (kept.dropped, &[][..]),
                "all of them are among the newest 256"
            );
            if kept.overflowed > 0 {
                let said = divelog(server.url(), &["log", "refusals", game_id]);
                let sentence = format!("{} of the newest 256 are not kept", kept.overflowed);
                assert!(said.stderr.contains(&sentence), "{said:?}");
                lost = true;
            }
        }
        if lost {
            break;
        }
    }
    assert!(lost, "the server has written them as fast as they came");
    server.stop();
}
