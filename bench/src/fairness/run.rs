//! A run of this part: for each attack a server with the victim and the attacker, and one with the victim and the
//! burner.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tempfile::TempDir;
use tokio::{
    process::Command,
    signal::unix::{SignalKind, signal},
};

use super::{
    attacks::{AttackResult, Plan},
    data,
    helper::Helper,
    probe::{CpuShare, ProcessUsage, UsageWatch},
    report,
    results::{Fairness, Line},
    victim::{self, VictimResult},
};
use crate::{
    args::{Output, Part, RunArgs},
    machine::Machine,
    run::{blocking, data_folder, early_warnings, millis, progress, remove, server_data},
    servers::{self, RunningServer},
};

/// How long each attack runs beside the victim.
const WINDOW: Duration = Duration::from_secs(60);
/// The same with --quick.
const QUICK_WINDOW: Duration = Duration::from_secs(5);
/// The victim is measured alone for this part of the window: only for information.
const ALONE_PART: u32 = 4;
/// But at least for so long, if the window is not shorter.
const MIN_ALONE: Duration = Duration::from_secs(5);
/// How long after an attack the server's usage is measured once more.
const SETTLE_TIME: Duration = Duration::from_secs(3);
/// How long a helper may take for what has no length of its own.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Limits a server's open descriptors before it becomes the server: `sh -c THIS LIMIT PROGRAM ARGUMENTS`.
const LIMIT_DESCRIPTORS: &str = r#"ulimit -n "$0" && exec "$@""#;

/// Runs the attacks and prints what they did. Fails if any was outside its bounds.
pub async fn main(args: &RunArgs) -> Result<(), String> {
    if args.only != [Part::Fairness] {
        return Err("the part fairness is measured by itself: --only fairness".to_owned());
    }
    if args.echo_only {
        return Err("the part fairness needs divelogd: leave --echo-only out".to_owned());
    }
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| format!("cannot watch signals: {error}"))?;
    let results = tokio::select! {
        results = measure(args) => results?,
        _ = terminate.recv() => return Err("ended by SIGTERM".to_owned()),
        _ = tokio::signal::ctrl_c() => return Err("ended by Ctrl-C".to_owned()),
    };
    match args.output {
        Output::Table => print!("{}", report::table(&results)),
        Output::Json => {
            let json = serde_json::to_string_pretty(&results);
            println!("{}", json.map_err(|error| format!("cannot write the results: {error}"))?);
        }
    }
    match results.missed() {
        0 => Ok(()),
        missed => Err(format!("{missed} of {} attacks were outside a bound", results.lines.len())),
    }
}

async fn measure(args: &RunArgs) -> Result<Fairness, String> {
    let divelogd = servers::find_divelogd(args.server_bin.as_deref())?;
    let machine = blocking(Machine::inspect).await?;
    let folder = data_folder(args)?;
    let default = if args.quick { QUICK_WINDOW } else { WINDOW };
    let window = args.seconds.map_or(default, Duration::from_secs);
    let warnings = early_warnings(&machine, folder.path());
    let run = FairnessRun::prepare(divelogd, folder, window).await?;
    let mut lines = Vec::new();
    for plan in Plan::all().filter(|plan| args.attack.is_empty() || args.attack.contains(&plan.attack)) {
        let line = run.line(&plan).await?;
        let (beside, burner) = (&line.beside_attack, &line.beside_burner);
        progress(&format!("{}: p99 {:.2} ms, beside a burner {:.2} ms", line.name, beside.p99_ms, burner.p99_ms));
        lines.push(line);
    }
    Ok(Fairness { machine, seconds: window.as_secs_f64(), lines, warnings })
}

/// What all attacks have in common.
struct FairnessRun {
    divelogd: PathBuf,
    /// Removed at the end, with all data.
    folder: TempDir,
    window: Duration,
    /// The id of the long game that is over.
    finished: String,
}

/// A server with a victim that is ready to play.
struct TestBed {
    server: RunningServer,
    pid: u32,
    data: PathBuf,
    victim: Helper,
    /// The id of the victim's game.
    game: String,
}

/// The victim beside an attack.
struct Attacked {
    result: VictimResult,
    cores: f64,
    before: ProcessUsage,
    most: ProcessUsage,
    after: Option<ProcessUsage>,
    attack: AttackResult,
    faults: Vec<String>,
}

impl FairnessRun {
    /// Makes the data on which every attack begins.
    async fn prepare(divelogd: PathBuf, folder: TempDir, window: Duration) -> Result<Self, String> {
        progress("filling a store");
        let mut run = Self { divelogd, folder, window, finished: String::new() };
        let server = run.start(&run.prepared(), None).await?;
        run.finished = data::fill(server.address).await?;
        server.stop().await?;
        Ok(run)
    }

    /// The data that is copied for each server.
    fn prepared(&self) -> PathBuf {
        self.folder.path().join("prepared")
    }

