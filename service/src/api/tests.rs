//! The door alone, around services that do what a test says, and a handler without it.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io::Write;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use divelog_engine::{AnyOptions, deep_sea_adventure};
use divelog_ledger::{GameId, Revision, Sequence, convert};
use divelog_proto::v1 as pb;
use divelog_proto::v1::game_service_server::GameService;
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame};
use tokio::sync::watch;
use tonic::Code;
use tower_layer::Layer;
use tower_service::Service;
use tracing_subscriber::fmt::MakeWriter;

use super::call::Call;
use super::door::RequestBody;
use super::{Door, DoorLayer, GameHandlers};
use crate::session::{self, ActRequest, CreateRequest, Error, Games, Replay};
use crate::store;

/// Answers every call at once, by what a function makes of it.
#[derive(Clone)]
struct Answers(Answer);

type Answer = fn(&Call) -> Response<Frames>;

impl Service<Request<RequestBody>> for Answers {
    type Response = Response<Frames>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Frames>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        ready(Ok(self.0(request.extensions().get::<Call>().expect("the door puts it there"))))
    }
}

/// A body of frames that are there already.
struct Frames(VecDeque<Frame<Bytes>>);

impl Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(Ok))
    }
}

fn status(code: Code) -> HeaderMap {
    HeaderMap::from_iter([(http::HeaderName::from_static("grpc-status"), (code as i32).into())])
}

/// Two messages and an end.
fn stream(code: Code) -> Response<Frames> {
    let message = || Frame::data(Bytes::from_static(b"message"));
    Response::new(Frames([message(), message(), Frame::trailers(status(code))].into()))
}

/// An answer without messages.
fn refusal(code: Code) -> Response<Frames> {
    let mut response = Response::new(Frames(VecDeque::new()));
    response.headers_mut().extend(status(code));
    response
}

fn call(door: &mut Door<Answers>) -> impl Future<Output = Result<Response<super::door::Answer<Frames>>, Infallible>> {
    door.call(
        Request::builder().uri("http://host/divelog.v1.GameService/GetGame").body(tonic::body::Body::empty()).unwrap(),
    )
}

fn poll<F: Future>(future: F) -> F::Output {
    match Box::pin(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("nothing here waits"),
    }
}

/// Pulls a frame, if there is one.
fn pull(body: &mut (impl Body<Data = Bytes> + Unpin)) -> bool {
    let frame = Pin::new(body).poll_frame(&mut Context::from_waker(Waker::noop()));
    matches!(frame, Poll::Ready(Some(_)))
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Log;

    fn make_writer(&'a self) -> Log {
        self.clone()
    }
}

/// Runs something, and shows it what is logged meanwhile.
fn logged(level: tracing::Level, work: impl FnOnce(&Log)) {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_writer(log.clone()).finish();
    tracing::subscriber::with_default(subscriber, || work(&log));
}

#[test]
fn a_call_ends_with_its_last_message_and_says_what_it_was_about() {
    logged(tracing::Level::DEBUG, |log| {
        let mut door = DoorLayer.layer(Answers(|call| {
            call.set_game(GameId([7; 16]));
            call.set_revision(Revision::new(3));
            stream(Code::Ok)
        }));
        let mut body = poll(call(&mut door)).unwrap().into_body();
        assert!(pull(&mut body) && pull(&mut body));
        assert_eq!(log.text(), "", "two messages have come, and not the end");
        assert!(pull(&mut body) && !pull(&mut body));
        drop(body);
        let text = log.text();
        let game = format!("game_id={}", GameId([7; 16]));
        for part in ["method=\"GetGame\"", &game, "revision=3", "outcome=OK", "micros="] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(text.lines().count(), 1, "{text}");
    });
}

#[test]
fn the_outcome_is_found_wherever_it_stands() {
    let answers: [(Answer, &str); 3] = [
        (|_| stream(Code::Aborted), "outcome=Aborted"),
        (|_| refusal(Code::NotFound), "outcome=NotFound"),
        // Ends without a word.
        (|_| Response::new(Frames(VecDeque::new())), "outcome=Unknown"),
    ];
    for (answer, outcome) in answers {
        logged(tracing::Level::DEBUG, |log| {
            let mut body = poll(call(&mut DoorLayer.layer(Answers(answer)))).unwrap().into_body();
            while pull(&mut body) {}
            drop(body);
            let text = log.text();
            assert!(text.contains(outcome) && text.lines().count() == 1, "{outcome}: {text}");
        });
    }
}

