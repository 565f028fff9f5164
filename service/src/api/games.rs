//! `GameService`.

use std::sync::Arc;

use divelog_ledger::{GameId, Revision, Status as GameStatus, convert};
use divelog_proto::encoded::WatchGameResponse;
use divelog_proto::v1 as pb;
use divelog_proto::v1::game_service_server::GameService;
use tokio::sync::{Semaphore, watch};
use tonic::{Request, Response, Status, Streaming};

use super::call::Call;
use super::pull::{Pulled, pulled};
use super::watch::Watch;
use super::{responses, rulebook, submit_stream, validate};
use crate::access::Caller;
use crate::session::{AbandonRequest, Accepted, ActRequest, Error, Games, ListFilter, Prepared, RefusedCall};

const DEFAULT_PAGE: usize = 50;
const MAX_PAGE: usize = 1_000;

/// The handlers of `GameService`.
#[derive(Clone)]
pub struct GameHandlers {
    games: Games,
    /// Becomes true when the server begins to drain.
    draining: watch::Receiver<bool>,
    /// One permit for each watch that may still begin.
    watchers: Arc<Semaphore>,
    max_watchers: usize,
}

impl GameHandlers {
    /// Handlers on these games.
    pub fn new(games: Games, draining: watch::Receiver<bool>, max_watchers: usize) -> GameHandlers {
        let max_watchers = max_watchers.min(Semaphore::MAX_PERMITS);
        GameHandlers { games, draining, watchers: Arc::new(Semaphore::new(max_watchers)), max_watchers }
    }

    /// The games, for the caller of this call: what they wait for is shared out among callers in turn.
    fn games(&self, call: &Call) -> Games {
        self.games.of(call.caller())
    }
}

/// A request of the wire, whose request id was checked, as a request of the session.
pub(super) fn act_request(request: pb::SubmitActionRequest, caller: Caller) -> ActRequest {
    ActRequest {
        seat: request.seat,
        action: request.action,
        expected_revision: request.expected_revision.map(Revision::new),
        request_id: request.request_id,
        caller: Some(caller),
        copies: false,
    }
}

/// Keeps a refused action that could not even be shown to its game. A dry run is nothing to dispute later.
pub(super) async fn keep_refusal(games: &Games, game_id: GameId, request: &pb::SubmitActionRequest, error: &Error) {
    if !request.validate_only {
        let asked = RefusedCall::Action { seat: request.seat, action: request.action.clone() };
        games.keep_refusal(game_id, asked, request.request_id.clone(), error).await;
    }
}

#[tonic::async_trait]
impl GameService for GameHandlers {
    async fn list_game_kinds(
        &self,
        request: Request<pb::ListGameKindsRequest>,
    ) -> Result<Response<pb::ListGameKindsResponse>, Status> {
        let (call, _) = Call::of(request)?;
        call.answer(async { Ok(pb::ListGameKindsResponse { kinds: rulebook::kinds() }) }).await
    }

    async fn prepare_game(
        &self,
        request: Request<pb::PrepareGameRequest>,
    ) -> Result<Response<pb::PrepareGameResponse>, Status> {
        let (call, _) = Call::of(request)?;
        call.answer(async {
            let Prepared { game_id, seed_commitment } = self.games.prepare();
            call.set_game(game_id);
            let prepared = pb::PreparedGame {
                game_id: game_id.to_string(),
                seed_commitment: bytes::Bytes::copy_from_slice(&seed_commitment),
            };
            Ok(pb::PrepareGameResponse { prepared: Some(prepared) })
        })
        .await
    }