    /// Starts a server.
    async fn start(&self, data: &Path, descriptors: Option<u64>) -> Result<RunningServer, String> {
        let mut command = match descriptors {
            None => Command::new(&self.divelogd),
            Some(limit) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", LIMIT_DESCRIPTORS, &limit.to_string()]).arg(&self.divelogd);
                shell
            }
        };
        command.arg("serve").arg("--data").arg(data).args(["--listen", "127.0.0.1:0"]);
        servers::start("divelogd", command, self.folder.path()).await
    }

    /// Starts a server on its own copy of the data, and a victim.
    async fn test_bed(&self, plan: &Plan) -> Result<TestBed, String> {
        let (from, data) = (self.prepared(), server_data(self.folder.path())?);
        let to = data.clone();
        blocking(move || data::copy(&from, &to)).await?.map_err(|error| format!("cannot copy the data: {error}"))?;
        let server = self.start(&data, plan.descriptors).await?;
        let pid = server.pid().ok_or("divelogd has no process id")?;
        let mut victim = Helper::start("victim", &["--address".to_owned(), server.address.to_string()])?;
        let game = victim.line(TIMEOUT).await?;
        Ok(TestBed { server, pid, data, victim, game })
    }

    /// Measures one attack.
    async fn line(&self, plan: &Plan) -> Result<Line, String> {
        let window = plan.longest.map_or(self.window, |longest| longest.min(self.window));
        let attacked = self.beside_attack(plan, window).await?;
        let (alone, beside_burner, burner_cores) = self.beside_burner(plan, window, attacked.cores).await?;
        Ok(Line {
            name: plan.name,
            alone,
            beside_burner,
            beside_attack: attacked.result,
            burner_cores,
            attack_cores: attacked.cores,
            judged: plan.judged,
            before: attacked.before,
            most: attacked.most,
            after: attacked.after,
            attack: attacked.attack,
            faults: attacked.faults,
        })
    }

    /// The victim beside the attack. What the attack breaks is a fault of its line, and does not end the run.
    async fn beside_attack(&self, plan: &Plan, window: Duration) -> Result<Attacked, String> {
        let mut test_bed = self.test_bed(plan).await?;
        let before = ProcessUsage::of(test_bed.pid).map_err(|error| format!("cannot inspect divelogd: {error}"))?;
        let watch = UsageWatch::begin(test_bed.pid);
        let mut attacker = Helper::start("attack", &self.attack_args(plan, window, &test_bed))?;
        let mut faults = Vec::new();
        let played = play_under_attack(&mut test_bed.victim, &mut attacker, window).await;
        let (result, cores) = played.unwrap_or_else(|fault| {
            faults.push(fault);
            (VictimResult::default(), 0.0)
        });
        attacker.end();
        let attack = attacker.result(TIMEOUT).await.unwrap_or_else(|fault| {
            faults.push(fault);
            AttackResult::default()
        });
        // The server may still be busy with what it was sent.
        tokio::time::sleep(SETTLE_TIME).await;
        let most = watch.peak().await;
        let after = ProcessUsage::of(test_bed.pid).ok();
        faults.extend(test_bed.clear().await.err());
        Ok(Attacked { result, cores, before, most, after, attack, faults })
    }

    fn attack_args(&self, plan: &Plan, window: Duration, test_bed: &TestBed) -> Vec<String> {
        let seconds = (TIMEOUT + window + victim::GRACE + TIMEOUT).as_secs();
        let [address, seconds] = [test_bed.server.address.to_string(), seconds.to_string()];
        [
            ["--address", &address],
            ["--attack", &plan.attack.to_string()],
            ["--finished", &self.finished],
            ["--watched", &test_bed.game],
            ["--seconds", &seconds],
        ]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect()
    }

    /// The victim alone, and then beside a burner, whose processor time comes third.
    async fn beside_burner(
        &self,
        plan: &Plan,
        window: Duration,
        cores: f64,
    ) -> Result<(VictimResult, VictimResult, f64), String> {
        let mut test_bed = self.test_bed(plan).await?;
        let alone = play(&mut test_bed.victim, (window / ALONE_PART).max(MIN_ALONE).min(window)).await?;
        let [per_mille, seconds] = [(cores * 1_000.0).round() as u64, (window + victim::GRACE + TIMEOUT).as_secs()];
        let args = ["--per-mille".to_owned(), per_mille.to_string(), "--seconds".to_owned(), seconds.to_string()];
        let mut burner = Helper::start("burn", &args)?;
        let share = share_of(&burner)?;
        let result = play(&mut test_bed.victim, window).await?;
        let burnt = share.cores().map_err(|error| format!("the burner is gone: {error}"))?;
        burner.end();
        test_bed.clear().await?;
        Ok((alone, result, burnt))
    }
}

impl TestBed {
    /// Ends the server and removes its data.
    async fn clear(self) -> Result<(), String> {
        drop(self.victim);
        let stopped = self.server.stop().await;
        // With the note beside them that there was a store.
        remove(self.data.parent().unwrap_or(&self.data))?;
        stopped
    }
}

/// Has the victim play once the attack is under way; what it measured, and the attacker's processor time.
async fn play_under_attack(
    victim: &mut Helper,
    attacker: &mut Helper,
    window: Duration,
) -> Result<(VictimResult, f64), String> {
    attacker.line(TIMEOUT).await?;
    let share = share_of(attacker)?;
    let result = play(victim, window).await?;
    let cores = share.cores().map_err(|error| format!("the attacker is gone: {error}"))?;
    Ok((result, cores))
}

/// Has the victim play.
async fn play(victim: &mut Helper, window: Duration) -> Result<VictimResult, String> {
    victim.send_line(&millis(window).to_string()).await?;
    victim.result(window + victim::GRACE + TIMEOUT).await
}

fn share_of(helper: &Helper) -> Result<CpuShare, String> {
    let pid = helper.pid().ok_or("a helper ended early")?;
    CpuShare::begin(pid).map_err(|error| format!("cannot inspect a helper: {error}"))
}
