//! The cursor, the retries and the sentences of a watch.

use divelog_client::ErrorDetails;
use divelog_proto::v1::{Game, GameStatus, Heartbeat, WatchEnd};

use tonic::Status;

use super::*;
use crate::{
    args::{Format, GameArg, ViewerArg},
    errors::Exit,
    output::{Screen, capture},
    test_server::{Script, TestServer},
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
    assert!(matches!(cursor.accept(&snapshot(4)), Ok(Reaction::Show)));
    assert!(matches!(cursor.accept(&update(5)), Ok(Reaction::Show)));
    assert!(matches!(cursor.accept(&update(5)), Ok(Reaction::Skip)), "a repeat");
    assert!(matches!(cursor.accept(&snapshot(5)), Ok(Reaction::Skip)), "a snapshot of what is known");
    assert!(matches!(cursor.accept(&update(6)), Ok(Reaction::Show)));
    assert_eq!(cursor.last, Some(Revision::new(6)));
    assert!(cursor.accept(&update(8)).is_err(), "a gap");
}

#[test]
fn a_watch_from_the_start_begins_at_one() {
    let mut cursor = Cursor::new(Some(0));
    assert!(cursor.accept(&update(2)).is_err(), "a gap");
    assert!(matches!(cursor.accept(&update(1)), Ok(Reaction::Show)));
}

#[test]
fn a_heartbeat_reveals_what_was_lost() {
    let mut cursor = Cursor::new(Some(3));
    let heartbeat = |revision| response(Message::Heartbeat(Heartbeat { revision }));
    assert!(matches!(cursor.accept(&heartbeat(3)), Ok(Reaction::Skip)));
    assert!(cursor.take_progress());
    assert!(!cursor.take_progress());
    assert!(cursor.accept(&heartbeat(4)).is_err());
}

#[test]
fn ends_are_told_apart() {
    let mut cursor = Cursor::new(Some(3));
    assert!(matches!(cursor.accept(&end(3, Cause::Shutdown)), Ok(Reaction::End(StreamEnd::Shutdown))));
    assert!(matches!(cursor.accept(&end(3, Cause::GameOver)), Ok(Reaction::End(StreamEnd::Over))));
    assert!(cursor.accept(&end(4, Cause::GameOver)).is_err(), "the last revision is missing");
}

#[test]
fn only_a_failing_server_or_connection_is_worth_a_retry() {
    let status = |code| CliError::Status(Box::new(ErrorDetails::new(code, "")));
    assert!(is_worth_a_retry(&status(Code::Unavailable)));
    assert!(is_worth_a_retry(&status(Code::Unknown)));
    assert!(is_worth_a_retry(&CliError::Timeout { server: String::new(), seconds: 1 }));
    for code in [Code::NotFound, Code::PermissionDenied, Code::InvalidArgument, Code::DataLoss] {
        assert!(!is_worth_a_retry(&status(code)), "{code:?}");
    }
    assert!(!is_worth_a_retry(&gap(Revision::BEGUN, Revision::new(3))));
}

#[test]
fn waits_double_up_to_a_limit() {
    let waits_ms: Vec<u128> = waits(false).map(|wait| wait.as_millis()).collect();
    assert_eq!(waits_ms, [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    assert!(waits(true).take(1_000).all(|wait| wait <= MAX_BACKOFF));
    assert_eq!(waits(true).nth(999), Some(MAX_BACKOFF), "without end, if asked for");
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
    let screen = Screen::plain(80);
    let mut update = Update { revision: 7, status: GameStatus::Abandoned.into(), ..Default::default() };
    assert_eq!(watch.update(&update, None, &[], screen, 80), "[7] The game is abandoned.");
    update.status = GameStatus::Running.into();
    assert_eq!(watch.update(&update, None, &[], screen, 80), "[7] (no visible events)");
}

fn watch_args(after: Option<u64>) -> WatchArgs {
    WatchArgs {
        game: GameArg { game: "0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e10".into() },
        viewer: ViewerArg { viewer: "spectator".into() },
        after,
        views: false,
        until_end: false,
    }
}

#[tokio::test]
async fn a_broken_watch_goes_on_where_it_was() {
    let watches = [
        vec![Ok(update(1)), Ok(update(2)), Err(Status::unavailable("gone"))],
        vec![Ok(update(2)), Ok(update(3)), Ok(end(3, Cause::Shutdown))],
        // Ends without a word.
        vec![Ok(update(4))],
        vec![Ok(end(4, Cause::GameOver))],
    ];
    let server = TestServer::start(Script { watches: watches.into(), ..Default::default() }).await;
    let (mut out, captured) = capture::output(Format::Jsonl);
    run(&server.global(), &watch_args(Some(0)), &mut out).await.unwrap();

    let lines: Vec<serde_json::Value> =
        captured.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let revisions: Vec<u64> = lines.iter().filter_map(|line| line["update"]["revision"].as_u64()).collect();
    assert_eq!(revisions, [1, 2, 3, 4]);
    assert_eq!(lines.last().unwrap()["end"]["cause"], "CAUSE_GAME_OVER");
    assert_eq!(server.script.lock().unwrap().watched_after, [Some(0), Some(2), Some(3), Some(4)]);
}

#[tokio::test]
async fn a_watch_that_is_refused_is_not_repeated() {
    let server = TestServer::start(Script::default()).await;
    let (mut out, _) = capture::output(Format::Jsonl);
    let error = run(&server.global(), &watch_args(None), &mut out).await.unwrap_err();
    assert_eq!(error.exit(), Exit::Refused);
    assert_eq!(server.script.lock().unwrap().watched_after, [None]);
}

#[tokio::test]
async fn a_player_whose_turn_it_is_sees_what_can_be_typed() {
    use divelog_proto::{
        games::deep_sea_adventure::v1 as dsa,
        v1::{GameView, LegalAction, ListLegalActionsResponse, game_view, legal_action},
    };
    let dive = dsa::Action { action: Some(dsa::action::Action::Dive(dsa::Dive { turn_back: false })) };
    let dive = legal_action::LegalAction::DeepSeaAdventure(dsa::LegalAction { action: Some(dive) });
    let legal = ListLegalActionsResponse {
        legal_actions: vec![LegalAction { legal_action: Some(dive) }],
        revision: 2,
        to_act: vec![1],
    };
    let seen = |revision, seat| {
        let view = Some(GameView { view: Some(game_view::View::DeepSeaAdventure(Default::default())) });
        let status = GameStatus::Running.into();
        Ok(response(Message::Update(Update { revision, status, to_act: vec![seat], view, ..Default::default() })))
    };
    // Revision 1 asks the other seat; at revision 3 the server's list is of another revision.
    let watches = [vec![seen(1, 0), seen(2, 1), seen(3, 1), Ok(end(3, Cause::GameOver))]];
    let script = Script { watches: watches.into(), legal: Some(Ok(legal)), ..Default::default() };
    let server = TestServer::start(script).await;
    let (mut out, captured) = capture::output(Format::Table);
    let viewer = ViewerArg { viewer: "seat:1".into() };
    run(&server.global(), &WatchArgs { viewer, views: true, ..watch_args(Some(0)) }, &mut out).await.unwrap();
    let text = captured.text();
    assert_eq!(text.matches("can type:\n  dive\n").count(), 1, "{text}");
    assert!(text.find("[2]") < text.find("can type") && text.find("can type") < text.find("[3]"), "{text}");
    assert_eq!(server.script.lock().unwrap().legal_asked, [1, 1]);
}
