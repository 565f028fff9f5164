//! Every refusal that the rules know arrives with its code, rule, reason, revision and what would be legal instead, and
//! changes nothing.

use std::collections::BTreeSet;

use divelog_proto::games::deep_sea_adventure::v1 as dsa;
use divelog_proto::v1 as pb;
use divelog_tests::player::{action_of, new_game};
use divelog_tests::{Player, Server};
use dsa::action::Action;
use tonic::{Code, Status};

use super::{act, details_of, dive, submit};

/// What the rule book and the common rules can answer to an action (docs/rules/deep-sea-adventure.md).
const REFUSALS: [(&str, &str); 11] = [
    ("DSA-11", "NOTHING_HERE"),
    ("DSA-11", "NOT_A_BLANK"),
    ("DSA-11", "NOT_IN_LOAD"),
    ("DSA-7", "ALREADY_TURNED_BACK"),
    ("DSA-7", "EMPTY_LOAD"),
    ("DSA-7", "FIRST_TURN"),
    ("DSA-R1", "LAST_OF_LOAD"),
    ("MALFORMED", "MALFORMED_ACTION"),
    ("OVER", "GAME_OVER"),
    ("PHASE", "WRONG_PHASE"),
    ("TURN", "NOT_ASKED"),
];

/// Every action that a seat might try.
fn all_attempts() -> Vec<Option<pb::GameAction>> {
    let mut all = vec![
        None,
        Some(pb::GameAction { action: None }),
        Some(pb::GameAction { action: Some(pb::game_action::Action::DeepSeaAdventure(dsa::Action { action: None })) }),
        Some(act(Action::Dive(dsa::Dive { turn_back: false }))),
        Some(act(Action::Dive(dsa::Dive { turn_back: true }))),
        Some(act(Action::Leave(dsa::Leave {}))),
        Some(act(Action::PickUp(dsa::PickUp {}))),
    ];
    all.extend([0, 1, 2, 300].map(|load_index| Some(act(Action::PutDown(dsa::PutDown { load_index })))));
    all
}

/// Checks one refusal and says which it was.
#[track_caller]
fn check(status: &Status, game: &pb::Game, legal: &[pb::LegalAction]) -> (String, String) {
    let details = details_of(status);
    let refusal = details.refusal.unwrap();
    let expected = if refusal.rule == "MALFORMED" { Code::InvalidArgument } else { Code::FailedPrecondition };
    assert_eq!(status.code(), expected, "{status:?}");
    assert_eq!(details.reason, refusal.reason);
    assert_eq!(details.metadata["rule"], refusal.rule);
    assert_eq!(details.metadata["revision"], game.revision.to_string());
    assert_eq!(details.metadata.len(), 2, "{:?}", details.metadata);
    assert_eq!(refusal.revision, game.revision);
    assert_eq!(refusal.to_act, game.to_act);
    assert_eq!(refusal.legal_actions, legal, "a refusal lists what would be legal");
    assert!(!refusal.legal_actions_truncated);
    assert!(!refusal.sentence.is_empty() && status.message().contains(&refusal.sentence));
    assert!(status.message().contains(&refusal.rule) && status.message().contains(&refusal.reason));
    (refusal.rule, refusal.reason)
}

