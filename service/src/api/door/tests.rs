//! What calls hold before they begin, and for how long.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
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
pub(super) struct Arriving(Arc<Mutex<VecDeque<Bytes>>>);

impl Arriving {
    pub(super) fn push(&self, data: impl Into<Bytes>) {
        self.0.lock().unwrap().push_back(data.into());
    }
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.0.lock().unwrap().pop_front() {
            Some(data) => Poll::Ready(Some(Ok(Frame::data(data)))),
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
    assert!((6_000..7_000).contains(&held), "{held}");
    // As many as one connection may hold, and no more.
    let rest = peer.requests.take((16 << 20) - held);
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
