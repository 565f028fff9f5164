//! Evidence: what anybody can check without trusting the operator. Checkpoints that continue each other whatever
//! happens to the server, proofs, bundles, opened draws, refusals that are kept, and forks that cannot be mistaken for
//! their source.

mod bundles;
mod checkpoints;
mod damage;
mod draws;
mod forks;
mod interrupted_forks;
mod prepared;
mod proofs;
mod refusal_gaps;
mod refusals;
mod rewritten_history;

use std::path::{Path, PathBuf};

use divelog_ledger::Hash;
use divelog_ledger::tlog::{Checkpoint, ReadTile, VerifierKey, verify_consistency};
use divelog_proto::v1 as pb;
use divelog_proto::v1::transparency_service_client::TransparencyServiceClient;
use divelog_tests::Server;
use tonic::Status;
use tonic::transport::Channel;

/// A client of the transparency log.
async fn transparency(server: &Server) -> TransparencyServiceClient<Channel> {
    server.connect().await.transparency()
}

/// A checkpoint as a follower of the log keeps it.
#[derive(Clone, Debug)]
pub struct Kept {
    pub checkpoint: Checkpoint,
    pub note: Vec<u8>,
    pub key: VerifierKey,
}

impl Kept {
    /// The newest checkpoint; its signature is checked.
    async fn ask(server: &Server, seal_now: bool) -> Result<Kept, Status> {
        let request = pb::GetCheckpointRequest { seal_now };
        let response = transparency(server).await.get_checkpoint(request).await?.into_inner();
        let key: VerifierKey = response.verifier_key.parse().unwrap();
        let checkpoint = Checkpoint::open(&response.checkpoint, &key).unwrap();
        assert_eq!(checkpoint.size, response.tree_size);
        assert_eq!(checkpoint.root, response.root_hash[..]);
        Ok(Kept { checkpoint, note: response.checkpoint.to_vec(), key })
    }

    /// Everything that is durable, sealed.
    pub async fn sealed(server: &Server) -> Kept {
        Kept::ask(server, true).await.unwrap()
    }

    /// The checkpoint in a published folder.
    fn published(folder: &Path, key: &VerifierKey) -> Kept {
        let note = std::fs::read(folder.join("checkpoint")).unwrap();
        Kept { checkpoint: Checkpoint::open(&note, key).unwrap(), note, key: key.clone() }
    }

    /// Whether the server can show that `newer` continues this checkpoint.
    pub async fn is_continued_by(&self, server: &Server, newer: &Kept) -> Result<(), String> {
        let (old_size, new_size) = (self.checkpoint.size, newer.checkpoint.size);
        let hashes: Vec<Hash> = match old_size {
            // Every log continues the empty one.
            0 => Vec::new(),
            _ => {
                let request = pb::GetConsistencyProofRequest { old_size, new_size };
                let proof = transparency(server).await.get_consistency_proof(request).await;
                let proof = proof.map_err(|status| status.to_string())?.into_inner();
                proof.hashes.iter().map(|hash| hash[..].try_into().unwrap()).collect()
            }
        };
        verify_consistency(&self.checkpoint, &newer.checkpoint, &hashes).map_err(|error| error.to_string())
    }
}

/// The files of a published log.
struct Files(PathBuf);

impl ReadTile for Files {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(path)).map_err(|error| error.to_string())
    }
}

/// Copies a folder and everything in it, but what `leave_out` names.
fn copy_folder(from: &Path, to: &Path, leave_out: &[&str]) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        if leave_out.iter().any(|left| name.to_str() == Some(left)) {
            continue;
        }
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &to.join(name), leave_out),
            false => drop(std::fs::copy(entry.path(), to.join(name)).unwrap()),
        }
    }
}

/// A game's log, byte for byte, and its secret if that is shown.
async fn read_log(server: &Server, game_id: &str, include_secret: bool) -> (Vec<bytes::Bytes>, bytes::Bytes) {
    let request = pb::ReadLogRequest { game_id: game_id.to_owned(), include_secret };
    let mut log = server.audit().await.read_log(request).await.unwrap().into_inner();
    let (mut records, mut secret) = (Vec::new(), bytes::Bytes::new());
    while let Some(message) = log.message().await.unwrap() {
        match message.message.unwrap() {
            pb::read_log_response::Message::Header(header) => secret = header.secret,
            pb::read_log_response::Message::Record(record) => records.push(record.record),
        }
    }
    (records, secret)
}
