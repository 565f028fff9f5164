//! What the sources hold: every game put together, and everything that is missing or damaged.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use divelog_ledger::{GameId, Hash, Revision, Secret, Sequence, Status};

use super::carve::{self, Wanted};
use super::catalog::{Catalog, Proof};
use super::published::{Published, PublishedHeads};
use super::rebuild_game::{RebuiltGame, commitment_of, rebuild_game};
use super::report::{Blocks, GameProblem, Games, LeftOut, Problem, PublishedLog, Report, Why};
use super::source::Sources;
use super::{Progress, RecoveryError};
use crate::store::watermark::Watermark;

pub(super) struct Inventory {
    pub sources: Sources,
    pub catalog: Catalog,
    pub secrets: HashMap<GameId, [u8; 32]>,
    pub published: Option<Published>,
    /// The last block that was written, as far as anything shows.
    pub expected_last: Option<u64>,
    pub report: Report,
}

impl Inventory {
    /// Goes through everything. `each` gets every game that has a record.
    pub fn make(
        mut sources: Sources,
        tiles: Option<&Path>,
        progress: &Progress,
        mut each: impl FnMut(&Catalog, &RebuiltGame),
    ) -> Result<Inventory, RecoveryError> {
        let (mut catalog, bundled) = sources.catalogue(progress)?;
        let mut remarks = std::mem::take(&mut sources.remarks);
        let published = read_published(&sources, tiles, &mut remarks, progress)?;
        let secrets = scan(&mut catalog, bundled, published.as_ref(), progress);
        let marks = sources.watermarks.iter().filter_map(|(_, mark)| Some(mark.as_ref().ok()?.block));
        let ends = sources.backups.iter().filter_map(|backup| backup.end_block.checked_sub(1));
        let sealed = sources.sealed.iter().filter_map(|state| state.next_block.checked_sub(1));
        let expected_last = marks.chain(ends).chain(sealed).chain(catalog.last_block()).max();
        check_watermarks(&sources, &catalog, &mut remarks);
        remarks.extend(sources.backups.iter().filter_map(|backup| backup.problem.clone()));

        let mut report = Report {
            sources: sources.names.clone(),
            blocks: blocks(&catalog, expected_last),
            published: published.as_ref().map(|log| PublishedLog {
                dir: log.dir.clone(),
                leaves: log.size,
                games: log.games.len() as u64,
                signature_checked: log.key.is_some(),
            }),
            ..Report::default()
        };
        let finder = ProblemFinder { published: published.as_ref(), last_lost: report.blocks.last_missing() };
        progress.begin("replaying games".into(), catalog.games.len() as u64);
        for (done, game) in (0..).zip(catalog.games.keys()) {
            progress.at(done);
            let heads = published.as_ref().and_then(|log| log.games.get(game));
            let rebuilt = rebuild_game(&catalog, *game, secrets.get(game).copied(), heads);
            report.games.found += 1;
            report.records += rebuilt.chain.len() as u64;
            match finder.problem(&rebuilt, heads) {
                Some(problem) => report.add(problem),
                None => report.games.whole += 1,
            }
            report.left_out.extend_from_slice(&rebuilt.left_out);
            each(&catalog, &rebuilt);
        }
        if let Some(log) = &published {
            let lost = log.games.iter().filter(|(game, _)| !catalog.games.contains_key(game));
            for (game, heads) in lost {
                report.add(GameProblem::lost(*game, heads.revision()));
            }
        }
        report.remarks = remarks;
        report.decide();
        progress.end();
        Ok(Inventory { sources, catalog, secrets, published, expected_last, report })
    }

    /// One game again, as `each` was shown it.
    pub fn rebuild_game(&self, game: GameId) -> RebuiltGame {
        let heads = self.published.as_ref().and_then(|log| log.games.get(&game));
        rebuild_game(&self.catalog, game, self.secrets.get(&game).copied(), heads)
    }
}

/// The named log, or the first of the data folders that can be read whole.
fn read_published(
    sources: &Sources,
    tiles: Option<&Path>,
    remarks: &mut Vec<String>,
    progress: &Progress,
) -> Result<Option<Published>, RecoveryError> {
    let keys = sources.verifier_keys();
    if let Some(dir) = tiles {
        let log = Published::read(dir, &keys, progress)?;
        let problem = "it has no checkpoint".to_owned();
        return log.map(Some).ok_or_else(|| RecoveryError::Published { dir: dir.to_path_buf(), problem });
    }
    let mut best: Option<Published> = None;
    for dir in &sources.tlogs {
        match Published::read(dir, &keys, progress) {
            Ok(Some(log)) if best.as_ref().is_none_or(|best| best.size < log.size) => best = Some(log),
            Ok(_) => {}
            Err(error) => remarks.push(error.to_string()),
        }
    }
    Ok(best)
}

