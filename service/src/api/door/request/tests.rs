use std::sync::Arc;

use super::super::tests::Arriving;
use super::incoming::drop_late;
use super::messages::{Messages, SMALL_OF_STREAM};
use super::*;
use crate::lock::lock;
use crate::server::MAX_REQUEST_BYTES;
use crate::transport::Budgets;

#[tokio::test]
async fn a_large_message_of_a_stream_has_one_deadline_however_it_comes() {
    let peer = Budgets::new().connection(None);
    let call = Call::new(None, &http::Extensions::new());
    let arriving = Arriving::default();
    let mut body = RequestBody::stream(Body::new(arriving.clone()), &call, Some(&peer)).unwrap();
    let mut context = Context::from_waker(std::task::Waker::noop());
    let mut begin = vec![0];
    begin.extend(100_000_u32.to_be_bytes());
    arriving.push(begin);
    assert!(body.poll_data(&mut context).is_pending(), "it is handed on when it is whole");
    assert_eq!(peer.requests.held(), 100_000);
    let waits = |body: &RequestBody| body.stream.as_ref().unwrap().large.is_some();
    arriving.push(vec![7]);
    assert!(body.poll_data(&mut context).is_pending());
    assert!(waits(&body), "the deadline is that of the message");
    arriving.push(vec![7; 99_999]);
    assert_eq!(length(body.poll_data(&mut context)), PREFIX_BYTES + 100_000);
    assert!(!waits(&body), "it is whole");
    assert_eq!(peer.requests.held(), 0);
    // The end of one and the beginning of the next in one piece.
    let mut two = vec![0];
    two.extend(70_000_u32.to_be_bytes());
    arriving.push(two.clone());
    assert!(body.poll_data(&mut context).is_pending());
    arriving.push([vec![7; 70_000], two].concat());
    assert_eq!(length(body.poll_data(&mut context)), PREFIX_BYTES + 70_000);
    assert_eq!(peer.requests.held(), 0, "another message has its own");
    assert!(body.poll_data(&mut context).is_pending() && waits(&body));
    assert_eq!(peer.requests.held(), 70_000);
}

fn length(polled: Poll<Option<Result<Frame<Bytes>, Status>>>) -> usize {
    let Poll::Ready(Some(Ok(frame))) = polled else { panic!("nothing is ready") };
    frame.into_data().unwrap().len()
}

/// A reader whose answers nobody takes does not ask for more requests.
#[tokio::test]
async fn a_large_message_that_does_not_come_is_dropped_also_if_nobody_asks_for_it() {
    let peer = Budgets::new().connection(None);
    let call = Call::new(None, &http::Extensions::new());
    let arriving = Arriving::default();
    let mut body = RequestBody::stream(Body::new(arriving.clone()), &call, Some(&peer)).unwrap();
    let mut context = Context::from_waker(std::task::Waker::noop());
    let mut begin = vec![0];
    begin.extend(100_000_u32.to_be_bytes());
    begin.resize(90_000, 7);
    arriving.push(begin);
    assert!(body.poll_data(&mut context).is_pending());
    assert_eq!(peer.requests.held(), 100_000);
    let large = body.stream.as_ref().unwrap().large.as_ref().unwrap();
    assert!(large.deadline.is_some());
    drop_late(Arc::clone(&large.part), Duration::ZERO).await;
    assert_eq!(peer.requests.held(), 0);
    assert_eq!(lock(&large.part).bytes.capacity(), 0, "its bytes are gone too");
    let Poll::Ready(Some(Err(status))) = body.poll_data(&mut context) else { panic!("no end") };
    assert_eq!(status.code(), tonic::Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_stream_is_handed_on_unchanged_however_it_is_cut() {
    let framed = |length: u32| {
        let mut bytes = vec![0];
        bytes.extend(length.to_be_bytes());
        bytes.resize(PREFIX_BYTES + length as usize, length as u8);
        bytes
    };
    let large = SMALL_OF_STREAM as u32 + 1;
    let lengths = [3, large, 0, large + 7, large + 9, SMALL_OF_STREAM as u32, 1];
    let bytes = lengths.map(framed).concat();
    for piece in [1_021, 4_096, 16_384, 70_000, bytes.len()] {
        let peer = Budgets::new().connection(None);
        let call = Call::new(None, &http::Extensions::new());
        let arriving = Arriving::default();
        let mut body = RequestBody::stream(Body::new(arriving.clone()), &call, Some(&peer)).unwrap();
        let mut context = Context::from_waker(std::task::Waker::noop());
        let mut read = Vec::new();
        for piece in bytes.chunks(piece) {
            arriving.push(piece.to_vec());
            while let Poll::Ready(Some(Ok(frame))) = body.poll_data(&mut context) {
                read.extend_from_slice(&frame.into_data().unwrap());
            }
        }
        assert!(read == bytes, "in pieces of {piece}");
        assert_eq!(peer.requests.held(), 0);
    }
}

#[test]
fn messages_are_followed_through_any_pieces() {
    let framed = |length: u32| {
        let mut bytes = vec![0];
        bytes.extend(length.to_be_bytes());
        bytes.resize(PREFIX_BYTES + length as usize, 7);
        bytes
    };
    let bytes = [framed(0), framed(3), framed(70_000), framed(1)].concat();
    for piece in [1, 4, 5, 6, 1_000, bytes.len()] {
        let mut messages = Messages::default();
        for (at, piece) in bytes.chunks(piece).enumerate().map(|(at, data)| (at * piece + data.len(), data)) {
            messages.pass(piece);
            // Behind the prefix of the third one, and before its end.
            let inside = (18..70_018).contains(&at);
            assert_eq!(messages.unfinished() == 70_000, inside, "{at}");
        }
        assert_eq!(messages.unfinished(), 0);
    }
    let mut messages = Messages::default();
    messages.pass(&[0, 0xff, 0xff, 0xff, 0xff]);
    assert_eq!(messages.unfinished(), MAX_REQUEST_BYTES, "no more is ever waited for");
}