/// Tries everything that is not legal now, for the seat to act and one that is not.
async fn try_everything(player: &mut Player, seen: &mut BTreeSet<(String, String)>) {
    let game = player.game().await;
    // A seat that the table does not have is not asked either.
    for seat in [game.players.len() as u32, 255, 256, u32::MAX] {
        for action in all_attempts() {
            let request =
                pb::SubmitActionRequest { game_id: player.game_id.clone(), seat, action, ..Default::default() };
            let refused = player.client.submit_action(request.clone()).await.unwrap_err();
            let (rule, reason) = check(&refused, &game, &[]);
            let expected = if game.to_act.is_empty() { ("OVER", "GAME_OVER") } else { ("TURN", "NOT_ASKED") };
            assert_eq!((rule.as_str(), reason.as_str()), expected, "seat {seat}");
            let checked = pb::SubmitActionRequest { validate_only: true, ..request };
            let checked = player.client.submit_action(checked).await.unwrap_err();
            assert_eq!(checked.message(), refused.message(), "a dry run says what the real one says");
        }
    }
    for seat in 0..game.players.len() as u32 {
        let request = pb::ListLegalActionsRequest { game_id: player.game_id.clone(), seat };
        let legal = player.client.list_legal_actions(request).await.unwrap().into_inner();
        assert_eq!(legal.revision, game.revision);
        assert_eq!(legal.to_act, game.to_act);
        assert_eq!(legal.legal_actions.is_empty(), !game.to_act.contains(&seat), "only who is asked has choices");
        let allowed: Vec<_> = legal.legal_actions.iter().map(action_of).collect();
        for action in all_attempts() {
            if action.as_ref().is_some_and(|action| allowed.contains(action)) {
                continue;
            }
            let request =
                pb::SubmitActionRequest { game_id: player.game_id.clone(), seat, action, ..Default::default() };
            let refused = player.client.submit_action(request.clone()).await.unwrap_err();
            seen.insert(check(&refused, &game, &legal.legal_actions));
            let checked = pb::SubmitActionRequest { validate_only: true, ..request };
            let checked = player.client.submit_action(checked).await.unwrap_err();
            assert_eq!(checked.message(), refused.message(), "a dry run says what the real one says");
        }
    }
    assert_eq!(player.game().await, game, "a refusal changes nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_of_the_rules_is_reported_in_full() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let wanted: BTreeSet<_> = REFUSALS.map(|(rule, reason)| (rule.to_owned(), reason.to_owned())).into();
    let mut seen = BTreeSet::new();
    for seed in 0..40 {
        let mut player = Player::create(server.games().await, 2 + seed as usize % 3, seed).await;
        loop {
            try_everything(&mut player, &mut seen).await;
            if player.step().await.unwrap().is_none() {
                break;
            }
        }
        if seen.is_superset(&wanted) {
            break;
        }
    }
    assert_eq!(seen, wanted);
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_of_the_wrong_size_is_refused_by_rule_0() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut client = server.games().await;
    for players in [0, 1, 7, 64] {
        for validate_only in [false, true] {
            let request = pb::CreateGameRequest { validate_only, ..new_game(players) };
            let refused = client.create_game(request).await.unwrap_err();
            assert_eq!(refused.code(), Code::FailedPrecondition, "{players}: {refused:?}");
            let details = details_of(&refused);
            assert_eq!((details.reason.as_str(), details.metadata["rule"].as_str()), ("SEAT_COUNT", "DSA-0"));
            assert_eq!(details.refusal.unwrap().rule, "DSA-0");
        }
    }
    let list = client.list_games(pb::ListGamesRequest::default()).await.unwrap().into_inner();
    assert_eq!(list.games, [], "nothing was created");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn another_revision_than_expected_is_refused_with_the_true_one() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 1).await;
    let game = player.game().await;
    let seat = game.to_act[0];
    for wrong in [0, 2, u64::MAX] {
        let expected_revision = Some(wrong);
        let action = pb::SubmitActionRequest { expected_revision, ..submit(&player.game_id, seat, dive()) };
        let abandon =
            pb::AbandonGameRequest { game_id: player.game_id.clone(), expected_revision, ..Default::default() };
        for stale in [
            player.client.submit_action(action.clone()).await.unwrap_err(),
            player.client.submit_action(pb::SubmitActionRequest { validate_only: true, ..action }).await.unwrap_err(),
            player.client.abandon_game(abandon).await.unwrap_err(),
        ] {
            assert_eq!(stale.code(), Code::Aborted);
            let details = details_of(&stale);
            assert_eq!(details.reason, "STALE_REVISION");
            assert_eq!(details.metadata["revision"], "1");
            assert_eq!(details.metadata["expected_revision"], wrong.to_string());
            assert_eq!(details.metadata["rule"], "REVISION");
            assert_eq!(details.refusal.unwrap().revision, 1);
        }
    }
    assert_eq!(player.game().await, game);
    let action = pb::SubmitActionRequest { expected_revision: Some(1), ..submit(&player.game_id, seat, dive()) };
    assert_eq!(player.client.submit_action(action).await.unwrap().into_inner().revision, 2);
    server.stop();
}

