//! `AuditService`.

use std::ops::ControlFlow;

use bytes::Bytes;
use divelog_engine::Viewer;
use divelog_ledger::{
    Expectation, FaultKind, GameId, Position, Secret, Status as GameStatus, convert, hash_record, verify,
};
use divelog_proto::v1 as pb;
use divelog_proto::v1::audit_service_server::AuditService;
use pb::read_log_response::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use super::{errors, fields, resource};
use crate::session::{Error, Games, replay_stored};
use crate::store::StoredGame;
use crate::telemetry::rpc;

/// How many messages wait for a slow connection before its reader waits.
const MESSAGES_AHEAD: usize = 16;

/// The handlers of `AuditService`.
#[derive(Clone)]
pub struct Audit {
    games: Games,
}

impl Audit {
    /// Handlers on these games.
    pub fn new(games: Games) -> Audit {
        Audit { games }
    }
}

#[tonic::async_trait]
impl AuditService for Audit {
    type ReadLogStream = ReceiverStream<Result<pb::ReadLogResponse, Status>>;

    async fn read_log(&self, request: Request<pb::ReadLogRequest>) -> Result<Response<Self::ReadLogStream>, Status> {
        let request = request.into_inner();
        rpc("ReadLog", &request.game_id.clone(), async {
            let id = fields::game_id(&request.game_id)?;
            let stored = self.games.stored(id).await?;
            let revision = stored.records.len() as u64;
            let header = log_header(id, &stored, request.include_secret);
            let (sender, receiver) = mpsc::channel(MESSAGES_AHEAD);
            tokio::spawn(async move {
                let records = stored.records.into_iter().map(|record| {
                    let hash = Bytes::copy_from_slice(&hash_record(&record.bytes));
                    Message::Record(pb::StoredRecord { record: record.bytes, hash })
                });
                for message in std::iter::once(Message::Header(header)).chain(records) {
                    if sender.send(Ok(pb::ReadLogResponse { message: Some(message) })).await.is_err() {
                        return;
                    }
                }
            });
            Ok((ReceiverStream::new(receiver), revision))
        })
        .await
    }

    type ReplayGameStream = ReceiverStream<Result<pb::ReplayGameResponse, Status>>;

    async fn replay_game(
        &self,
        request: Request<pb::ReplayGameRequest>,
    ) -> Result<Response<Self::ReplayGameStream>, Status> {
        let request = request.into_inner();
        rpc("ReplayGame", &request.game_id.clone(), async {
            let id = fields::game_id(&request.game_id)?;
            let stored = self.games.stored(id).await?;
            let revision = stored.records.len() as u64;
            let range = Range::of(&request, revision)?;
            let viewer = viewer_of(id, &stored, request.viewer.as_ref())?;
            if request.include_all_views && viewer != Viewer::Auditor {
                let description = "what every seat saw is for an auditor: set viewer.role to ROLE_AUDITOR";
                return Err(Error::invalid("include_all_views", description));
            }
            let (sender, receiver) = mpsc::channel(MESSAGES_AHEAD);
            // Replaying is work, and waits for a slow connection: neither belongs on the runtime's thread.
            tokio::task::spawn_blocking(move || {
                let mut before: Option<Position> = None;
                let replayed = replay_stored(id, &stored, |step, _| {
                    let revision = step.position.revision();
                    if revision > range.to {
                        return ControlFlow::Break(());
                    }
                    let before = before.replace(step.position.clone());
                    if revision >= range.from {
                        let message = resource::replay_step(before.as_ref(), &step, viewer, &request);
                        if sender.blocking_send(Ok(message)).is_err() {
                            return ControlFlow::Break(());
                        }
                    }
                    ControlFlow::Continue(())
                });
                if let Err(error) = replayed {
                    drop(sender.blocking_send(Err(errors::status(&error))));
                }
            });
            Ok((ReceiverStream::new(receiver), revision))
        })
        .await
    }

