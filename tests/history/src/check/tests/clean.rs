//! Histories in which nothing is wrong.

use super::sample::{Plan, act_with_id, id, operation, refused, sample, with_id};
use crate::check::check;
use crate::history::*;

#[track_caller]
fn assert_clean(history: &History) {
    let report = check(history);
    assert_eq!(report.total(), 0, "{:#?}", report.findings);
}

#[test]
fn nothing_is_found_where_everything_agrees() {
    assert_clean(&sample(&Plan::default()));
}

#[test]
fn nothing_is_found_in_nothing() {
    assert_clean(&History::default());
}

#[test]
fn an_unclear_action_may_have_been_done() {
    let mut history = sample(&Plan::default());
    with_id(&mut history, "a5").outcome = Outcome::Unclear(Unclear::Lost);
    assert_clean(&history);
}

#[test]
fn requests_that_overlap_may_be_done_in_any_order() {
    let mut history = sample(&Plan::default());
    // Asked for before its predecessor was answered.
    with_id(&mut history, "a4").invoked = 1;
    with_id(&mut history, "a3").invoked = 2;
    act_with_id(&mut history, "a4").stream = None;
    assert_clean(&history);
}

#[test]
fn a_fork_that_was_given_up_need_not_be_whole_if_nobody_was_told_that_it_is() {
    let mut history = sample(&Plan { fork_given_up: Some(2), ..Plan::default() });
    with_id(&mut history, "f").outcome = refused("FAILED_PRECONDITION", "GAME_OVER", None);
    let abandon =
        Abandon { game: super::sample::FORK, request_id: id(""), reason: "enough".into(), expected_revision: None };
    history.operations.push(operation(6, 290, Request::Abandon(abandon), Outcome::Unclear(Unclear::Lost)));
    assert_clean(&history);
}

#[test]
fn a_stream_that_ends_with_an_error_may_leave_requests_unanswered() {
    let mut history = sample(&Plan::default());
    history.streams[0].end = StreamEnd::Error;
    history.streams[0].unanswered = 3;
    history.backups[0].end = StreamEnd::Error;
    history.backups[0].blocks.pop();
    assert_clean(&history);
}

#[test]
fn a_busy_server_may_be_asked_again() {
    let mut history = sample(&Plan::default());
    let again = Operation { invoked: 600, returned: 601, ..with_id(&mut history, "a3").clone() };
    history.operations.push(Operation { outcome: refused("RESOURCE_EXHAUSTED", "BUSY", None), ..again });
    assert_clean(&history);
}

#[test]
fn a_log_may_be_read_a_moment_before_the_game_moves_on_for_others() {
    let mut history = sample(&Plan::default());
    // Client 7 has read the log while the sixth action was still to be answered; client 8 asks the live game just then.
    let last = with_id(&mut history, "a6").clone();
    let done = |revision| Outcome::Done(Done { revision, ..Done::default() });
    let read = |read| Request::Read(super::sample::GAME, read);
    history
        .operations
        .push(Operation { returned: last.invoked + 1, ..operation(7, last.invoked, read(Read::Log), done(7)) });
    history.operations.push(operation(8, last.invoked + 2, read(Read::DryRun), done(6)));
    let judged = refused("FAILED_PRECONDITION", "NOT_ASKED", Some(6));
    history.operations.push(operation(9, last.invoked + 2, read(Read::DryRun), judged));
    assert_clean(&history);
    // The same client must not see less.
    history.operations.push(operation(7, last.invoked + 2, read(Read::DryRun), done(6)));
    assert_eq!(check(&history).counts.keys().copied().collect::<Vec<_>>(), [crate::Kind::ReadWentBack]);
}
