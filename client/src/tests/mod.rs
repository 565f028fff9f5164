//! Calls to a server that answers by script: what is made again, and what is not.

mod test_server;

use std::{collections::HashMap, net::SocketAddr, time::Duration};

use backon::ExponentialBuilder;
use divelog_proto::v1::*;
use prost::Message;
use prost_types::Any;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
};
use tonic::{Code, Status};
use tonic_types::pb as google;

use crate::{CallError, Connection, Endpoint, ErrorDetails};
use test_server::{Answer, ReceivedCall, TestServer};

/// A deadline that no test reaches.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A status with details.
pub fn detailed(code: Code, message: &str, details: Vec<Any>) -> Status {
    let whole = google::Status { code: code.into(), message: message.into(), details };
    Status::with_details(code, message, whole.encode_to_vec().into())
}

/// A reason with metadata, as a detail.
pub fn error_info(reason: &str, metadata: &[(&str, &str)]) -> Any {
    let metadata: HashMap<_, _> = metadata.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let info = google::ErrorInfo { reason: reason.into(), domain: "divelog".into(), metadata };
    Any { type_url: "type.googleapis.com/google.rpc.ErrorInfo".into(), value: info.encode_to_vec() }
}

/// A time to wait, as a detail.
pub fn retry_info(delay: Duration) -> Any {
    let info = google::RetryInfo { retry_delay: Some(delay.try_into().unwrap()) };
    Any { type_url: "type.googleapis.com/google.rpc.RetryInfo".into(), value: info.encode_to_vec() }
}

/// An error that asks for another try later.
fn later(code: Code, reason: &str, delay: Duration) -> Answer {
    Answer::Error(detailed(code, "later", vec![error_info(reason, &[]), retry_info(delay)]))
}

fn busy() -> Answer {
    later(Code::ResourceExhausted, "BUSY", Duration::from_millis(1))
}

async fn open(server: &TestServer, timeout: Duration) -> Connection {
    let quick = ExponentialBuilder::new().with_min_delay(Duration::from_millis(1)).with_max_times(3);
    Connection::open(&server.address.into(), timeout).await.unwrap().with_backoff(quick)
}

/// The outcome of a call, and the calls that the server received.
async fn outcome_of<T>(
    answers: impl IntoIterator<Item = Answer>,
    timeout: Duration,
    call: impl AsyncFnOnce(Connection) -> Result<T, CallError>,
) -> (Result<T, Box<ErrorDetails>>, Vec<ReceivedCall>) {
    let mut server = TestServer::start(answers).await;
    let result = call(open(&server, timeout).await).await.map_err(|error| match error {
        CallError::Status(details) => details,
        other => panic!("{other}"),
    });
    (result, server.all_received())
}

fn get(method: &'static str) -> ReceivedCall {
    ReceivedCall { method, request_id: String::new(), has_deadline: true }
}

#[tokio::test]
async fn a_read_is_repeated_until_it_is_answered() {
    let answers = [later(Code::Unavailable, "SHUTTING_DOWN", Duration::from_millis(1)), busy(), Answer::Empty];
    let (result, received) =
        outcome_of(answers, TIMEOUT, async |server| server.call(GetGameRequest::default()).await).await;
    assert_eq!(result, Ok(GetGameResponse::default()));
    assert_eq!(received, [get("GetGame"), get("GetGame"), get("GetGame")]);
}

#[tokio::test]
async fn a_write_is_repeated_under_its_id_and_never_without_one() {
    let submit = |id: &str| SubmitActionRequest { request_id: id.into(), ..Default::default() };
    let (result, received) =
        outcome_of([busy(), Answer::Empty], TIMEOUT, async |server| server.call(submit("once")).await).await;
    assert!(result.is_ok());
    assert_eq!(received, vec![ReceivedCall { request_id: "once".into(), ..get("SubmitAction") }; 2]);

    let (result, received) = outcome_of([busy()], TIMEOUT, async |server| server.call(submit("")).await).await;
    assert_eq!(result.unwrap_err().reason.as_deref(), Some("BUSY"));
    assert_eq!(received, [get("SubmitAction")]);
    let (_, received) = outcome_of([busy()], TIMEOUT, async |server| server.call(PrepareGameRequest {}).await).await;
    assert_eq!(received, [get("PrepareGame")]);
}

#[tokio::test]
async fn a_permanent_error_is_reported_at_once() {
    let errors = [
        Status::not_found("no game"),
        detailed(Code::Unavailable, "failed", vec![error_info("STORE_FAILED", &[])]),
        detailed(Code::Aborted, "stale", vec![error_info("STALE_REVISION", &[])]),
        Status::internal("no"),
    ];
    for status in errors {
        let expected = ErrorDetails::of(&status);
        let answers = [Answer::Error(status)];
        let (result, received) =
            outcome_of(answers, TIMEOUT, async |server| server.call(GetGameRequest::default()).await).await;
        assert_eq!((*result.unwrap_err(), received.len()), (expected, 1));
    }
}

