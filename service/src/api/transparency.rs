//! `TransparencyService`.

use bytes::Bytes;
use divelog_proto::v1 as pb;
use divelog_proto::v1::transparency_service_server::TransparencyService;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::validate;
use crate::session::{Error, Games};
use crate::transparency::Transparency;

/// The handlers of `TransparencyService`.
#[derive(Clone)]
pub struct TransparencyHandlers {
    games: Games,
    transparency: Transparency,
}

impl TransparencyHandlers {
    /// Handlers on these games and their transparency log.
    pub fn new(games: Games, transparency: Transparency) -> TransparencyHandlers {
        TransparencyHandlers { games, transparency }
    }
}

#[tonic::async_trait]
impl TransparencyService for TransparencyHandlers {
    async fn get_checkpoint(
        &self,
        request: Request<pb::GetCheckpointRequest>,
    ) -> Result<Response<pb::GetCheckpointResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let signed = match request.seal_now {
                true => self.transparency.seal().await?,
                false => self.transparency.checkpoint().await?,
            };
            self.games.all_answered().await;
            Ok(pb::GetCheckpointResponse {
                checkpoint: signed.note.clone(),
                tree_size: signed.size,
                root_hash: Bytes::copy_from_slice(&signed.root),
                verifier_key: self.transparency.verifier_key().to_string(),
            })
        })
        .await
    }

    async fn get_inclusion_proof(
        &self,
        request: Request<pb::GetInclusionProofRequest>,
    ) -> Result<Response<pb::GetInclusionProofResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let game = call.game(&request.game_id)?;
            let revision = validate::revision(request.revision);
            call.set_revision(revision.unwrap_or_default());
            let signed = self.transparency.checkpoint().await?;
            let checkpoint = signed.note.clone();
            let transparency = self.transparency.clone();
            let proof = move || transparency.prove_inclusion(&signed, game, revision);
            let inclusion = Some(self.games.of(call.caller()).blocking(proof).await?);
            self.games.all_answered().await;
            Ok(pb::GetInclusionProofResponse { inclusion, checkpoint })
        })
        .await
    }

    async fn get_consistency_proof(
        &self,
        request: Request<pb::GetConsistencyProofRequest>,
    ) -> Result<Response<pb::GetConsistencyProofResponse>, Status> {
        let (call, request) = Call::of(request)?;
        call.answer(async {
            let signed = self.transparency.checkpoint().await?;
            let (old_size, new_size) = sizes(&request, signed.size)?;
            let transparency = self.transparency.clone();
            let proof = move || transparency.prove_consistency(old_size, new_size);
            let hashes = self.games.of(call.caller()).blocking(proof).await?;
            let hashes = hashes.iter().map(|hash| Bytes::copy_from_slice(hash)).collect();
            Ok(pb::GetConsistencyProofResponse { hashes, new_size, checkpoint: signed.note.clone() })
        })
        .await
    }
}

/// The two sizes of a consistency proof, if the log has both.
fn sizes(request: &pb::GetConsistencyProofRequest, newest: u64) -> Result<(u64, u64), Error> {
    let old_size = request.old_size;
    let new_size = if request.new_size == 0 { newest } else { request.new_size };
    if old_size == 0 {
        return Err(Error::invalid("old_size", "every tree continues the empty one: ask from size 1 on"));
    }
    for given in [new_size, old_size] {
        if given > newest {
            return Err(Error::TreeSizeAhead { given, size: newest });
        }
    }
    if old_size > new_size {
        return Err(Error::invalid("old_size", format!("{old_size} is larger than new_size {new_size}")));
    }
    Ok((old_size, new_size))
}
