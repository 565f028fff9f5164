//! What the tests of faults share: players who record every answer of the server, and the comparison of those answers with
//! the log after the fault.

pub mod disk;
pub mod history;
pub mod players;
pub mod reconcile;
mod stream_share;

use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use history::History;
pub use players::Round;

use divelog_client::ErrorDetails;
use divelog_tests::{Choices, Server};
use tonic::Status;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// How long anything may take before a test gives up waiting for it.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// The random choices of a test, shared by all its tasks.
pub struct SharedChoices(Mutex<Choices>);

impl SharedChoices {
    /// A seed from `DIVELOG_CRASH_SEED`, or a new one; printed, so that a failure can be tried again. The kill's moment
    /// depends on the machine too, so a seed makes a failure likely, not certain.
    pub fn from_environment(test: &str) -> SharedChoices {
        let seed = match std::env::var("DIVELOG_CRASH_SEED") {
            Ok(text) => text.parse().expect("DIVELOG_CRASH_SEED is a number"),
            Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64,
        };
        println!("{test}: DIVELOG_CRASH_SEED={seed}");
        SharedChoices(Mutex::new(Choices::new(seed, 0)))
    }

    /// A number below `bound`.
    pub fn below(&self, bound: u64) -> u64 {
        self.0.lock().unwrap().below(bound as usize) as u64
    }
}

/// A number from the environment.
pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// The reason that the server gives for a refusal; `None` if the status is not the server's but the connection's.
pub fn reason(status: &Status) -> Option<String> {
    ErrorDetails::of(status).reason
}

/// What the health service says about the whole server.
pub async fn health(server: &Server) -> ServingStatus {
    let request = HealthCheckRequest { service: String::new() };
    HealthClient::new(server.channel().await).check(request).await.unwrap().into_inner().status()
}

/// Waits until the health service says that the server is out of service.
pub async fn until_not_serving(server: &Server) {
    let wait = async {
        while health(server).await != ServingStatus::NotServing {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(TIMEOUT, wait).await;
    assert!(waited.is_ok(), "the health service still says SERVING: {}", server.log());
}
