//! `divelog-history`: runs rounds of load and reports what does not agree.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use divelog_history::load::{Role, Round, RoundResult, RoundSettings};
use divelog_history::{Choices, Kind};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXAMPLES: &str = "\
Examples:
  divelog-history --seconds 60 --seed 7              rounds of load for about a minute
  divelog-history --seconds 3600 --threads 2,4       an hour against servers with 2 or 4 threads
  divelog-history --operations 20000000              as long as it takes
  divelog-history --round 1234567 --threads 2        one round again, by the seed that a finding printed
  divelog-history --server target/release/divelogd --keep findings

Exit codes: 0 everything agrees, 1 findings, 2 usage or no server.
docs/testing-concurrency.md says what is checked and how to read a finding.";

/// Loads a divelogd with many clients, kills and stops it, and checks everything that it answered.
#[derive(Parser, Debug)]
#[command(name = "divelog-history", version, about, before_help = EXAMPLES)]
struct Args {
    /// For how long rounds are begun
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Stop after so many operations instead
    #[arg(long, value_name = "N")]
    operations: Option<u64>,
    /// The seed of all choices [default: from the clock]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Run one round only, with this seed of its own
    #[arg(long, value_name = "SEED")]
    round: Option<u64>,
    /// How long the load of one round lasts
    #[arg(long, value_name = "N", default_value_t = 10)]
    round_seconds: u64,
    /// The server's program [default: divelogd beside this one]
    #[arg(long, value_name = "PATH")]
    server: Option<PathBuf>,
    /// Numbers of server threads to choose among
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [1, 2, 4])]
    threads: Vec<usize>,
    /// So many clients in every round [default: 10 to 60, by the seed]
    #[arg(long, value_name = "N")]
    clients: Option<u32>,
    /// So many unanswered requests on a stream at most [default: 1 to 200, by the seed]
    #[arg(long, value_name = "N")]
    pipelined: Option<usize>,
    /// So many threads that only keep the processor busy [default: 0 or 2, by the seed]
    #[arg(long, value_name = "N")]
    busy_threads: Option<usize>,
    /// What clients do, to narrow a finding down [default: everything]
    #[arg(long, value_name = "ROLE,…", value_delimiter = ',')]
    roles: Vec<Role>,
    /// Where data folders are made; those of rounds with findings stay there [default: the system's temporary folder]
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Stop at the first round with a finding
    #[arg(long)]
    stop_at_finding: bool,
}

/// How many folders of rounds with findings are kept: each takes some ten MiB.
const MAX_KEPT: u64 = 10;

/// What all rounds came to.
#[derive(Default)]
struct Totals {
    rounds: u64,
    kept: u64,
    result: RoundResult,
    findings: BTreeMap<Kind, u64>,
}

impl Totals {
    fn add(&mut self, result: &RoundResult) {
        self.rounds += 1;
        let sum = &mut self.result;
        sum.operations += result.operations;
        sum.games += result.games;
        sum.acknowledged += result.acknowledged;
        sum.refused += result.refused;
        sum.unclear += result.unclear;
        sum.kills += result.kills;
        sum.stops += result.stops;
        for (kind, count) in &result.report.counts {
            *self.findings.entry(*kind).or_default() += count;
        }
    }

    fn print(&self, took: Duration) {
        let sum = &self.result;
        println!(
            "total: {} rounds, {} operations in {:.0} s ({:.0}/s), {} games, {} acknowledged, {} refused, {} unclear, {} kills, {} stops",
            self.rounds,
            sum.operations,
            took.as_secs_f64(),
            sum.operations as f64 / took.as_secs_f64().max(1e-9),
            sum.games,
            sum.acknowledged,
            sum.refused,
            sum.unclear,
            sum.kills,
            sum.stops,
        );
        for (kind, count) in &self.findings {
            println!("findings: {count} {kind}");
        }
        if self.findings.is_empty() {
            println!("findings: none");
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(run(&args)),
        Err(error) => Err(error.to_string()),
    };
    match ended {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("divelog-history: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs rounds, and says how many findings there were.
async fn run(args: &Args) -> Result<u64, String> {
    let program = server_program(args)?;
    let parent = args.keep.clone().unwrap_or_else(std::env::temp_dir);
    let seed = args.seed.unwrap_or_else(seed_from_clock);
    println!("seed {seed}");
    let mut choices = Choices::new(seed, 0);
    let (begun, mut totals) = (Instant::now(), Totals::default());
    loop {
        let seed = args.round.unwrap_or_else(|| choices.word() >> 16);
        let settings = settings(args, seed);
        let folder = parent.join(format!("divelog-history-{}-{seed}", std::process::id()));
        let round = Round { program: program.clone(), folder, seed, settings };
        let result = round.run().await.map_err(|broken| broken.to_string())?;
        totals.add(&result);
        print_round(&round, &result);
        totals.kept += u64::from(result.report.total() > 0);
        clean_up(&round, &result, totals.kept <= MAX_KEPT);
        let enough = match args.operations {
            Some(operations) => totals.result.operations >= operations,
            None => begun.elapsed() >= Duration::from_secs(args.seconds),
        };
        let found = result.report.total() > 0 && args.stop_at_finding;
        if enough || found || args.round.is_some() {
            break;
        }
    }
    totals.print(begun.elapsed());
    Ok(totals.findings.values().sum())
}

fn settings(args: &Args, seed: u64) -> RoundSettings {
    let drawn = RoundSettings::draw(seed, &args.threads, args.round_seconds);
    RoundSettings {
        roles: args.roles.clone(),
        clients: args.clients.unwrap_or(drawn.clients),
        pipelined: args.pipelined.unwrap_or(drawn.pipelined),
        busy_threads: args.busy_threads.unwrap_or(drawn.busy_threads),
        ..drawn
    }
}

/// One line, and the findings if there are any.
fn print_round(round: &Round, result: &RoundResult) {
    let findings = result.report.total();
    println!(
        "round {} [{}] {} operations, {} games, {} kills, {} stops, {} findings",
        round.seed, round.settings, result.operations, result.games, result.kills, result.stops, findings
    );
    for (kind, count) in &result.report.counts {
        println!("  round {}: {count} {kind}", round.seed);
    }
    for finding in &result.report.findings {
        println!("  round {}: {finding}", round.seed);
    }
}

/// Removes a round's folder, unless somebody will want to look into it.
fn clean_up(round: &Round, result: &RoundResult, keep: bool) {
    if keep && result.report.total() > 0 {
        println!("  round {}: its folder is kept: {}", round.seed, round.folder.display());
    } else if let Err(error) = std::fs::remove_dir_all(&round.folder) {
        eprintln!("divelog-history: {}: {error}", round.folder.display());
    }
}

fn server_program(args: &Args) -> Result<PathBuf, String> {
    let beside = || Some(std::env::current_exe().ok()?.with_file_name("divelogd"));
    let program = args.server.clone().or_else(beside).ok_or("there is no server: name one by --server")?;
    match program.exists() {
        true => Ok(program),
        false => Err(format!("there is no {}: build it, or name a server by --server", program.display())),
    }
}

fn seed_from_clock() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64
}