#[tokio::test]
async fn the_tries_come_to_an_end() {
    let answers = [busy(), busy(), busy(), busy()];
    let (result, received) =
        outcome_of(answers, TIMEOUT, async |server| server.call(GetGameRequest::default()).await).await;
    assert_eq!(result.unwrap_err().code, Code::ResourceExhausted);
    assert_eq!(received.len(), 4, "one and three more");
}

#[tokio::test]
async fn nobody_waits_longer_than_the_caller_has() {
    let answers = [later(Code::Unavailable, "SHUTTING_DOWN", 2 * TIMEOUT)];
    let (result, received) =
        outcome_of(answers, TIMEOUT, async |server| server.call(GetGameRequest::default()).await).await;
    let error = result.unwrap_err();
    assert_eq!((error.reason.as_deref(), error.retry_delay), (Some("SHUTTING_DOWN"), Some(2 * TIMEOUT)));
    assert_eq!(received.len(), 1);
}

#[tokio::test]
async fn a_call_without_an_answer_ends() {
    let mut server = TestServer::start([Answer::Silence]).await;
    let connection = open(&server, Duration::from_millis(50)).await;
    let error = connection.call(GetGameRequest::default()).await.unwrap_err();
    // Whichever clock is first: the server's, the transport's, or this crate's own a little later.
    match error {
        CallError::Status(details) => {
            assert!(matches!(details.code, Code::Cancelled | Code::DeadlineExceeded), "{details:?}");
        }
        CallError::NoAnswer { waited, .. } => assert!(waited >= Duration::from_millis(50)),
        other => panic!("{other}"),
    }
    // On a busy machine the time may be over before the server hears of the call.
    assert!(server.all_received().len() < 2, "the time is over: there is no second try");
}

#[tokio::test]
async fn a_stream_is_opened_again_but_has_no_deadline() {
    let call = async |server: Connection| {
        let mut stream = server.open_stream(WatchGameRequest::default()).await?;
        server.next(&mut stream).await
    };
    let (result, received) = outcome_of([busy(), Answer::Empty], TIMEOUT, call).await;
    assert_eq!(result, Ok(None));
    assert_eq!(received, vec![ReceivedCall { has_deadline: false, ..get("WatchGame") }; 2]);
}

/// Passes bytes on until its task is dropped.
async fn relay(listener: &TcpListener, server: SocketAddr) {
    let (mut near, _) = listener.accept().await.unwrap();
    let mut far = TcpStream::connect(server).await.unwrap();
    // However it ends, both connections end with it.
    drop(tokio::io::copy_bidirectional(&mut near, &mut far).await);
}

#[tokio::test]
async fn a_read_survives_a_connection_that_breaks_and_a_write_without_an_id_does_not() {
    let mut server = TestServer::start([Answer::Silence, Answer::Empty, Answer::Silence]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = Endpoint::from(listener.local_addr().unwrap());
    let (breaks, mut broken) = mpsc::channel::<()>(1);
    let address = server.address;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = relay(&listener, address) => {}
                _ = broken.recv() => {}
            }
        }
    });
    let connection = Connection::open(&endpoint, TIMEOUT).await.unwrap();

    let read = tokio::spawn({
        let connection = connection.clone();
        async move { connection.call(GetGameRequest::default()).await }
    });
    assert_eq!(server.received.recv().await, Some(get("GetGame")));
    breaks.send(()).await.unwrap();
    assert_eq!(read.await.unwrap(), Ok(GetGameResponse::default()));
    assert_eq!(server.received.recv().await, Some(get("GetGame")));

    let write = tokio::spawn(async move { connection.call(SubmitActionRequest::default()).await });
    assert_eq!(server.received.recv().await, Some(get("SubmitAction")));
    breaks.send(()).await.unwrap();
    let Err(CallError::Status(error)) = write.await.unwrap() else { panic!("the connection broke") };
    assert!(error.from_transport && error.reason.is_none(), "{error:?}");
    assert_eq!(server.all_received(), []);
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = Endpoint::from(listener.local_addr().unwrap());
    drop(listener);
    let error = Connection::open(&endpoint, TIMEOUT).await.unwrap_err();
    assert!(matches!(&error, CallError::Unreachable { server, .. } if *server == endpoint.to_string()), "{error:?}");
    assert!(error.to_string().contains("refused"), "{error}");
}