/// One answer for a seat that the table does not have, wherever it is asked: `OVER` first, then `TURN`, and so it is kept.
#[tokio::test(flavor = "multi_thread")]
async fn a_seat_that_the_table_does_not_have_is_not_asked() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 1).await;
    let game_id = player.game_id.clone();
    let seats = [2, 255, 256, u32::MAX];
    let mut expected = Vec::new();
    for (rule, reason) in [("TURN", "NOT_ASKED"), ("OVER", "GAME_OVER")] {
        let game = player.game().await;
        for (tag, seat) in seats.into_iter().enumerate() {
            // Whatever the action is.
            let action = (tag % 2 == 0).then(dive);
            let request = pb::SubmitActionRequest { game_id: game_id.clone(), seat, action, ..Default::default() };
            let refused = player.client.submit_action(request.clone()).await.unwrap_err();
            assert_eq!(check(&refused, &game, &[]), (rule.into(), reason.into()), "seat {seat}");
            let streamed = pb::SubmitActionsRequest { tag: 7, action: Some(request) };
            let mut answers = player.client.submit_actions(tokio_stream::iter([streamed])).await.unwrap().into_inner();
            let answer = answers.message().await.unwrap().unwrap();
            let Some(pb::submit_actions_response::Result::Failure(failure)) = answer.result else {
                panic!("{answer:?}")
            };
            assert_eq!((failure.reason.as_str(), failure.refusal), (reason, details_of(&refused).refusal));
            // Once by itself, once on a stream.
            expected.extend([(); 2].map(|()| ((rule.to_owned(), reason.to_owned(), seat), game.revision)));
        }
        let stale = pb::SubmitActionRequest { expected_revision: Some(99), ..submit(&game_id, 2, dive()) };
        assert_eq!(details_of(&player.client.submit_action(stale).await.unwrap_err()).reason, "STALE_REVISION");
        expected.push((("REVISION".into(), "STALE_REVISION".into(), 2), game.revision));
        if rule == "TURN" {
            let abandon = pb::AbandonGameRequest { game_id: game_id.clone(), ..Default::default() };
            player.client.abandon_game(abandon).await.unwrap();
        }
    }
    let list = pb::ListRefusalsRequest { game_id };
    let mut kept = server.audit().await.list_refusals(list).await.unwrap().into_inner().refusals;
    kept.reverse();
    let kept: Vec<_> = kept.into_iter().map(|kept| ((kept.rule, kept.reason, kept.seat), kept.revision)).collect();
    assert_eq!(kept, expected);
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revision_that_does_not_exist_is_out_of_range() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 1).await;
    player.play(3).await;
    let mut audit = server.audit().await;
    let replay = pb::ReplayGameRequest { game_id: player.game_id.clone(), ..Default::default() };
    let watch = pb::WatchGameRequest { game_id: player.game_id.clone(), ..Default::default() };
    for ahead in [
        audit.replay_game(pb::ReplayGameRequest { from_revision: 5, ..replay.clone() }).await.unwrap_err(),
        audit.replay_game(pb::ReplayGameRequest { to_revision: 5, ..replay.clone() }).await.unwrap_err(),
        player.client.watch_game(pb::WatchGameRequest { after_revision: Some(5), ..watch }).await.unwrap_err(),
    ] {
        assert_eq!(ahead.code(), Code::OutOfRange);
        let details = details_of(&ahead);
        assert_eq!(details.reason, "REVISION_AHEAD");
        assert_eq!(details.metadata["revision"], "4");
    }
    let backwards = pb::ReplayGameRequest { from_revision: 3, to_revision: 2, ..replay };
    super::assert_invalid_field(&audit.replay_game(backwards).await.unwrap_err(), "from_revision");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_does_not_exist_is_not_found_by_any_call() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let (mut games, mut audit) = (server.games().await, server.audit().await);
    let game_id = "0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f".to_owned();
    let id = || game_id.clone();
    let abandon = pb::AbandonGameRequest { game_id: id(), ..Default::default() };
    let validate = pb::SubmitActionRequest { validate_only: true, ..submit(&game_id, 0, dive()) };
    for missing in [
        games.get_game(pb::GetGameRequest { game_id: id(), viewer: None }).await.unwrap_err(),
        games.list_legal_actions(pb::ListLegalActionsRequest { game_id: id(), seat: 0 }).await.unwrap_err(),
        games.submit_action(submit(&game_id, 0, dive())).await.unwrap_err(),
        games.submit_action(validate).await.unwrap_err(),
        games.abandon_game(abandon).await.unwrap_err(),
        games.watch_game(pb::WatchGameRequest { game_id: id(), ..Default::default() }).await.unwrap_err(),
        audit.read_log(pb::ReadLogRequest { game_id: id(), include_secret: true }).await.unwrap_err(),
        audit.replay_game(pb::ReplayGameRequest { game_id: id(), ..Default::default() }).await.unwrap_err(),
        audit.verify_game(pb::VerifyGameRequest { game_id: id() }).await.unwrap_err(),
    ] {
        assert_eq!(missing.code(), Code::NotFound);
        let details = details_of(&missing);
        assert_eq!(details.reason, "GAME_NOT_FOUND");
        assert_eq!(details.metadata["game_id"], game_id);
    }
    server.stop();
}

/// They would take the place of those of games that are there, and be a gap in everybody's list.
#[tokio::test(flavor = "multi_thread")]
async fn refusals_of_games_that_are_not_there_are_nobodys() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let player = Player::create(server.games().await, 2, 1).await;
    // More games than are told apart at once.
    let mut refused = tokio::task::JoinSet::new();
    for number in 0..4_000_u32 {
        let mut client = player.client.clone();
        let request = pb::SubmitActionRequest {
            game_id: format!("00000000-0000-7000-8000-{number:012}"),
            request_id: "much too long".repeat(10),
            ..Default::default()
        };
        refused.spawn(async move { client.submit_action(request).await.unwrap_err().code() });
    }
    while let Some(code) = refused.join_next().await {
        assert_eq!(code.unwrap(), tonic::Code::InvalidArgument);
    }
    let request = pb::ListRefusalsRequest { game_id: player.game_id.clone() };
    let list = server.audit().await.list_refusals(request).await.unwrap().into_inner();
    assert_eq!(list, pb::ListRefusalsResponse::default(), "nothing was refused, and nothing is missing");
    server.stop();
}
