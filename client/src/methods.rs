//! The one table of what can be called, and of what may be sent again when no answer came.
//!
//! What is not in the table cannot be sent by [`Connection::call`] and [`Connection::open_stream`], so nothing is repeated
//! that was not decided here. A stream of requests is not: `GameServiceClient::submit_actions` opens it, and whoever does
//! knows which requests were answered.

use std::future::Future;

use divelog_proto::v1::*;
use tonic::{Request, Response, Status, Streaming};

use crate::Connection;

/// Whether a request may be sent again when it is not known whether it was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// It only reads, or does the same thing again.
    Always,
    /// It writes; with a request id it is done once, however often it is sent.
    WithRequestId,
    /// It would be done twice.
    Never,
}

/// A line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Its request: the method's name and `Request`.
    pub request: &'static str,
    /// Whether its answer is a stream.
    pub streams: bool,
    /// When it may be sent again.
    pub repeat: Repeat,
}

/// A request with one answer.
pub trait Unary: Clone + Send + Sync {
    /// The answer.
    type Response: Send;
    /// Whether this very request may be sent again.
    fn may_repeat(&self) -> bool;
    /// Sends it once.
    fn send(
        connection: &Connection,
        request: Request<Self>,
    ) -> impl Future<Output = Result<Response<Self::Response>, Status>> + Send;
}

/// A request whose answer is a stream.
pub trait ServerStream: Clone + Send + Sync {
    /// One message of the answer.
    type Response: Send;
    /// Whether this very request may be sent again, as long as no message has come.
    fn may_repeat(&self) -> bool;
    /// Sends it once.
    fn send(
        connection: &Connection,
        request: Request<Self>,
    ) -> impl Future<Output = Result<Response<Streaming<Self::Response>>, Status>> + Send;
}

macro_rules! methods {
    (
        unary { $($service:ident.$method:ident($request:ident) -> $response:ident: $repeat:ident;)* }
        streams { $($s_service:ident.$s_method:ident($s_request:ident) -> $s_response:ident: $s_repeat:ident;)* }
    ) => {
        /// The table.
        pub const METHODS: &[Method] = &[
            $(Method { request: stringify!($request), streams: false, repeat: Repeat::$repeat },)*
            $(Method { request: stringify!($s_request), streams: true, repeat: Repeat::$s_repeat },)*
        ];
        $(
            impl Unary for $request {
                type Response = $response;
                fn may_repeat(&self) -> bool {
                    methods!(@may_repeat self $repeat)
                }
                async fn send(connection: &Connection, request: Request<Self>) -> Result<Response<$response>, Status> {
                    connection.$service().$method(request).await
                }
            }
        )*
        $(
            impl ServerStream for $s_request {
                type Response = $s_response;
                fn may_repeat(&self) -> bool {
                    methods!(@may_repeat self $s_repeat)
                }
                async fn send(
                    connection: &Connection,
                    request: Request<Self>,
                ) -> Result<Response<Streaming<$s_response>>, Status> {
                    connection.$s_service().$s_method(request).await
                }
            }
        )*
    };
    (@may_repeat $request:ident Always) => { true };
    (@may_repeat $request:ident WithRequestId) => { !$request.request_id.is_empty() };
    (@may_repeat $request:ident Never) => { false };
}