#[test]
fn a_caller_who_goes_away_ends_the_call() {
    logged(tracing::Level::DEBUG, |log| {
        let mut door = DoorLayer.layer(Answers(|_| stream(Code::Ok)));
        drop(call(&mut door));
        assert!(log.text().contains("outcome=Cancelled"), "before the answer: {}", log.text());
        let mut body = poll(call(&mut door)).unwrap().into_body();
        assert!(pull(&mut body));
        drop(body);
        assert_eq!(log.text().matches("outcome=Cancelled").count(), 2, "in the middle of a stream: {}", log.text());
    });
}

#[test]
fn without_debug_only_faults_are_logged() {
    logged(tracing::Level::INFO, |log| {
        for answer in [|_: &Call| stream(Code::Ok), |_: &Call| refusal(Code::NotFound)] {
            let mut body = poll(call(&mut DoorLayer.layer(Answers(answer)))).unwrap().into_body();
            while pull(&mut body) {}
        }
        assert_eq!(log.text(), "");
        let mut door = DoorLayer.layer(Answers(|call| {
            call.set_game(GameId([7; 16]));
            let detail = "bits have flipped".to_owned();
            let damaged =
                Error::Damaged { game: GameId([7; 16]), sequence: Some(Sequence::new(5)), kind: None, detail };
            assert_eq!(call.fail(&damaged).code(), Code::DataLoss);
            stream(Code::DataLoss)
        }));
        // Whether or not somebody waits for it.
        drop(poll(call(&mut door)));
        let text = log.text();
        for part in ["ERROR", "GetGame", &GameId([7; 16]).to_string(), "record 5", "bits have flipped"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(text.lines().count(), 1, "{text}");
        drop(poll(call(&mut DoorLayer.layer(Answers(|_| refusal(Code::Internal))))));
        assert_eq!(log.text().matches("a call has failed").count(), 2, "one that no handler knows of: {}", log.text());
    });
}

/// Games in a folder.
pub(super) fn open(dir: &Path) -> Games {
    let store = store::Options {
        dir: dir.to_path_buf(),
        describe: session::describe,
        queue: 1_000,
        cache_bytes: 1 << 20,
        journal_bytes: 0,
        accept_loss: false,
    };
    Games::open_in_memory(&session::GamesOptions { store, cache_games: 10 }, &store::Disk::default()).unwrap()
}

/// A game with so many records, at most 40: no game is over so soon, whatever the dice show.
pub(super) async fn played(games: &Games, records: u64) -> GameId {
    let (id, played) = played_by(games, 3, records).await;
    assert_eq!(played, records);
    id
}

/// A game of so many seats with so many records, or fewer if it is over by then: their number.
pub(super) async fn played_by(games: &Games, seats: usize, records: u64) -> (GameId, u64) {
    let request = CreateRequest {
        options: AnyOptions::DeepSeaAdventure(deep_sea_adventure::Options),
        rules_version: None,
        players: vec![pb::Player::default(); seats],
        labels: BTreeMap::new(),
        request_id: String::new(),
        prepared: None,
    };
    let mut position = games.create(request).await.unwrap();
    let id = position.header().game_id;
    while position.revision().get() < records
        && let Some(seat) = position.to_act().iter().next()
    {
        let action = position.game().legal_actions(seat).first().expect("something can be done").nth(0);
        let request = ActRequest {
            seat: seat.0.into(),
            action: Some(convert::action_to_proto(&action)),
            expected_revision: None,
            request_id: String::new(),
            caller: None,
            copies: false,
        };
        games.act(id, request).await.unwrap();
        position = games.live(id).await.unwrap().durable();
    }
    (id, position.revision().get())
}

#[tokio::test]
async fn a_replay_goes_on_from_any_position() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = played(&games, 20).await;
    let stored = games.stored(id).await.unwrap();
    let mut whole = Replay::new(id, stored.clone()).unwrap();
    let mut positions = Vec::new();
    while let Some(step) = whole.next_step().unwrap() {
        positions.push(step.position);
    }
    assert_eq!(positions.len(), 20);
    for (at, position) in positions.iter().enumerate() {
        let mut rest = Replay::after(position.clone(), stored.clone());
        for expected in &positions[at + 1..] {
            let step = rest.next_step().unwrap().unwrap();
            assert_eq!(
                (step.position.revision(), step.position.head_hash()),
                (expected.revision(), expected.head_hash())
            );
        }
        assert!(rest.next_step().unwrap().is_none());
    }
    games.close();
}

#[tokio::test]
async fn a_handler_without_the_door_answers_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let (_drain, draining) = watch::channel(false);
    let handlers = GameHandlers::new(games.clone(), draining, 1);
    let kinds = handlers.list_game_kinds(tonic::Request::new(pb::ListGameKindsRequest {})).await.unwrap_err();
    let listed = handlers.list_games(tonic::Request::new(pb::ListGamesRequest::default())).await.unwrap_err();
    assert_eq!((kinds.code(), listed.code()), (Code::Internal, Code::Internal));
    games.close();
}
