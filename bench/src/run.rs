//! A run: starts servers, puts the loads on them in turn, and gathers the results.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use divelog_engine::Kind;
use tempfile::TempDir;
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    args::{LoadArgs, Output, Part, RunArgs, Target},
    disk::{self, DiskUse},
    engine,
    load::LoadResult,
    machine::{self, Machine},
    plan::{DISK_LOAD, MANY_STREAMS, POINTS, Point, REPLAY_TARGET, SEALING_TARGET},
    replay, report,
    results::{Judged, PointResult, Results, Sealing, TargetResult},
    servers::{self, RunningServer},
};

/// The warm-up before each measurement.
const WARMUP: Duration = Duration::from_secs(1);
/// An interval between checkpoints that no run reaches.
const NEVER: &str = "3600s";
/// The share of the cores above which other work disturbs the numbers.
const BUSY: f64 = 0.08;

/// Runs everything that was asked for and prints it. Ctrl-C and SIGTERM end the servers and remove the data.
pub async fn main(args: &RunArgs) -> Result<(), String> {
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| format!("cannot watch signals: {error}"))?;
    let results = tokio::select! {
        results = measure(args) => results?,
        _ = terminate.recv() => return Err("ended by SIGTERM".to_owned()),
        _ = tokio::signal::ctrl_c() => return Err("ended by Ctrl-C".to_owned()),
    };
    match args.output {
        Output::Table => print!("{}", report::table(&results)),
        Output::Json => {
            let json =
                serde_json::to_string_pretty(&results).map_err(|error| format!("cannot write the results: {error}"))?;
            println!("{json}");
        }
    }
    Ok(())
}

/// What the parts of a run share.
struct Bench<'a> {
    args: &'a RunArgs,
    /// The server under test; `None` to measure without it.
    divelogd: Option<PathBuf>,
    /// Removed at the end, with all data.
    folder: TempDir,
    warnings: Vec<String>,
}

/// Measures, in the order of the report.
async fn measure(args: &RunArgs) -> Result<Results, String> {
    let needs_server =
        [Part::Unary, Part::Stream, Part::Streams, Part::Disk, Part::Sealing].into_iter().any(|part| args.wants(part));
    let divelogd =
        if args.echo_only || !needs_server { None } else { Some(servers::find_divelogd(args.server_bin.as_deref())?) };
    let machine = blocking(Machine::inspect).await?;
    let folder = data_folder(args)?;
    let warnings = early_warnings(&machine, folder.path());
    let mut bench = Bench { args, divelogd, folder, warnings };
    let points = bench.points().await?;
    let (mut fdatasync, mut disk_use) = (Vec::new(), None);
    if args.wants(Part::Disk) {
        for round in 1..=args.rounds() {
            let (folder, window) = (bench.folder.path().to_owned(), args.window());
            let syncs = blocking(move || disk::syncs(&folder, window)).await?;
            let syncs = syncs.map_err(|error| format!("raw syncs failed: {error}"))?;
            progress(&format!("fdatasync, round {round}: {:.0}/s", syncs.rate));
            fdatasync.push(syncs);
        }
        disk_use = bench.disk_use().await?;
    }
    let mut replay = None;
    if args.wants(Part::Replay) {
        let window = args.window();
        replay = Some(blocking(move || replay::measure(window)).await??);
    }
    let sealing = if args.wants(Part::Sealing) { bench.sealing().await? } else { None };
    let mut engine = Vec::new();
    if args.wants(Part::Engine) {
        for kind in Kind::ALL {
            let window = args.window();
            engine.push(blocking(move || engine::measure(*kind, window)).await??);
            progress(&format!("rules of {}", kind.title()));
        }
    }
    let data_dir = bench.folder.path();
    Ok(Results {
        data_dir: data_dir.display().to_string(),
        file_system: machine::file_system(data_dir),
        machine,
        seconds: args.window().as_secs_f64(),
        rounds: args.rounds(),
        points,
        fdatasync,
        disk_use,
        replay: replay.map(|measured| Judged {
            ok: measured.actions_per_second >= REPLAY_TARGET,
            target: REPLAY_TARGET,
            measured,
        }),
        sealing: sealing.map(|measured| Judged {
            ok: measured.ratio >= SEALING_TARGET,
            target: SEALING_TARGET,
            measured,
        }),
        engine,
        warnings: bench.warnings,
    })
}