/// Finds the secrets, and records of games that lack some.
fn scan(
    catalog: &mut Catalog,
    bundled: Vec<(GameId, [u8; 32])>,
    published: Option<&Published>,
    progress: &Progress,
) -> HashMap<GameId, [u8; 32]> {
    let mut secrets = HashMap::new();
    let mut commitments: HashMap<GameId, Hash> = HashMap::new();
    let mut incomplete = HashSet::new();
    for (game, records) in &catalog.games {
        commitments.extend(commitment_of(catalog, *game).map(|commitment| (*game, commitment)));
        let sound: BTreeSet<Sequence> =
            records.iter().filter(|record| record.proof != Proof::Damaged).map(|record| record.sequence).collect();
        let written = records.iter().map(|record| record.sequence.revision_after()).max().unwrap_or_default();
        let heads = published.and_then(|log| log.games.get(game)).map_or(Revision::NONE, PublishedHeads::revision);
        if (sound.len() as u64) < written.max(heads).get() {
            incomplete.insert(*game);
        }
    }
    for (game, secret) in bundled.into_iter().chain(std::mem::take(&mut catalog.secrets)) {
        if commitments.get(&game).is_some_and(|commitment| Secret(secret).commitment(game) == *commitment) {
            commitments.remove(&game);
            secrets.insert(game, secret);
        }
    }
    secrets.extend(carve::scan(catalog, Wanted { secrets: commitments, records: incomplete }, progress));
    secrets
}

fn check_watermarks(sources: &Sources, catalog: &Catalog, remarks: &mut Vec<String>) {
    for dir in &sources.unmarked {
        remarks.push(format!("{} has no watermark: blocks lost at its end cannot be noticed", dir.display()));
    }
    for (dir, mark) in &sources.watermarks {
        let mark = match mark {
            Ok(mark) => mark,
            Err(problem) => {
                remarks.push(problem.clone());
                continue;
            }
        };
        let mut variants = catalog.whole_variants(mark.block).peekable();
        if variants.peek().is_some() && !variants.any(|value| Watermark::of(mark.block, &value) == *mark) {
            remarks.push(format!(
                "block {} is not the one that the watermark of {} was written for",
                mark.block,
                dir.display()
            ));
        }
    }
}

fn blocks(catalog: &Catalog, expected_last: Option<u64>) -> Blocks {
    Blocks {
        found: catalog.block_numbers().count() as u64,
        last: expected_last,
        missing: catalog.missing_blocks(expected_last),
        damaged: catalog.damaged_blocks().map(|(number, _)| number).collect(),
        conflicting: catalog.conflicting_blocks().collect(),
    }
}

/// Says what is wrong with a game.
struct ProblemFinder<'a> {
    published: Option<&'a Published>,
    /// The newest block that is nowhere.
    last_lost: Option<u64>,
}

impl ProblemFinder<'_> {
    fn problem(&self, game: &RebuiltGame, heads: Option<&PublishedHeads>) -> Option<GameProblem> {
        let records = Revision::of(&game.chain);
        let published = heads.map_or(Revision::NONE, PublishedHeads::revision);
        let say = |problem, sentence: String| {
            let published = self.published.map(|_| published.get());
            Some(GameProblem {
                game_id: game.game,
                problem,
                records: records.get(),
                written: game.written.max(records).get(),
                published,
                sentence,
            })
        };
        let contradiction = heads.and_then(|heads| {
            heads.contradiction(|revision| {
                let last = revision.last_record()?;
                Some(game.chain.get(last.index())?.hash)
            })
        });
        if records == Revision::NONE {
            let sentence = format!("record 0 was not found, so none of its {} records can be used", game.written);
            return say(Problem::Lost, sentence);
        }
        if let Some(revision) = contradiction {
            let sentence = format!("revision {revision} is another one than the published log has");
            return say(Problem::Contradiction, sentence);
        }
        if game.has_gap() {
            let sentence = format!(
                "record {} is missing or damaged; {} records were written, {records} were found from the first on",
                records.next_record(),
                game.written
            );
            return say(Problem::MissingRecords, sentence);
        }
        if published > records {
            let sentence =
                format!("it reached revision {published} by the published log, {records} records were found");
            return say(Problem::MissingRecords, sentence);
        }
        if game.secret.is_none() {
            return say(Problem::NoSecret, "its secret was not found, so it cannot be replayed or go on".into());
        }
        if let Some(fault) = &game.fault {
            return say(Problem::Replay, fault.to_string());
        }
        if let Some(sequence) = game.conflict {
            let sentence = format!("there are two histories of it from record {sequence} on; the later one was taken");
            return say(Problem::Contradiction, sentence);
        }
        let shorter = |left: &&LeftOut| left.why == Why::OtherHistory;
        if let Some(left) = game.left_out.iter().find(shorter) {
            let sentence =
                format!("there is a shorter history of it from record {} on; the longer one was taken", left.first);
            return say(Problem::Contradiction, sentence);
        }
        let over = game.status() != Some(Status::Running);
        match self.last_lost {
            Some(lost) if !over && game.last_block().is_none_or(|block| block < lost) => {
                let sentence = format!("it was running, and block {lost}, which is lost, may hold later records of it");
                say(Problem::MayLackItsEnd, sentence)
            }
            _ => None,
        }
    }
}

impl Report {
    fn add(&mut self, problem: GameProblem) {
        let Games { damaged, uncertain, lost, .. } = &mut self.games;
        match problem.problem {
            Problem::Lost => *lost += 1,
            Problem::MayLackItsEnd => *uncertain += 1,
            Problem::NoSecret | Problem::MissingRecords | Problem::Contradiction | Problem::Replay => *damaged += 1,
        }
        self.problems.push(problem);
    }
}
