//! What calls hold before they begin, and for how long.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body::Frame;
use tonic::body::Body;

use super::methods::method;
use super::request::Reading;
use super::*;
use crate::transport::Budgets;

/// The body of a request: more of it comes as long as a test holds it.
#[derive(Clone, Default)]
pub(super) struct Arriving(Arc<Mutex<Arrived>>);

#[derive(Default)]
struct Arrived {
    data: VecDeque<Bytes>,
    is_all: bool,
}

impl Arriving {
    pub(super) fn push(&self, data: impl Into<Bytes>) {
        self.0.lock().unwrap().data.push_back(data.into());
    }

    /// Nothing more comes.
    fn end(&self) {
        self.0.lock().unwrap().is_all = true;
    }
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut arrived = self.0.lock().unwrap();
        match arrived.data.pop_front() {
            Some(data) => Poll::Ready(Some(Ok(Frame::data(data)))),
            None if arrived.is_all => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

fn before(path: &str, body: Body, peer: &Peer) -> Before<()> {
    let (head, body) = Request::builder().uri(path).body(body).unwrap().into_parts();
    let body = Coming::One(Reading::new(body, Some(peer.clone())));
    Before { services: (), head, body, place: None, deadline: None }
}

fn poll(before: &mut Before<()>, peer: &Peer) -> Poll<Result<Option<Held>, Error>> {
    let method = method(before.head.uri.path());
    before.poll(method, Some(peer), &mut Context::from_waker(Waker::noop()))
}

/// All that a connection may hold of answers.
fn all_answers(peer: &Peer) -> Held {
    peer.answers.take(8 << 20)
}

#[tokio::test]
async fn a_call_that_waits_for_room_is_told_to_come_again() {
    let peer = Budgets::new().connection(None);
    let unread = all_answers(&peer);
    let path = "/divelog.v1.GameService/GetGame";
    let mut call = before(path, Body::empty(), &peer);
    assert!(poll(&mut call, &peer).is_pending());
    assert!(peer.requests.held() > 0);
    assert!(call.deadline.is_some(), "it ends");
    call.deadline = Some(Box::pin(tokio::time::sleep(Duration::ZERO)));
    let end = poll_fn(|context| call.poll(method(path), Some(&peer), context)).await;
    assert!(matches!(end, Err(Error::Busy(_))), "{end:?}");
    drop(call);
    assert_eq!(peer.requests.held(), 0);
    drop(unread);
    assert!(matches!(poll(&mut before(path, Body::empty(), &peer), &peer), Poll::Ready(Ok(Some(_)))));
}

#[tokio::test]
async fn a_call_of_which_only_the_head_has_come_is_counted() {
    let peer = Budgets::new().connection(None);
    let arriving = Arriving::default();
    let mut call = before("/divelog.v1.GameService/GetGame", Body::new(arriving.clone()), &peer);
    call.head.headers.insert("x-large", http::HeaderValue::from_str(&"a".repeat(5_000)).unwrap());
    for _ in 0..2 {
        assert!(poll(&mut call, &peer).is_pending());
    }
    let held = peer.requests.held();
    assert!((8_000..9_000).contains(&held), "{held}");
    // As many as one connection may hold, and no more.
    let rest = peer.requests.take((32 << 20) - held);
    let mut late = before("/divelog.v1.GameService/GetGame", Body::new(arriving), &peer);
    assert!(poll(&mut late, &peer).is_pending(), "what is on its way is read first");
    assert!(matches!(poll(&mut late, &peer), Poll::Ready(Err(Error::Busy(_)))));
    drop((call, late, rest));
    assert_eq!(peer.requests.held(), 0);
}

#[test]
fn watches_of_the_health_have_a_bound() {
    let budgets = Budgets::new();
    let path = "/grpc.health.v1.Health/Watch";
    let open = |peer: &Peer| match poll(&mut before(path, Body::empty(), peer), peer) {
        Poll::Ready(Ok(Some(place))) => Some(place),
        Poll::Ready(Err(Error::Busy(_))) => None,
        other => panic!("{other:?}"),
    };
    let peer = budgets.connection(None);
    let mut watches: Vec<_> = std::iter::from_fn(|| open(&peer)).take(100).collect();
    assert_eq!(watches.len(), 16);
    watches.pop();
    watches.extend(open(&peer));
    assert_eq!(watches.len(), 16);
    let others: Vec<_> = (0..200).map(|_| budgets.connection(None)).collect();
    let all: Vec<_> = others.iter().flat_map(|peer| std::iter::from_fn(|| open(peer)).take(100)).collect();
    // Beyond the one of each connection.
    assert_eq!(all.len() + watches.len(), 1_024 + others.len() + 1);
}

#[test]
fn two_bundles_are_made_at_a_time_on_a_connection() {
    let peer = Budgets::new().connection(None);
    let Answers::One(bytes) = method("/divelog.v1.AuditService/ExportBundle").answers else { panic!("one answer") };
    let made = [(); 2].map(|()| peer.answers.try_take(bytes).expect("room"));
    assert!(peer.answers.try_take(bytes).is_none());
    drop(made);
}

/// A service that counts the calls that it began and those that were given up; none of them ends.
#[derive(Clone, Default)]
struct Endless {
    begun: Arc<AtomicUsize>,
    given_up: Arc<AtomicUsize>,
}

/// A call that never ends.
struct UnderWay(Arc<AtomicUsize>);

impl Future for UnderWay {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Pending
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

impl Service<Request<RequestBody>> for Endless {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = UnderWay;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<RequestBody>) -> UnderWay {
        self.begun.fetch_add(1, SeqCst);
        UnderWay(Arc::clone(&self.given_up))
    }
}

impl Endless {
    fn counts(&self) -> (usize, usize) {
        (self.begun.load(SeqCst), self.given_up.load(SeqCst))
    }

    fn call(&self, timeout: &str, body: Body) -> EndlessCall {
        let request = Request::builder().uri("/divelog.v1.GameService/GetGame").header("grpc-timeout", timeout);
        Box::pin(Door { services: self.clone() }.call(request.body(body).unwrap()))
    }
}

type EndlessCall = Pin<Box<Answering<Endless>>>;

/// How a call ended, if it has.
fn ended(call: &mut EndlessCall) -> Option<(Code, String)> {
    match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(response) => Some(code_and_sentence(response)),
        Poll::Pending => None,
    }
}

fn code_and_sentence(response: Result<Response<Answer<Body>>, Infallible>) -> (Code, String) {
    let status = Status::from_header_map(response.unwrap().headers()).expect("no call of these is done");
    (status.code(), status.message().to_owned())
}

/// The call's time is over now, whatever the clock says.
fn run_out(call: &mut EndlessCall) {
    *call.as_mut().project().deadline = Deadline::over();
}

#[tokio::test]
async fn a_call_whose_time_is_over_is_not_begun() {
    let services = Endless::default();
    let (code, sentence) = ended(&mut services.call("0S", Body::empty())).expect("it ends at once");
    assert_eq!(code, Code::DeadlineExceeded);
    assert!(sentence.contains("before it began"), "{sentence}");

    // Nor one whose time was over when the rest of its request came.
    let arriving = Arriving::default();
    let mut call = services.call("1H", Body::new(arriving.clone()));
    assert_eq!(ended(&mut call), None);
    run_out(&mut call);
    arriving.push(&[0, 0, 0, 0, 0][..]);
    arriving.end();
    let (code, sentence) = ended(&mut call).expect("it ends");
    assert_eq!(code, Code::DeadlineExceeded);
    assert!(sentence.contains("nothing was done"), "{sentence}");
    assert_eq!(services.counts(), (0, 0));

    // With time left either is.
    let arriving = Arriving::default();
    let mut call = services.call("1H", Body::new(arriving.clone()));
    assert_eq!(ended(&mut call), None);
    arriving.push(&[0, 0, 0, 0, 0][..]);
    arriving.end();
    assert_eq!(ended(&mut call), None);
    assert_eq!(ended(&mut services.call("1H", Body::empty())), None);
    assert_eq!(services.begun.load(SeqCst), 2);
}

#[tokio::test]
async fn a_call_that_is_under_way_when_its_time_is_over_is_given_up() {
    let services = Endless::default();
    let mut call = services.call("1H", Body::empty());
    assert_eq!(ended(&mut call), None);
    assert_eq!(services.counts(), (1, 0));
    run_out(&mut call);
    // A timer is woken, not asked.
    let (code, sentence) = code_and_sentence(poll_fn(|context| call.as_mut().poll(context)).await);
    assert_eq!(code, Code::DeadlineExceeded);
    assert!(sentence.contains("may or may not have been done"), "{sentence}");
    assert_eq!(services.counts(), (1, 1));
}