impl Bench<'_> {
    /// Puts every load that was asked for on every server.
    async fn points(&mut self) -> Result<Vec<PointResult>, String> {
        let wanted: Vec<&Point> = POINTS.iter().filter(|p| self.args.wants(p.part)).collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let echo = servers::start_echo(self.folder.path()).await?;
        let mut results = Vec::new();
        for point in wanted {
            results.push(self.point(point, &echo).await?);
        }
        echo.stop().await?;
        Ok(results)
    }

    /// Puts one load on every server, round by round. divelogd begins with an empty folder at every point, so that a
    /// point does not depend on those before it.
    async fn point(&mut self, point: &Point, echo: &RunningServer) -> Result<PointResult, String> {
        let data = server_data(self.folder.path())?;
        let divelogd = self.start_divelogd(&data).await?;
        let mut targets = vec![Target::Plain, Target::Typed];
        if divelogd.is_some() {
            targets.push(Target::Divelog);
        }
        let mut rounds: Vec<Vec<LoadResult>> = vec![Vec::new(); targets.len()];
        for round in 0..self.args.rounds() {
            for target in servers::order(&targets, round) {
                let server = match (target, &divelogd) {
                    (Target::Divelog, Some(divelogd)) => divelogd,
                    _ => echo,
                };
                let result = self.load(point, target, server).await?;
                progress(&format!("{}, round {}, {}: {:.0}/s", point.name, round + 1, target.name(), result.rate));
                if let Some(i) = targets.iter().position(|t| *t == target) {
                    rounds[i].push(result);
                }
            }
        }
        if let Some(divelogd) = divelogd {
            divelogd.stop().await?;
            remove_server(self.folder.path())?;
        }
        let results = targets.into_iter().zip(rounds);
        let mut result = PointResult {
            name: point.name,
            games: point.games,
            streams: point.streams,
            connections: point.connections(),
            // divelog first: it is what the report is about.
            targets: results.rev().map(|(t, r)| TargetResult::new(t, r)).collect(),
            ratio_to_plain: None,
            ratio_to_typed: None,
            target_ratio: point.target_ratio,
            ok: None,
        };
        result.judge();
        self.warn_of_failures(&result);
        Ok(result)
    }

    /// Puts one load on one server, once.
    async fn load(&self, point: &Point, target: Target, server: &RunningServer) -> Result<LoadResult, String> {
        let load = LoadArgs {
            address: server.address,
            target,
            games: point.games,
            connections: point.connections(),
            streams: point.streams,
            warmup_ms: millis(WARMUP),
            window_ms: millis(self.args.window()),
        };
        servers::run_load(&load)
            .await
            .map_err(|error| format!("{} on {}: {error}\n{}", point.name, target.name(), server.log_tail()))
    }

    /// Counts the bytes that a load leaves on disk once the server has ended.
    async fn disk_use(&mut self) -> Result<Option<DiskUse>, String> {
        let data = server_data(self.folder.path())?;
        let Some(divelogd) = self.start_divelogd(&data).await? else {
            return Ok(None);
        };
        let usage = |at: &Path| disk::usage(at).map_err(|e| format!("cannot measure the data: {e}"));
        let before = usage(&data)?;
        let load = self.load(&DISK_LOAD, Target::Divelog, &divelogd).await?;
        let records = disk::record_bytes(divelogd.address).await;
        divelogd.stop().await?;
        let disk_bytes = usage(&data)?.saturating_sub(before);
        remove_server(self.folder.path())?;
        if let Err(error) = &records {
            self.warnings.push(format!("the size of records is unknown: {error}"));
        }
        progress(&format!("bytes on disk: {disk_bytes}"));
        Ok(Some(DiskUse {
            actions: load.all_actions,
            games: load.games_created,
            disk_bytes,
            disk_bytes_per_action: disk_bytes as f64 / load.all_actions.max(1) as f64,
            record_bytes_per_action: records.as_ref().ok().map(|(bytes, _)| *bytes),
            sampled_records: records.map_or(0, |(_, records)| records),
        }))
    }

    /// Puts the same load on a server that seals every second and on one that never does, in turn.
    async fn sealing(&mut self) -> Result<Option<Sealing>, String> {
        let folders = ["sealed", "unsealed"].map(|name| self.folder.path().join(name));
        let [every_second, never] = [Some("1s"), Some(NEVER)];
        let Some(sealed) = self.start_sealing(&folders[0], every_second).await? else { return Ok(None) };
        let Some(unsealed) = self.start_sealing(&folders[1], never).await? else { return Ok(None) };
        let mut rounds = Vec::new();
        for round in 0..self.args.rounds() {
            let mut rates = [0.0; 2];
            for which in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
                let server = [&sealed, &unsealed][which];
                rates[which] = self.load(&MANY_STREAMS, Target::Divelog, server).await?.rate;
            }
            progress(&format!("sealing, round {}: {:.0}/s, without {:.0}/s", round + 1, rates[0], rates[1]));
            rounds.push((rates[0], rates[1]));
        }
        for (server, folder) in [sealed, unsealed].into_iter().zip(&folders) {
            server.stop().await?;
            remove(folder)?;
        }
        Ok(Some(Sealing::new(rounds)))
    }

    /// Starts the server under test on an empty folder, unless there is none.
    async fn start_divelogd(&self, data: &Path) -> Result<Option<RunningServer>, String> {
        self.start_sealing(data, None).await
    }

    /// The same, with an interval between checkpoints that may differ from the default.
    async fn start_sealing(&self, data: &Path, interval: Option<&str>) -> Result<Option<RunningServer>, String> {
        let Some(program) = &self.divelogd else {
            return Ok(None);
        };
        fs::create_dir_all(data).map_err(|error| format!("cannot create {}: {error}", data.display()))?;
        let server = servers::start_divelogd(program, data, interval, self.folder.path()).await?;
        Ok(Some(server))
    }

    /// Notes refusals and failures: with them, the rates are not worth much.
    fn warn_of_failures(&mut self, point: &PointResult) {
        for result in &point.targets {
            let (refusals, failures) = result.not_answered();
            if refusals + failures == 0 {
                continue;
            }
            let first = result.rounds.iter().flat_map(|r| &r.samples).next();
            self.warnings.push(format!(
                "{}, {}: {refusals} refusals, {failures} failures; first: {}",
                point.name,
                result.target.name(),
                first.map_or("-", String::as_str)
            ));
        }
    }
}

