//! A server that lies: it passes calls on to a real one and changes some of the answers. Whatever becomes of standard output,
//! the exit code of a verification says what it has found.

use std::convert::Infallible;
use std::fs::File;
use std::marker::PhantomData;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use divelog_proto::v1 as pb;
use divelog_proto::v1::audit_service_server::AuditServiceServer;
use divelog_proto::v1::game_service_server::GameServiceServer;
use divelog_proto::v1::transparency_service_server::TransparencyServiceServer;
use divelog_tests::{Server, closed_pipe, full_disk};
use http::uri::PathAndQuery;
use prost::Message;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::server::{NamedService, ServerStreamingService};
use tonic::transport::Channel;
use tonic::{Request, Response, Status};

use super::outcomes::with_stdout;
use super::{json, ok};
use crate::raw_codec::RawCodec;

/// Changes a message of an answer: by the method's name and the message's place in the answer.
type Lie = dyn Fn(&str, usize, Bytes) -> Bytes + Send + Sync;
type Waiting<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Passes the calls of one service on.
struct Proxy<S> {
    to: Channel,
    lie: Arc<Lie>,
    service: PhantomData<fn() -> S>,
}

impl<S> Clone for Proxy<S> {
    fn clone(&self) -> Proxy<S> {
        Proxy { to: self.to.clone(), lie: Arc::clone(&self.lie), service: PhantomData }
    }
}

impl<S: NamedService> NamedService for Proxy<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<http::Request<Body>> for Proxy<S> {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Waiting<Result<http::Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let path = request.uri().path_and_query().expect("a path").clone();
        let call = PassedOn { to: self.to.clone(), lie: Arc::clone(&self.lie), path };
        // A single answer looks like a stream of one.
        Box::pin(async move { Ok(tonic::server::Grpc::new(RawCodec).server_streaming(call, request).await) })
    }
}

struct PassedOn {
    to: Channel,
    lie: Arc<Lie>,
    path: PathAndQuery,
}

impl ServerStreamingService<Bytes> for PassedOn {
    type Response = Bytes;
    type ResponseStream = tokio_stream::Iter<std::vec::IntoIter<Result<Bytes, Status>>>;
    type Future = Waiting<Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let (mut to, lie, path) = (tonic::client::Grpc::new(self.to.clone()), Arc::clone(&self.lie), self.path.clone());
        Box::pin(async move {
            to.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
            let mut answer = to.server_streaming(request, path.clone(), RawCodec).await?.into_inner();
            let mut messages = Vec::new();
            while let Some(message) = answer.next().await {
                let method = path.path().rsplit('/').next().unwrap_or_default();
                let place = messages.len();
                messages.push(message.map(|message| lie(method, place, message)));
            }
            Ok(Response::new(tokio_stream::iter(messages)))
        })
    }
}

/// A proxy before a server, for as long as the value lives.
struct Liar {
    url: String,
    _runtime: Runtime,
}

fn liar(server: &Server, lie: impl Fn(&str, usize, Bytes) -> Bytes + Send + Sync + 'static) -> Liar {
    let runtime = Runtime::new().unwrap();
    let lie: Arc<Lie> = Arc::new(lie);
    let (listener, to) =
        runtime.block_on(async { (TcpListener::bind("127.0.0.1:0").await.unwrap(), server.channel().await) });
    let url = format!("http://{}", listener.local_addr().unwrap());
    fn proxy<S>(to: &Channel, lie: &Arc<Lie>) -> Proxy<S> {
        Proxy { to: to.clone(), lie: Arc::clone(lie), service: PhantomData }
    }
    let services = tonic::transport::Server::builder()
        .add_service(proxy::<GameServiceServer<()>>(&to, &lie))
        .add_service(proxy::<AuditServiceServer<()>>(&to, &lie))
        .add_service(proxy::<TransparencyServiceServer<()>>(&to, &lie));
    runtime.spawn(services.serve_with_incoming(TcpListenerStream::new(listener)));
    Liar { url, _runtime: runtime }
}

/// A message with one change.
fn changed<M: Message + Default>(message: &Bytes, change: impl FnOnce(&mut M)) -> Bytes {
    let mut read = M::decode(message.clone()).unwrap();
    change(&mut read);
    read.encode_to_vec().into()
}

fn flipped(bytes: &Bytes) -> Bytes {
    let mut bytes = bytes.to_vec();
    *bytes.last_mut().unwrap() ^= 1;
    bytes.into()
}

