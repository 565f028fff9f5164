//! The answers of one game come in the order of its requests, whatever becomes of each: done, refused, unreadable, or
//! repeated.

use divelog_proto::v1 as pb;
use divelog_tests::Server;
use divelog_tests::player::new_game;
use pb::submit_actions_response::Result as Answer;

use super::{dive, first_laps, submit};

/// What must come back for a request.
#[derive(Clone, PartialEq, Debug)]
enum Expected {
    Done(u64),
    /// A dry run, judged at this revision.
    Valid(u64),
    Failure(&'static str),
}

/// One game's requests: each real action followed by everything that is answered in another way.
fn requests(game: &pb::Game) -> Vec<(pb::SubmitActionRequest, Expected)> {
    let (mut requests, mut originals) = (Vec::new(), Vec::new());
    let actions = first_laps(game, 5);
    for (at, (seat, action)) in actions.iter().cloned().enumerate() {
        let revision = at as u64 + 2;
        let real =
            |request_id: String| pb::SubmitActionRequest { request_id, ..submit(&game.game_id, seat, action.clone()) };
        originals.push((real(format!("id-{at}")), Expected::Done(revision)));
        requests.push(originals[at].clone());
        // The same again, while the first is on its way.
        requests.push((real(format!("id-{at}")), Expected::Done(revision)));
        let stale = pb::SubmitActionRequest { expected_revision: Some(0), ..real(String::new()) };
        requests.push((stale, Expected::Failure("STALE_REVISION")));
        requests.push((real("not visible \u{1}".into()), Expected::Failure("INVALID_FIELD")));
        requests.push((submit(&game.game_id, 9, dive()), Expected::Failure("NOT_ASKED")));
        // Judged behind the actions before it, and nothing is done by it.
        let dry = |(seat, action): &(u32, pb::GameAction)| pb::SubmitActionRequest {
            validate_only: true,
            request_id: format!("dry-{at}"),
            ..submit(&game.game_id, *seat, action.clone())
        };
        if let Some(next) = actions.get(at + 1) {
            requests.push((dry(next), Expected::Valid(revision)));
        }
        let stale = pb::SubmitActionRequest { expected_revision: Some(revision - 1), ..dry(&actions[at]) };
        requests.push((stale, Expected::Failure("STALE_REVISION")));
        requests.push((pb::SubmitActionRequest { seat: 9, ..dry(&actions[at]) }, Expected::Failure("NOT_ASKED")));
        requests.push((real(format!("id-{at}")), Expected::Done(revision)));
        let other_seat = pb::SubmitActionRequest { seat: (seat + 1) % 4, ..real(format!("id-{at}")) };
        requests.push((other_seat, Expected::Failure("REQUEST_ID_REUSED")));
        // What was done is answered by the answer that it had, also a dry run of it.
        let again =
            |request: &pb::SubmitActionRequest| pb::SubmitActionRequest { validate_only: true, ..request.clone() };
        requests.push((again(&originals[at].0), Expected::Valid(revision)));
        let other_seat = pb::SubmitActionRequest { seat: (seat + 1) % 4, ..again(&originals[at].0) };
        requests.push((other_seat, Expected::Failure("REQUEST_ID_REUSED")));
        if let Some(long_ago) = at.checked_sub(5) {
            requests.push((again(&originals[long_ago].0), Expected::Valid(long_ago as u64 + 2)));
            requests.push(originals[long_ago].clone());
        }
    }
    requests
}

#[track_caller]
fn check(answers: &[pb::SubmitActionsResponse], expected: &[Expected]) {
    for (at, (answer, expected)) in answers.iter().zip(expected).enumerate() {
        assert_eq!(answer.tag, at as u64, "answer {at} belongs to another request: {answer:?}");
        match (answer.result.as_ref().unwrap(), expected) {
            (Answer::Done(done), Expected::Done(revision)) => {
                assert_eq!((done.revision, done.record_hash.len()), (*revision, 32), "{at}");
            }
            (Answer::Done(done), Expected::Valid(revision)) => {
                let valid = pb::SubmitActionResponse { revision: *revision, ..Default::default() };
                assert_eq!(*done, valid, "{at}");
            }
            (Answer::Failure(failure), Expected::Failure(reason)) => assert_eq!(failure.reason, *reason, "{at}"),
            (answer, expected) => panic!("{at}: {expected:?} came back as {answer:?}"),
        }
    }
    assert_eq!(answers.len(), expected.len());
}

async fn play_in_order(flags: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(&dir.path().join("data"), flags);
    for _ in 0..10 {
        let mut client = server.games().await;
        let game = client.create_game(new_game(4)).await.unwrap().into_inner().game.unwrap();
        let (outgoing, expected): (Vec<_>, Vec<_>) = requests(&game).into_iter().unzip();
        let outgoing = outgoing
            .into_iter()
            .enumerate()
            .map(|(tag, action)| pb::SubmitActionsRequest { tag: tag as u64, action: Some(action) });
        let outgoing: Vec<_> = outgoing.collect();
        let mut stream = client.submit_actions(tokio_stream::iter(outgoing)).await.unwrap().into_inner();
        let mut answers = Vec::new();
        while let Some(answer) = stream.message().await.unwrap() {
            answers.push(answer);
        }
        check(&answers, &expected);
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answers_of_a_game_keep_the_order_of_its_requests() {
    play_in_order(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answers_keep_their_order_on_several_threads_too() {
    play_in_order(&["--threads", "4"]).await;
}