/// What makes the numbers unreliable, as far as it is known before the run.
pub fn early_warnings(machine: &Machine, folder: &Path) -> Vec<String> {
    let mut warnings = Vec::new();
    if machine::is_in_memory(folder) {
        warnings.push("the data folder is in memory: syncs cost nothing here".to_owned());
    }
    if let Some(busy) = machine.busy_before.filter(|busy| *busy > BUSY) {
        warnings.push(format!(
            "other work took {:.0} % of the cores before the run: the numbers are not worth publishing",
            busy * 100.0
        ));
    }
    if cfg!(debug_assertions) {
        warnings.push("this is a debug build: use --release".to_owned());
    }
    warnings
}

/// Makes the folder for all data: where asked, or in the target folder of this build, or here. A folder in memory is
/// the last choice: `/tmp` often is, and would flatter divelog.
pub fn data_folder(args: &RunArgs) -> Result<TempDir, String> {
    let parent = match &args.data_dir {
        Some(named) => named.clone(),
        None => {
            let program = servers::this_program()?;
            // target/release/divelog-bench
            let target = program.parent().and_then(Path::parent).map(Path::to_owned);
            let candidates = target.into_iter().chain([PathBuf::from(".")]);
            let mut candidates = candidates.filter(|folder| !machine::is_in_memory(folder));
            candidates.next().unwrap_or_else(|| PathBuf::from("."))
        }
    };
    fs::create_dir_all(&parent)
        .and_then(|()| parent.canonicalize())
        .and_then(|parent| tempfile::Builder::new().prefix("divelog-bench-").tempdir_in(parent))
        .map_err(|error| format!("cannot make a data folder in {}: {error}", parent.display()))
}

/// Runs what blocks on a thread of its own.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| format!("a measurement failed: {error}"))
}

/// A folder of its own for everything that a server leaves: its data, and the note beside them that there was a store.
const SERVER: &str = "divelogd";

/// Where a server's data will be; there is nothing yet.
pub fn server_data(folder: &Path) -> Result<PathBuf, String> {
    let parent = folder.join(SERVER);
    fs::create_dir_all(&parent).map_err(|error| format!("cannot make {}: {error}", parent.display()))?;
    Ok(parent.join("data"))
}

/// Removes everything that the server left.
pub fn remove_server(folder: &Path) -> Result<(), String> {
    remove(&folder.join(SERVER))
}

/// Removes a folder with all that is in it.
pub fn remove(folder: &Path) -> Result<(), String> {
    fs::remove_dir_all(folder).map_err(|error| format!("cannot remove {}: {error}", folder.display()))
}

/// Whole milliseconds.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Prints the progress of the run on stderr.
pub fn progress(what: &str) {
    eprintln!("{what}");
}