methods! {
    unary {
        games.list_game_kinds(ListGameKindsRequest) -> ListGameKindsResponse: Always;
        // Each call makes another promise.
        games.prepare_game(PrepareGameRequest) -> PrepareGameResponse: Never;
        games.create_game(CreateGameRequest) -> CreateGameResponse: WithRequestId;
        games.get_game(GetGameRequest) -> GetGameResponse: Always;
        games.list_games(ListGamesRequest) -> ListGamesResponse: Always;
        games.list_legal_actions(ListLegalActionsRequest) -> ListLegalActionsResponse: Always;
        games.submit_action(SubmitActionRequest) -> SubmitActionResponse: WithRequestId;
        games.abandon_game(AbandonGameRequest) -> AbandonGameResponse: WithRequestId;
        audit.verify_game(VerifyGameRequest) -> VerifyGameResponse: Always;
        audit.export_bundle(ExportBundleRequest) -> ExportBundleResponse: Always;
        audit.open_draw(OpenDrawRequest) -> OpenDrawResponse: Always;
        audit.list_refusals(ListRefusalsRequest) -> ListRefusalsResponse: Always;
        audit.fork_game(ForkGameRequest) -> ForkGameResponse: WithRequestId;
        // What it seals is sealed in a second anyway, and only once.
        transparency.get_checkpoint(GetCheckpointRequest) -> GetCheckpointResponse: Always;
        transparency.get_inclusion_proof(GetInclusionProofRequest) -> GetInclusionProofResponse: Always;
        transparency.get_consistency_proof(GetConsistencyProofRequest) -> GetConsistencyProofResponse: Always;
    }
    streams {
        games.watch_game(WatchGameRequest) -> WatchGameResponse: Always;
        audit.read_log(ReadLogRequest) -> ReadLogResponse: Always;
        audit.replay_game(ReplayGameRequest) -> ReplayGameResponse: Always;
        admin.backup(BackupRequest) -> BackupResponse: Always;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;
    use prost_types::FileDescriptorSet;

    /// The table and the protos: each method once, in its kind, and by request id exactly where there is one.
    #[test]
    fn the_table_is_what_the_protos_say() {
        let files = FileDescriptorSet::decode(divelog_proto::FILE_DESCRIPTOR_SET).unwrap().file;
        let files: Vec<_> = files.into_iter().filter(|file| file.package() == "divelog.v1").collect();
        let messages: Vec<_> = files.iter().flat_map(|file| &file.message_type).collect();
        let methods = files.iter().flat_map(|file| &file.service).flat_map(|service| &service.method);
        let mut rows = 0;
        for method in methods.filter(|method| !method.client_streaming()) {
            let name = method.input_type().rsplit('.').next().unwrap();
            let found: Vec<_> = METHODS.iter().filter(|row| row.request == name).collect();
            let [row] = found[..] else { panic!("{name} stands in the table {} times", found.len()) };
            assert_eq!(row.streams, method.server_streaming(), "{name}");
            let message = messages.iter().find(|message| message.name() == name).unwrap();
            let has_id = message.field.iter().any(|field| field.name() == "request_id");
            assert_eq!(row.repeat == Repeat::WithRequestId, has_id, "{name}");
            // As AIP-131 and its like ask, a method that only reads has such a verb. The others were reviewed one by one.
            let reads = ["Get", "List", "Read", "Replay", "Verify", "Watch"].iter().any(|verb| name.starts_with(verb));
            let reviewed = ["BackupRequest", "ExportBundleRequest", "OpenDrawRequest"].contains(&name);
            assert_eq!(row.repeat == Repeat::Always, reads || reviewed, "{name}");
            rows += 1;
        }
        assert_eq!(rows, METHODS.len(), "the table names what the protos do not have");
    }

    #[test]
    fn a_write_may_be_repeated_only_with_an_id() {
        let with_id = || "id".to_owned();
        assert!(!SubmitActionRequest::default().may_repeat());
        assert!(SubmitActionRequest { request_id: with_id(), ..Default::default() }.may_repeat());
        assert!(!CreateGameRequest::default().may_repeat());
        assert!(CreateGameRequest { request_id: with_id(), ..Default::default() }.may_repeat());
        assert!(!AbandonGameRequest::default().may_repeat());
        assert!(AbandonGameRequest { request_id: with_id(), ..Default::default() }.may_repeat());
        assert!(!ForkGameRequest::default().may_repeat());
        assert!(ForkGameRequest { request_id: with_id(), ..Default::default() }.may_repeat());
        assert!(!PrepareGameRequest::default().may_repeat());
        assert!(GetGameRequest::default().may_repeat() && WatchGameRequest::default().may_repeat());
    }
}
