//! "I clicked and nothing happened": every refused request is kept, with who asked and why not.

use divelog_proto::games::veiled_isles::v1 as isles;
use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server, divelog};
use prost::Message;
use tokio_stream::StreamExt;

use crate::api::{dive, leave, submit};

pub async fn list(server: &Server, game_id: &str) -> pb::ListRefusalsResponse {
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
    for (at, refusal) in oldest_first.iter().enumerate() {
        assert_eq!(refusal.abandonment, at == 6, "{refusal:?}");
    }
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
                let output = divelog(server.url(), &["log", "refusals", game_id]);
                let sentence = format!("{} of the newest 256 are not kept", kept.overflowed);
                assert!(output.stderr.contains(&sentence), "{output:?}");
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

/// A request id that was used for another action of the game, by itself and on a stream; and an action too large to be kept.
#[tokio::test(flavor = "multi_thread")]
async fn what_no_rule_refuses_is_kept_too() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 1).await;
    let game_id = player.game_id.clone();
    let seat = player.game().await.to_act[0];
    let with_id = |action| pb::SubmitActionRequest { request_id: "click".into(), ..submit(&game_id, seat, action) };
    player.client.submit_action(with_id(dive())).await.unwrap();
    player.client.submit_action(with_id(dive())).await.expect("the first answer again");
    let other = with_id(leave());
    let refused = player.client.submit_action(other.clone()).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::AlreadyExists);
    let streamed = pb::SubmitActionsRequest { tag: 1, action: Some(other) };
    let mut answers = player.client.submit_actions(tokio_stream::iter([streamed])).await.unwrap().into_inner();
    while answers.next().await.is_some() {}
    let abandon = pb::AbandonGameRequest { game_id: game_id.clone(), request_id: "click".into(), ..Default::default() };
    player.client.abandon_game(abandon).await.unwrap_err();
    let islands = vec![isles::Island::default(); 3_000];
    let many = isles::Action { action: Some(isles::action::Action::GiveBack(isles::GiveBack { islands })) };
    let large = pb::GameAction { action: Some(pb::game_action::Action::VeiledIsles(many)) };
    player.client.submit_action(submit(&game_id, seat, large.clone())).await.unwrap_err();

    let kept = list(&server, &game_id).await.refusals;
    let [too_large, abandonment, on_stream, alone] = &kept[..] else { panic!("{kept:?}") };
    assert_eq!((&too_large.action, too_large.omitted_action_bytes), (&None, large.encoded_len() as u64));
    assert_eq!(too_large.rule, "MALFORMED");
    assert_eq!((abandonment.abandonment, abandonment.reason.as_str()), (true, "REQUEST_ID_REUSED"));
    for refusal in [on_stream, alone] {
        assert_eq!((refusal.rule.as_str(), refusal.reason.as_str()), ("", "REQUEST_ID_REUSED"));
        assert_eq!((refusal.seat, &refusal.action, refusal.revision), (seat, &Some(leave()), 2));
        assert_eq!((refusal.abandonment, refusal.omitted_action_bytes), (false, 0));
    }
    let output = divelog(server.url(), &["log", "refusals", &game_id]);
    assert_eq!(output.stdout.matches("REQUEST_ID_REUSED").count(), 3, "{output:?}");
    assert!(output.stdout.contains(&format!("(not kept: {} bytes)", large.encoded_len())), "{output:?}");
    server.stop();
}