/// A record with another byte, under the hash that it has then.
fn forged(message: &Bytes) -> Bytes {
    changed(message, |read: &mut pb::ReadLogResponse| {
        let Some(pb::read_log_response::Message::Record(stored)) = &mut read.message else { panic!("{read:?}") };
        stored.record = flipped(&stored.record);
        stored.hash = divelog_ledger::hash_record(&stored.record).to_vec().into();
    })
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Each line finds what the lie is about, with a standard output that nobody reads, that is full, and that is read.
#[track_caller]
fn assert_found(liar: &Liar, line: &str, folder: &std::path::Path) {
    for format in ["table", "json", "jsonl"] {
        let line = format!("{line} -o {format}");
        let file = folder.join("stdout");
        let outputs: [(&str, Stdio); 3] =
            [("closed", closed_pipe()), ("full", full_disk()), ("a file", File::create(&file).unwrap().into())];
        for (what, stdout) in outputs {
            let output = with_stdout(&liar.url, &words(&line), stdout);
            assert_eq!(output.code, 4, "{line} with a standard output that is {what}: {output:?}");
            let unwritten = output.stderr.contains("cannot write to standard output");
            assert_eq!(
                output.stderr.matches("No space left").count(),
                usize::from(unwritten),
                "once: {line}: {output:?}"
            );
        }
    }
}

#[test]
fn what_a_lying_server_shows_is_found_whatever_becomes_of_the_output() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = ok(&server, "game create deep_sea_adventure --players 2 -q").trim().to_owned();
    for words in ["dive", "leave", "dive", "leave"] {
        let seat = &json(&server, &format!("game show {game}"))["game"]["to_act"][0];
        ok(&server, &format!("game act {game} --seat {seat} {words}"));
    }
    let kept = dir.path().join("kept");
    ok(&server, &format!("log checkpoint --seal --save {}", kept.display()));
    ok(&server, "game create deep_sea_adventure --players 2");
    ok(&server, "log checkpoint --seal");

    // The header comes before record 0.
    let first_record = liar(&server, |method, place, message| match (method, place) {
        ("ReadLog", 1) => forged(&message),
        _ => message,
    });
    assert_found(&first_record, &format!("log prove {game}"), dir.path());
    let later_record = liar(&server, |method, place, message| match (method, place) {
        ("ReadLog", 4) => forged(&message),
        _ => message,
    });
    assert_found(&later_record, &format!("log verify {game}"), dir.path());
    assert_found(&later_record, "log verify --all", dir.path());
    let other_key = liar(&server, |method, _, message| match method {
        "OpenDraw" => changed(&message, |read: &mut pb::OpenDrawResponse| {
            let draw = read.draw.as_mut().unwrap();
            draw.chance_key = flipped(&draw.chance_key);
        }),
        _ => message,
    });
    assert_found(&other_key, &format!("log open-draw {game} --record 2"), dir.path());
    let other_claims = liar(&server, |method, _, message| match method {
        "ExportBundle" => changed(&message, |read: &mut pb::ExportBundleResponse| {
            let claims = read.bundle.as_mut().unwrap().claims.as_mut().unwrap();
            claims.legal_digests.iter_mut().for_each(|digest| *digest = flipped(digest));
        }),
        _ => message,
    });
    assert_found(&other_claims, "log impact", dir.path());
    let other_history = liar(&server, |method, _, message| match method {
        "GetConsistencyProof" => changed(&message, |read: &mut pb::GetConsistencyProofResponse| {
            read.hashes.iter_mut().for_each(|hash| *hash = flipped(hash));
        }),
        _ => message,
    });
    assert_found(&other_history, &format!("log checkpoint --since {}", kept.display()), dir.path());
    let other_commitment = liar(&server, |method, _, message| match method {
        "CreateGame" => changed(&message, |read: &mut pb::CreateGameResponse| {
            let game = read.game.as_mut().unwrap();
            game.seed_commitment = flipped(&game.seed_commitment);
        }),
        _ => message,
    });
    // A creation is done once: each needs a promise of its own.
    for (what, stdout) in [("closed", closed_pipe()), ("full", full_disk())] {
        let promise = ok(&server, "game prepare -q").trim().to_owned();
        let line = format!("game create deep_sea_adventure --players 2 --prepared {promise}");
        let output = with_stdout(&other_commitment.url, &words(&line), stdout);
        assert!(output.code == 4 && output.stderr.contains("broke its promise"), "{what}: {output:?}");
    }
    server.stop();
}
