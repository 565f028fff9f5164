//! How fast logs replay: actions per second on one core.

use std::time::Duration;

use serde::Serialize;

/// A measurement of replaying.
#[derive(Debug, Clone, Serialize)]
pub struct Replay {
    /// Actions replayed per second on one core.
    pub actions_per_second: f64,
    /// The games that were replayed.
    pub games: u64,
    /// The actions that were replayed.
    pub actions: u64,
}

/// Replays games for about `window` on the calling thread; `None` where this build has nothing to replay with.
///
/// It runs on a thread of its own, with no other load beside it. What belongs here: play some games once, then
/// replay their logs over and over until the window is over, and count the actions.
pub fn measure(_window: Duration) -> Result<Option<Replay>, String> {
    Ok(None)
}
