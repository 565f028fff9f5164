//! Many seeds without a finding; injected defects with one.
//!
//! What a seed has found is a test of its own in `session/tests`: the seed stands for another order of events as soon as
//! anything is woken once more or once less.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::history::{Counts, Finding};
use super::world::{self, Outcome};
use super::{Defect, inject};

/// How many seeds every test run tries.
const SEEDS: u64 = 400;
/// Within so many seeds a injected defect is found.
const SEEDS_FOR_A_DEFECT: u64 = 3_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// Runs a seed; says which it was if something in it panics.
fn run(seed: u64) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| world::run(seed))).unwrap_or_else(|panic| {
        eprintln!("seed {seed} panicked: DIVELOG_SIMULATION_SEED={seed} runs it again");
        std::panic::resume_unwind(panic)
    })
}

fn expect_no_findings(seed: u64, findings: &[Finding]) {
    assert!(findings.is_empty(), "seed {seed} (DIVELOG_SIMULATION_SEED={seed} runs it again): {findings:#?}");
}

#[test]
fn no_order_of_events_breaks_a_promise() {
    if let Some(seed) = number("DIVELOG_SIMULATION_SEED") {
        return expect_no_findings(seed, &run(seed).findings);
    }
    let seeds = number("DIVELOG_SIMULATION_SEEDS").unwrap_or(SEEDS);
    let (next, totals) = (AtomicU64::new(0), Mutex::new(Counts::default()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        return;
                    }
                    let Outcome { findings, counts } = run(seed);
                    totals.lock().unwrap().add(&counts);
                    if !findings.is_empty() {
                        // The others need not go on.
                        next.store(seeds, Ordering::Relaxed);
                    }
                    expect_no_findings(seed, &findings);
                }
            });
        }
    });
    let totals = totals.into_inner().unwrap();
    eprintln!("{seeds} seeds: {totals:?}");
    if seeds >= SEEDS {
        let Counts { done, refused, created, forked, watched, cancelled, crashes, failures, deposed, steps: _ } =
            totals;
        for (what, count, least) in [
            ("actions done", done, 10 * seeds),
            ("refusals", refused, seeds),
            ("creations", created, seeds),
            ("forks", forked, seeds / 4),
            ("steps watched", watched, seeds),
            ("cancelled calls", cancelled, seeds / 4),
            ("crashes", crashes, seeds),
            ("failures of the disk", failures, seeds / 20),
            ("groups refused late", deposed, seeds / 20),
        ] {
            assert!(count >= least, "too little happens: {count} {what} in {seeds} seeds");
        }
    }
}

#[test]
fn a_seed_is_the_same_every_time() {
    for seed in [1, 7, 42] {
        assert_eq!(run(seed).counts, run(seed).counts);
    }
}

/// With the defect some seed has a finding of one of these kinds.
fn expect_found(defect: Defect, kinds: &[&str]) {
    inject(Some(defect));
    let has_one = |seed: &u64| run(*seed).findings.iter().any(|finding| kinds.contains(&finding.kind));
    let found = (0..SEEDS_FOR_A_DEFECT).find(has_one);
    inject(None);
    let seed = found.unwrap_or_else(|| panic!("{defect:?} is not found"));
    assert!(run(seed).findings.is_empty(), "without the defect seed {seed} has no finding");
}

#[test]
fn two_copies_of_a_game_and_a_writer_that_compares_nothing_are_found() {
    expect_found(Defect::TwoCopies, &["log-broken", "two-histories", "not-in-log"]);
}

#[test]
fn a_lost_wake_up_is_found() {
    expect_found(Defect::LostWakeUp, &["hang"]);
}

#[test]
fn a_creation_that_leaves_its_id_unusable_is_found() {
    expect_found(Defect::CreationOfItsCaller, &["hang"]);
}
