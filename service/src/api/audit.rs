//! `AuditService`.

mod bundle;
mod draws;
mod verdict;

use std::ops::ControlFlow;

use bytes::Bytes;
use divelog_engine::Viewer;
use divelog_ledger::{ForkOrigin, GameId, Position, Status as GameStatus, convert, hash_record};
use divelog_proto::v1 as pb;
use divelog_proto::v1::audit_service_server::AuditService;
use pb::read_log_response::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use self::verdict::{damaged, verdict};
use super::call::Call;
use super::{responses, validate};
use crate::session::{Error, Games, replay_stored};
use crate::store::StoredGame;
use crate::transparency::Transparency;

/// How many messages wait for a slow connection before its reader waits.
const MESSAGES_AHEAD: usize = 16;

/// The handlers of `AuditService`.
#[derive(Clone)]
pub struct AuditHandlers {
    games: Games,
    transparency: Transparency,
}

impl AuditHandlers {
    /// Handlers on these games and their transparency log.
    pub fn new(games: Games, transparency: Transparency) -> AuditHandlers {
        AuditHandlers { games, transparency }
    }
}

#[tonic::async_trait]
impl AuditService for AuditHandlers {
    type ReadLogStream = ReceiverStream<Result<pb::ReadLogResponse, Status>>;

    async fn read_log(&self, request: Request<pb::ReadLogRequest>) -> Result<Response<Self::ReadLogStream>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let id = call.game(&request.game_id)?;
            let stored = self.games.stored(id).await?;
            call.set_revision(stored.records.len() as u64);
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
            Ok(ReceiverStream::new(receiver))
        })
        .await
    }

    type ReplayGameStream = ReceiverStream<Result<pb::ReplayGameResponse, Status>>;

    async fn replay_game(
        &self,
        request: Request<pb::ReplayGameRequest>,
    ) -> Result<Response<Self::ReplayGameStream>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let id = call.game(&request.game_id)?;
            let stored = self.games.stored(id).await?;
            let revision = stored.records.len() as u64;
            call.set_revision(revision);
            let range = Range::of(&request, revision)?;
            let viewer = viewer_of(id, &stored, request.viewer.as_ref())?;
            if request.include_all_views && viewer != Viewer::Auditor {
                let description = "what every seat saw is for an auditor: set viewer.role to ROLE_AUDITOR";
                return Err(Error::invalid("include_all_views", description));
            }
            let (sender, receiver) = mpsc::channel(MESSAGES_AHEAD);
            let call = call.clone();
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
                        let message = responses::replay_step(before.as_ref(), &step, viewer, &request);
                        if sender.blocking_send(Ok(message)).is_err() {
                            return ControlFlow::Break(());
                        }
                    }
                    ControlFlow::Continue(())
                });
                if let Err(error) = replayed {
                    drop(sender.blocking_send(Err(call.fail(&error))));
                }
            });
            Ok(ReceiverStream::new(receiver))
        })
        .await
    }

    async fn verify_game(
        &self,
        request: Request<pb::VerifyGameRequest>,
    ) -> Result<Response<pb::VerifyGameResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let id = call.game(&request.game_id)?;
            let response = match self.games.stored(id).await {
                Ok(stored) => self.games.blocking(move || Ok(verdict(id, &stored))).await?,
                Err(Error::Damaged { sequence, detail, .. }) => {
                    damaged(sequence.unwrap_or_default(), format!("the store cannot give the log back: {detail}"))
                }
                Err(other) => return Err(other),
            };
            call.set_revision(response.records_verified);
            Ok(response)
        })
        .await
    }

    async fn export_bundle(
        &self,
        request: Request<pb::ExportBundleRequest>,
    ) -> Result<Response<pb::ExportBundleResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let id = call.game(&request.game_id)?;
            let bundle = bundle::export(&self.games, &self.transparency, id, request).await?;
            call.set_revision(bundle.records.len() as u64);
            Ok(pb::ExportBundleResponse { bundle: Some(bundle) })
        })
        .await
    }

    async fn open_draw(&self, request: Request<pb::OpenDrawRequest>) -> Result<Response<pb::OpenDrawResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let id = call.game(&request.game_id)?;
            let stored = self.games.stored(id).await?;
            call.set_revision(stored.head.revision);
            self.games.blocking(move || draws::open(id, &stored, request.sequence)).await
        })
        .await
    }

    async fn list_refusals(
        &self,
        request: Request<pb::ListRefusalsRequest>,
    ) -> Result<Response<pb::ListRefusalsResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let (refusals, dropped) = self.games.refusals(call.game(&request.game_id)?).await?;
            Ok(pb::ListRefusalsResponse { refusals, dropped })
        })
        .await
    }

    async fn fork_game(&self, request: Request<pb::ForkGameRequest>) -> Result<Response<pb::ForkGameResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let request = validate::fork(request)?;
            call.set_game(request.game_id);
            let position = self.games.fork(request).await?;
            call.set_revision(position.revision());
            let live = self.games.live(position.header().game_id).await?;
            let game = responses::game_at(&position, live.secret());
            Ok(pb::ForkGameResponse { game: Some(game) })
        })
        .await
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
    pb::LogHeader {
        game_id: id.to_string(),
        revision: stored.head.revision,
        head_hash: Bytes::copy_from_slice(&stored.head.head_hash),
        secret: shown_secret(stored, include_secret).map(|secret| Bytes::copy_from_slice(&secret)).unwrap_or_default(),
    }
}

/// The game's secret, if it is over or an auditor asks for it. A fork's would open its source's; and a record 0 that cannot
/// be read tells nothing either way.
fn shown_secret(stored: &StoredGame, include_secret: bool) -> Option<[u8; 32]> {
    let over = stored.head.status != GameStatus::Running;
    let is_fork =
        || stored.records.first().is_none_or(|first| !matches!(ForkOrigin::of_record(&first.bytes), Ok(None)));
    stored.secret.filter(|_| include_secret || (over && !is_fork()))
}
