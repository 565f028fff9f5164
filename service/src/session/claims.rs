//! Games that somebody is alone in making: promised ones until their record 0 is on disk, forks until they have their whole
//! past.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::lock::lock;
use divelog_ledger::GameId;
use tokio::sync::Notify;

/// The claims of one kind. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Claims(Arc<Inner>);

#[derive(Default)]
struct Inner {
    held: Mutex<HashSet<GameId>>,
    freed: Notify,
}

/// Somebody is alone in making a game until this is dropped.
pub struct Claim {
    claims: Claims,
    id: GameId,
}

impl Claims {
    fn held(&self) -> MutexGuard<'_, HashSet<GameId>> {
        lock(&self.0.held)
    }

    /// None while somebody else has it.
    pub fn try_claim(&self, id: GameId) -> Option<Claim> {
        self.held().insert(id).then(|| Claim { claims: self.clone(), id })
    }

    /// Waits while somebody else has it.
    pub async fn claim(&self, id: GameId) -> Claim {
        loop {
            let freed = self.0.freed.notified();
            tokio::pin!(freed);
            // Before the look: whoever frees it after the look is heard.
            freed.as_mut().enable();
            if let Some(claim) = self.try_claim(id) {
                return claim;
            }
            freed.await;
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.claims.held().remove(&self.id);
        self.claims.0.freed.notify_waiters();
    }
}