    async fn create_game(
        &self,
        request: Request<pb::CreateGameRequest>,
    ) -> Result<Response<pb::CreateGameResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let validate_only = request.validate_only;
            let request = validate::creation(request)?;
            if validate_only {
                self.games(&call).check_creation(request).await?;
                return Ok(pb::CreateGameResponse { game: None });
            }
            let position = self.games(&call).create(request).await?;
            call.set_game(position.header().game_id);
            call.set_revision(position.revision());
            let live = self.games(&call).live(position.header().game_id).await?;
            let game = responses::game_at(&position, live.secret());
            Ok(pb::CreateGameResponse { game: Some(game) })
        })
        .await
    }

    async fn get_game(&self, request: Request<pb::GetGameRequest>) -> Result<Response<pb::GetGameResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let live = self.games(&call).live(call.game(&request.game_id)?).await?;
            let position = live.durable();
            call.set_revision(position.revision());
            let viewer = convert::viewer_from_proto(request.viewer.as_ref(), position.game().seats())
                .map_err(|description| Error::invalid("viewer", description))?;
            let game = Some(responses::game_at(&position, live.secret()));
            let view = Some(responses::view(&position, viewer));
            Ok(pb::GetGameResponse { game, view })
        })
        .await
    }

    async fn list_games(
        &self,
        request: Request<pb::ListGamesRequest>,
    ) -> Result<Response<pb::ListGamesResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let before =
                match request.page_token.as_str() {
                    "" => None,
                    token => Some(token.parse().map_err(|_| {
                        Error::invalid("page_token", "this is not a next_page_token of an earlier page")
                    })?),
                };
            let page_size = match request.page_size as usize {
                0 => DEFAULT_PAGE,
                size => size.min(MAX_PAGE),
            };
            let filter = ListFilter {
                kind: kind_filter(request.kind)?,
                status: status_filter(request.status)?,
                labels: validate::labels(request.labels.clone())?,
            };
            let page = self.games(&call).list(before, page_size, filter).await?;
            Ok(pb::ListGamesResponse {
                games: page.entries.iter().map(responses::summary).collect(),
                next_page_token: page.next.map(|next| next.to_string()).unwrap_or_default(),
            })
        })
        .await
    }

    async fn list_legal_actions(
        &self,
        request: Request<pb::ListLegalActionsRequest>,
    ) -> Result<Response<pb::ListLegalActionsResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let live = self.games(&call).live(call.game(&request.game_id)?).await?;
            let position = live.durable();
            call.set_revision(position.revision());
            let seat = convert::seat_from_proto(request.seat, position.game().seats())
                .map_err(|description| Error::invalid("seat", description))?;
            Ok(pb::ListLegalActionsResponse {
                legal_actions: responses::legal_actions(&position, seat),
                revision: position.revision().get(),
                to_act: convert::seats_to_proto(position.to_act()),
            })
        })
        .await
    }

    async fn submit_action(
        &self,
        request: Request<pb::SubmitActionRequest>,
    ) -> Result<Response<pb::SubmitActionResponse>, Status> {
        let (call, request) = Call::of(request)?;
        let caller = call.caller();
        call.answer(async {
            let (game_id, validate_only) = (call.game(&request.game_id)?, request.validate_only);
            let games = self.games(&call);
            if let Err(error) = validate::check_request_id(&request.request_id) {
                keep_refusal(&games, game_id, &request, &error).await;
                return Err(error);
            }
            let request = act_request(request, caller);
            if validate_only {
                let revision = self.games(&call).check(game_id, &request).await?;
                call.set_revision(revision);
                return Ok(Accepted::Valid(revision).response());
            }
            let accepted = self.games(&call).act(game_id, request).await?;
            call.set_revision(accepted.revision());
            Ok(accepted.response())
        })
        .await
    }

    type SubmitActionsStream = submit_stream::Answers;

    async fn submit_actions(
        &self,
        request: Request<Streaming<pb::SubmitActionsRequest>>,
    ) -> Result<Response<Self::SubmitActionsStream>, Status> {
        let (call, requests) = Call::of(request)?;
        Ok(Response::new(submit_stream::open(self.games(&call), requests, call, self.draining.clone())))
    }

    type WatchGameStream = Pulled<WatchGameResponse>;

    async fn watch_game(
        &self,
        request: Request<pb::WatchGameRequest>,
    ) -> Result<Response<Self::WatchGameStream>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let permit = Arc::clone(&self.watchers)
                .try_acquire_owned()
                .map_err(|_| Error::Busy("as many watches are open as this server allows"))?;
            let draining = self.draining.clone();
            let watch =
                Watch::begin(self.games(&call), request, call.clone(), draining, permit, self.max_watchers).await?;
            Ok(pulled(call.clone(), watch))
        })
        .await
    }

    async fn abandon_game(
        &self,
        request: Request<pb::AbandonGameRequest>,
    ) -> Result<Response<pb::AbandonGameResponse>, Status> {
        let (call, request) = Call::of(request)?;
        let caller = Some(call.caller());
        call.answer(async {
            let game_id = call.game(&request.game_id)?;
            let request_id = request.request_id.clone();
            let request = match abandon_request(request, caller) {
                Ok(request) => request,
                Err(error) => {
                    self.games(&call).keep_refusal(game_id, RefusedCall::Abandonment, request_id, &error).await;
                    return Err(error);
                }
            };
            let step = self.games(&call).abandon(game_id, request).await?;
            call.set_revision(step.position.revision());
            let live = self.games(&call).live(game_id).await?;
            let game = responses::game_at(&step.position, live.secret());
            Ok(pb::AbandonGameResponse { game: Some(game) })
        })
        .await
    }
}

fn abandon_request(request: pb::AbandonGameRequest, caller: Option<Caller>) -> Result<AbandonRequest, Error> {
    Ok(AbandonRequest {
        reason: validate::reason(request.reason)?,
        expected_revision: request.expected_revision.map(Revision::new),
        request_id: validate::request_id(request.request_id)?,
        caller,
        never_complete: false,
    })
}

fn kind_filter(kind: i32) -> Result<Option<divelog_engine::Kind>, Error> {
    match kind {
        0 => Ok(None),
        kind => convert::kind_from_proto(kind)
            .map(Some)
            .ok_or_else(|| Error::invalid("kind", format!("there is no game kind {kind}"))),
    }
}

fn status_filter(status: i32) -> Result<Option<GameStatus>, Error> {
    match pb::GameStatus::try_from(status) {
        Ok(pb::GameStatus::Unspecified) => Ok(None),
        Ok(pb::GameStatus::Running) => Ok(Some(GameStatus::Running)),
        Ok(pb::GameStatus::Finished) => Ok(Some(GameStatus::Finished)),
        Ok(pb::GameStatus::Abandoned) => Ok(Some(GameStatus::Abandoned)),
        Err(_) => Err(Error::invalid("status", format!("there is no game status {status}"))),
    }
}
