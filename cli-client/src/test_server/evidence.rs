//! The audit side of the scripted server.

use divelog_proto::encoded;
use divelog_proto::v1::{
    audit_service_server::AuditService, read_log_response::Message, transparency_service_server::TransparencyService, *,
};
use tonic::{Request, Response, Status};

use super::{Scripted, Stream, not_in_script};

#[tonic::async_trait]
impl AuditService for Scripted {
    type ReadLogStream = Stream<ReadLogResponse>;
    type ReplayGameStream = Stream<encoded::ReplayGameResponse>;

    async fn read_log(&self, request: Request<ReadLogRequest>) -> Result<Response<Self::ReadLogStream>, Status> {
        let script = self.0.lock().unwrap();
        let log = script.logs.get(&request.into_inner().game_id).ok_or_else(|| Status::not_found("no such log"))?;
        let log = log.as_ref().map_err(Clone::clone)?;
        let header = Ok(ReadLogResponse { message: Some(Message::Header(log.header.clone())) });
        let records =
            log.records.iter().map(|record| Ok(ReadLogResponse { message: Some(Message::Record(record.clone())) }));
        let messages: Vec<_> = std::iter::once(header).chain(records).collect();
        Ok(Response::new(tokio_stream::iter(messages)))
    }

    async fn replay_game(
        &self,
        request: Request<ReplayGameRequest>,
    ) -> Result<Response<Self::ReplayGameStream>, Status> {
        let request = request.into_inner();
        if let Some(steps) = self.0.lock().unwrap().replay.clone() {
            let steps: Vec<_> = steps.into_iter().map(|step| step.map(Into::into)).collect();
            return Ok(Response::new(tokio_stream::iter(steps)));
        }
        let key = (request.viewer.unwrap_or_default().seat, request.from_revision);
        let step = self.0.lock().unwrap().steps.get(&key).cloned().ok_or_else(|| Status::out_of_range("no step"))?;
        Ok(Response::new(tokio_stream::iter(vec![Ok(step.into())])))
    }

    async fn export_bundle(
        &self,
        request: Request<ExportBundleRequest>,
    ) -> Result<Response<ExportBundleResponse>, Status> {
        let bundle = self.0.lock().unwrap().bundles.get(&request.into_inner().game_id).cloned();
        let bundle = bundle.ok_or_else(|| Status::data_loss("the log does not verify"))?;
        Ok(Response::new(ExportBundleResponse { bundle: Some(bundle) }))
    }

    async fn verify_game(&self, _: Request<VerifyGameRequest>) -> Result<Response<VerifyGameResponse>, Status> {
        not_in_script()
    }

    async fn open_draw(&self, _: Request<OpenDrawRequest>) -> Result<Response<OpenDrawResponse>, Status> {
        not_in_script()
    }

    async fn list_refusals(&self, _: Request<ListRefusalsRequest>) -> Result<Response<ListRefusalsResponse>, Status> {
        not_in_script()
    }

    async fn fork_game(&self, _: Request<ForkGameRequest>) -> Result<Response<ForkGameResponse>, Status> {
        not_in_script()
    }
}

#[tonic::async_trait]
impl TransparencyService for Scripted {
    async fn get_checkpoint(
        &self,
        _: Request<GetCheckpointRequest>,
    ) -> Result<Response<GetCheckpointResponse>, Status> {
        Ok(Response::new(self.0.lock().unwrap().checkpoint.clone()))
    }

    async fn get_consistency_proof(
        &self,
        request: Request<GetConsistencyProofRequest>,
    ) -> Result<Response<GetConsistencyProofResponse>, Status> {
        let script = self.0.lock().unwrap();
        Ok(Response::new(GetConsistencyProofResponse {
            hashes: script.consistency.clone(),
            new_size: request.into_inner().new_size,
            checkpoint: script.checkpoint.checkpoint.clone(),
        }))
    }

    async fn get_inclusion_proof(
        &self,
        _: Request<GetInclusionProofRequest>,
    ) -> Result<Response<GetInclusionProofResponse>, Status> {
        self.0.lock().unwrap().inclusion.clone().map_or_else(not_in_script, |proof| Ok(Response::new(proof)))
    }
}
