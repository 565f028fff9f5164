//! One game's share of a `SubmitActions` stream that many games are played on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use divelog_proto::v1 as pb;
use pb::submit_actions_response::Result as Answer;
use tokio::sync::{mpsc, oneshot};

/// Who waits for the answer to which tag; `None` once the stream has ended.
pub type Waiting = Arc<Mutex<Option<HashMap<u64, oneshot::Sender<Answer>>>>>;

/// One game's share of a stream.
pub struct StreamShare {
    /// Where requests go.
    pub sender: mpsc::Sender<pb::SubmitActionsRequest>,
    /// Where answers come from.
    pub waiting: Waiting,
    /// The last tag used.
    pub tag: u64,
}

impl StreamShare {
    /// Sends a request; `None` if the stream is gone.
    pub async fn send(&mut self, request: &pb::SubmitActionRequest) -> Option<oneshot::Receiver<Answer>> {
        self.tag += 1;
        let (sender, receiver) = oneshot::channel();
        self.waiting.lock().unwrap().as_mut()?.insert(self.tag, sender);
        let request = pb::SubmitActionsRequest { tag: self.tag, action: Some(request.clone()) };
        self.sender.send(request).await.ok().map(|()| receiver)
    }
}