    async fn verify_game(
        &self,
        request: Request<pb::VerifyGameRequest>,
    ) -> Result<Response<pb::VerifyGameResponse>, Status> {
        let request = request.into_inner();
        rpc("VerifyGame", &request.game_id, async {
            let id = fields::game_id(&request.game_id)?;
            let response = match self.games.stored(id).await {
                Ok(stored) => self.games.blocking(move || Ok(verdict(id, &stored))).await?,
                Err(Error::Damaged { sequence, detail, .. }) => failed(
                    sequence.unwrap_or_default(),
                    pb::verify_failure::Fault::Damaged,
                    format!("the store cannot give the log back: {detail}"),
                ),
                Err(other) => return Err(other),
            };
            let revision = response.records_verified;
            Ok((response, revision))
        })
        .await
    }

    async fn export_bundle(
        &self,
        _request: Request<pb::ExportBundleRequest>,
    ) -> Result<Response<pb::ExportBundleResponse>, Status> {
        Err(Status::unimplemented("in work"))
    }

    async fn open_draw(&self, _request: Request<pb::OpenDrawRequest>) -> Result<Response<pb::OpenDrawResponse>, Status> {
        Err(Status::unimplemented("in work"))
    }

    async fn list_refusals(
        &self,
        _request: Request<pb::ListRefusalsRequest>,
    ) -> Result<Response<pb::ListRefusalsResponse>, Status> {
        Err(Status::unimplemented("in work"))
    }

    async fn fork_game(&self, _request: Request<pb::ForkGameRequest>) -> Result<Response<pb::ForkGameResponse>, Status> {
        Err(Status::unimplemented("in work"))
    }
}

/// The revisions that a replay shows.
struct Range {
    from: u64,
    to: u64,
}

impl Range {
    fn of(request: &pb::ReplayGameRequest, revision: u64) -> Result<Range, Error> {
        let from = request.from_revision.max(1);
        let to = if request.to_revision == 0 { revision } else { request.to_revision };
        for given in [from, to] {
            if given > revision {
                return Err(Error::Ahead { given, actual: revision });
            }
        }
        if from > to {
            return Err(Error::invalid("from_revision", format!("{from} lies after to_revision {to}")));
        }
        Ok(Range { from, to })
    }
}

fn viewer_of(id: GameId, stored: &StoredGame, viewer: Option<&pb::Viewer>) -> Result<Viewer, Error> {
    let mut result = Err(Error::NotFound(id));
    replay_stored(id, stored, |step, _| {
        result = convert::viewer_from_proto(viewer, step.position.game().seats())
            .map_err(|description| Error::invalid("viewer", description));
        ControlFlow::Break(())
    })?;
    result
}

fn log_header(id: GameId, stored: &StoredGame, include_secret: bool) -> pb::LogHeader {
    let over = stored.head.status != GameStatus::Running;
    let secret = stored.secret.filter(|_| over || include_secret);
    pb::LogHeader {
        game_id: id.to_string(),
        revision: stored.head.revision,
        head_hash: Bytes::copy_from_slice(&stored.head.head_hash),
        secret: secret.map(|secret| Bytes::copy_from_slice(&secret)).unwrap_or_default(),
    }
}

fn failed(sequence: u64, fault: pb::verify_failure::Fault, message: String) -> pb::VerifyGameResponse {
    pb::VerifyGameResponse {
        verified: false,
        records_verified: sequence,
        failure: Some(pb::VerifyFailure { sequence, fault: fault.into(), message, ..Default::default() }),
        ..Default::default()
    }
}

fn verdict(id: GameId, stored: &StoredGame) -> pb::VerifyGameResponse {
    use pb::verify_failure::Fault;
    let Some(secret) = stored.secret else {
        return failed(0, Fault::Damaged, "the game's secret is missing".into());
    };
    let records: Vec<Bytes> = stored.records.iter().map(|record| record.bytes.clone()).collect();
    let expected = Expectation { revision: Some(stored.head.revision), head_hash: Some(stored.head.head_hash) };
    match verify(id, &Secret(secret), &records, expected) {
        Ok(verified) => pb::VerifyGameResponse {
            verified: true,
            records_verified: verified.revision,
            head_hash: Bytes::copy_from_slice(&verified.head_hash),
            outcome: verified.outcome.as_ref().map(convert::outcome_to_proto),
            failure: None,
        },
        Err(fault) => {
            let kind = match fault.kind {
                FaultKind::Malformed => Fault::Malformed,
                FaultKind::HashDiffers => Fault::HashDiffers,
                FaultKind::ReplayDiffers => Fault::ReplayDiffers,
            };
            failed(fault.sequence, kind, fault.message)
        }
    }
}
