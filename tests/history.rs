//! Everything that a server answers to many clients at once agrees with its logs, through kills and stops.

use std::time::{Duration, Instant};

use divelog_history::Choices;
use divelog_history::load::{Round, RoundSettings};
use divelog_tests::binary;

/// About how long rounds are begun.
const LONG: Duration = Duration::from_secs(45);
/// How long the load of one round lasts.
const ROUND_SECONDS: u64 = 8;
/// The environment's name of the seed: set it to repeat a run.
const SEED: &str = "DIVELOG_HISTORY_SEED";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_clients_were_told_agrees_with_the_logs() {
    let seed = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(seed_from_clock);
    let program = binary("divelogd");
    let dir = tempfile::tempdir().unwrap();
    let (mut choices, begun, mut operations) = (Choices::new(seed, 0), Instant::now(), 0);
    while begun.elapsed() < LONG {
        let round_seed = choices.word() >> 16;
        let settings = RoundSettings::draw(round_seed, &[1, 2, 4], ROUND_SECONDS);
        let folder = dir.path().join(round_seed.to_string());
        let round = Round { program: program.clone(), folder: folder.clone(), seed: round_seed, settings };
        let result = round.run().await.unwrap();
        let findings: Vec<String> = result.report.findings.iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{SEED}={seed}, round {round_seed} [{}]: {findings:#?}", round.settings);
        operations += result.operations;
        std::fs::remove_dir_all(folder).unwrap();
    }
    println!("history: {operations} operations, seed {seed}");
}

fn seed_from_clock() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64
}
