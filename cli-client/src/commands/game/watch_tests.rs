//! The cursor, the retries and the sentences of a watch.

use divelog_proto::v1::{Game, GameStatus, Heartbeat, WatchEnd};

use super::*;
use crate::{
    output::{Paint, Screen},
    status::Refused,
};

fn response(message: Message) -> WatchGameResponse {
    WatchGameResponse { message: Some(message) }
}

fn update(revision: u64) -> WatchGameResponse {
    response(Message::Update(Update { revision, ..Default::default() }))
}

fn snapshot(revision: u64) -> WatchGameResponse {
    let game = Game { revision, ..Default::default() };
    response(Message::Snapshot(Snapshot { game: Some(game), view: None }))
}

fn end(revision: u64, cause: Cause) -> WatchGameResponse {
    response(Message::End(WatchEnd { revision, cause: cause.into() }))
}

#[test]
fn each_revision_is_shown_once_and_in_order() {
    let mut cursor = Cursor::new(None);
    assert!(!cursor.has_begun());
    assert!(matches!(cursor.accept(&snapshot(4)), Ok(Step::Show)));
    assert!(matches!(cursor.accept(&update(5)), Ok(Step::Show)));
    assert!(matches!(cursor.accept(&update(5)), Ok(Step::Skip)), "a repeat");
    assert!(matches!(cursor.accept(&snapshot(5)), Ok(Step::Skip)), "a snapshot of what is known");
    assert!(matches!(cursor.accept(&update(6)), Ok(Step::Show)));
    assert_eq!(cursor.last, Some(6));
    assert!(cursor.accept(&update(8)).is_err(), "a gap");
}

#[test]
fn a_watch_from_the_start_begins_at_one() {
    let mut cursor = Cursor::new(Some(0));
    assert!(cursor.accept(&update(2)).is_err(), "a gap");
    assert!(matches!(cursor.accept(&update(1)), Ok(Step::Show)));
}

#[test]
fn a_sign_of_life_reveals_what_was_lost() {
    let mut cursor = Cursor::new(Some(3));
    let heartbeat = |revision| response(Message::Heartbeat(Heartbeat { revision }));
    assert!(matches!(cursor.accept(&heartbeat(3)), Ok(Step::Skip)));
    assert!(cursor.take_progress());
    assert!(!cursor.take_progress());
    assert!(cursor.accept(&heartbeat(4)).is_err());
}

#[test]
fn ends_are_told_apart() {
    let mut cursor = Cursor::new(Some(3));
    assert!(matches!(cursor.accept(&end(3, Cause::Shutdown)), Ok(Step::Ended(Ended::Shutdown))));
    assert!(matches!(cursor.accept(&end(3, Cause::GameOver)), Ok(Step::Ended(Ended::Over))));
    assert!(cursor.accept(&end(4, Cause::GameOver)).is_err(), "the last revision is missing");
}

#[test]
fn only_broken_machinery_is_worth_a_retry() {
    let status = |code| CliError::Status(Box::new(Refused::new(code, "")));
    assert!(worth_a_retry(&status(Code::Unavailable)));
    assert!(worth_a_retry(&status(Code::Unknown)));
    assert!(worth_a_retry(&CliError::Timeout { server: String::new(), seconds: 1 }));
    for code in [Code::NotFound, Code::PermissionDenied, Code::InvalidArgument, Code::DataLoss] {
        assert!(!worth_a_retry(&status(code)), "{code:?}");
    }
    assert!(!worth_a_retry(&gap(1, 3)));
}

#[test]
fn waits_double_up_to_a_limit() {
    let waits: Vec<u128> = [1, 2, 3, 6, 7, u32::MAX].map(|n| backoff(n).as_millis()).to_vec();
    assert_eq!(waits, [250, 500, 1_000, 8_000, 8_000, 8_000]);
}

#[test]
fn updates_are_sentences_with_their_revision() {
    let watch = Watch {
        game_id: "g".into(),
        viewer: Viewer::default(),
        views: false,
        seating: Seating::default(),
        cursor: Cursor::new(None),
    };
    let screen = Screen { width: 80, paint: Paint::PLAIN };
    let mut update = Update { revision: 7, status: GameStatus::Abandoned.into(), ..Default::default() };
    assert_eq!(watch.update(&update, screen), "[7] The game is abandoned.");
    update.status = GameStatus::Running.into();
    assert_eq!(watch.update(&update, screen), "[7] (nothing to see)");
}
