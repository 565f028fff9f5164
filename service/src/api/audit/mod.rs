//! `AuditService`.

mod bundle;
mod draws;
mod log;
mod replay;
mod verdict;

use std::sync::Arc;

use divelog_ledger::{ForkOrigin, Revision, Sequence, Status as GameStatus};
use divelog_proto::encoded::ReplayGameResponse;
use divelog_proto::v1 as pb;
use divelog_proto::v1::audit_service_server::AuditService;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::{Request, Response, Status};

use self::log::Log;
use self::replay::Replaying;
use self::verdict::{damaged, verdict};
use super::call::Call;
use super::pull::{Pulled, pulled};
use super::{responses, validate};
use crate::session::{Error, Games};
use crate::store::StoredGame;
use crate::transparency::Transparency;

/// Streams of ReadLog and ReplayGame that may be open at once: each holds the rest of a game's records until they are read.
const MAX_STREAMS: usize = 256;

/// The handlers of `AuditService`.
#[derive(Clone)]
pub struct AuditHandlers {
    games: Games,
    transparency: Transparency,
    /// One permit for each stream that may still begin.
    streams: Arc<Semaphore>,
}

impl AuditHandlers {
    /// Handlers on these games and their transparency log.
    pub fn new(games: Games, transparency: Transparency) -> AuditHandlers {
        AuditHandlers { games, transparency, streams: Arc::new(Semaphore::new(MAX_STREAMS)) }
    }

    /// The games, for the caller of this call.
    fn games(&self, call: &Call) -> Games {
        self.games.of(call.caller())
    }

    /// The permit of a stream, for as long as it is open.
    fn permit(&self) -> Result<OwnedSemaphorePermit, Error> {
        let permit = Arc::clone(&self.streams).try_acquire_owned();
        permit.map_err(|_| Error::Busy("as many logs are read and replayed as this server allows"))
    }
}

#[tonic::async_trait]
impl AuditService for AuditHandlers {
    type ReadLogStream = Pulled<pb::ReadLogResponse>;

    async fn read_log(&self, request: Request<pb::ReadLogRequest>) -> Result<Response<Self::ReadLogStream>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let id = call.game(&request.game_id)?;
            let permit = self.permit()?;
            let stored = self.games(&call).stored(id).await?;
            call.set_revision(Revision::of(&stored.records));
            Ok(pulled(call.clone(), Log::new(id, stored, request.include_secret, permit)))
        })
        .await
    }

    type ReplayGameStream = Pulled<ReplayGameResponse>;

    async fn replay_game(
        &self,
        request: Request<pb::ReplayGameRequest>,
    ) -> Result<Response<Self::ReplayGameStream>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let id = call.game(&request.game_id)?;
            let permit = self.permit()?;
            let games = self.games(&call);
            let stored = games.stored(id).await?;
            call.set_revision(Revision::of(&stored.records));
            Ok(pulled(call.clone(), Replaying::begin(&games, id, stored, request, permit).await?))
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
            let games = self.games(&call);
            let response = match games.stored(id).await {
                Ok(stored) => games.blocking(move || Ok(verdict(id, &stored))).await?,
                Err(Error::Damaged { sequence, detail, .. }) => {
                    damaged(sequence.unwrap_or_default(), format!("the store cannot give the log back: {detail}"))
                }
                Err(other) => return Err(other),
            };
            call.set_revision(Revision::new(response.records_verified));
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
            let bundle = bundle::export(&self.games(&call), &self.transparency, id, request).await?;
            call.set_revision(Revision::of(&bundle.records));
            Ok(pb::ExportBundleResponse { bundle: Some(bundle) })
        })
        .await
    }

    async fn open_draw(&self, request: Request<pb::OpenDrawRequest>) -> Result<Response<pb::OpenDrawResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let id = call.game(&request.game_id)?;
            let games = self.games(&call);
            let stored = games.stored(id).await?;
            call.set_revision(stored.head.revision);
            games.blocking(move || draws::open(id, &stored, Sequence::new(request.sequence))).await
        })
        .await
    }

    async fn list_refusals(
        &self,
        request: Request<pb::ListRefusalsRequest>,
    ) -> Result<Response<pb::ListRefusalsResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async { self.games(&call).refusals(call.game(&request.game_id)?).await }).await
    }

    async fn fork_game(&self, request: Request<pb::ForkGameRequest>) -> Result<Response<pb::ForkGameResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let request = validate::fork(request)?;
            call.set_game(request.game_id);
            let position = self.games(&call).fork(request).await?;
            call.set_revision(position.revision());
            let live = self.games(&call).live(position.header().game_id).await?;
            let game = responses::game_at(&position, live.secret());
            Ok(pb::ForkGameResponse { game: Some(game) })
        })
        .await
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
