//! `divelogd restore`: a new store out of everything that the sources still hold.
//!
//! Records stay in the blocks that they were in, under the same numbers, so that the order of the log is kept. A block of
//! which a part is lost is written again with the rest; one that is lost altogether is written without records. Records
//! that have no block any more, and those that follow them in their game, go to new blocks at the end.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use divelog_ledger::tlog::Leaf;
use divelog_ledger::{GameId, Hash, Revision, Sequence};

use super::catalog::{Catalog, Proof};
use super::inventory::Inventory;
use super::rebuild_game::{Link, RebuiltGame};
use super::report::{DatabaseCheck, Report};
use super::signing::{self, LogOptions};
use super::source::Sources;
use super::{Progress, RecoveryError, open_copy};
use crate::files::{self, Readers};
use crate::store::block::{self, MAX_BLOCK_BYTES, MAX_RECORDS, NO_BLOCK, Placed};
use crate::store::rebuild::Rebuild;
use crate::store::sync_dir;
use crate::transparency::state::State;

/// What restore is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Data folders, backups, bundles, folders of these.
    pub from: &'a [PathBuf],
    /// The new data folder.
    pub data: &'a Path,
    /// The published log to compare with.
    pub tiles: Option<&'a Path>,
    /// What the operator says about the transparency log.
    pub log: LogOptions<'a>,
    /// The length of each of the new store's two journal files.
    pub journal_bytes: u64,
}

/// Where the records of a game go.
struct Plan {
    /// The block of each record that stays where it was.
    in_place: Vec<u64>,
    /// The game's revision in the new store.
    revision: Revision,
    head: Hash,
}

/// Writes a new store.
pub fn restore(options: Options<'_>, progress: &Progress) -> Result<Report, RecoveryError> {
    restore_under(options, OsStr::new(".divelog-restore-"), progress)
}

/// The same. Until it is whole its folder has a name that begins so, beside where it will be.
pub(super) fn restore_under(
    options: Options<'_>,
    making: &OsStr,
    progress: &Progress,
) -> Result<Report, RecoveryError> {
    let data = options.data;
    refuse_unless_empty(data)?;
    let mut sources = Sources::default();
    for source in options.from {
        sources.add(source, progress)?;
    }
    let mut plans: HashMap<GameId, Plan> = HashMap::new();
    let mut leaves = 0;
    let inventory = Inventory::make(sources, options.tiles, progress, |catalog, game| {
        if !game.chain.is_empty() {
            plans.insert(game.game, plan(catalog, game));
        }
        let is_due = |(sequence, link): &(Sequence, &Link)| Leaf::is_due(sequence.revision_after(), link.status);
        leaves += Sequence::SETUP.onward().zip(&game.chain).filter(is_due).count() as u64;
    })?;
    let decision = signing::decide(&inventory, options.log)?;
    let unmade = decision.required_tree().filter(|signed| signed.size > leaves).map(|signed| {
        format!(
            "{} leaves were signed and the restored records make {leaves}: records are missing, and nothing will be signed \
             with the log's key",
            signed.size
        )
    });
    let parent = match data.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    files::create_folder(parent, Readers::Owner).map_err(RecoveryError::io("creating", parent))?;
    // Under another name until it is whole: a store that was cut off in the making must not be taken for one.
    // And its owner's alone from the beginning: it holds the secrets of all games.
    let owner_only = fs::Permissions::from_mode(0o700);
    let making = tempfile::Builder::new().prefix(making).permissions(owner_only).tempdir_in(parent);
    let making = making.map_err(RecoveryError::io("creating a folder in", parent))?;
    write_blocks(&inventory, &plans, making.path(), progress)?;
    let (log, state) = decision.apply(&inventory, options.log, making.path())?;
    let heads = plans.iter().map(|(game, plan)| (*game, (plan.revision, plan.head))).collect();
    let database = read_back(making.path(), state, options.journal_bytes, &heads, progress)?;
    sync_dir(making.path())?;
    fs::rename(making.path(), data).map_err(RecoveryError::io("renaming the new store to", data))?;
    sync_dir(parent)?;
    let mut report = inventory.report;
    report.database = Some(database);
    report.log = log;
    report.remarks.extend(unmade);
    report.restored_to = Some(data.to_path_buf());
    report.decide();
    Ok(report)
}

fn refuse_unless_empty(dir: &Path) -> Result<(), RecoveryError> {
    match fs::read_dir(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(RecoveryError::io("reading", dir)(error)),
        Ok(mut entries) => match entries.next() {
            Some(_) => Err(RecoveryError::NotEmpty { dir: dir.to_path_buf() }),
            None => Ok(()),
        },
    }
}

/// Which records of a game can stay where they are: as long as each names the block of the one before.
fn plan(catalog: &Catalog, game: &RebuiltGame) -> Plan {
    let mut in_place = Vec::new();
    let mut previous = NO_BLOCK;
    for Link { record, .. } in &game.chain {
        let stays = record.proof == Proof::Checksum
            && catalog.primary(record.block) == Some(record.variant)
            && record.previous_block == previous;
        if !stays {
            break;
        }
        previous = record.block;
        in_place.push(record.block);
    }
    Plan { in_place, revision: Revision::of(&game.chain), head: game.head() }
}

fn write_blocks(
    inventory: &Inventory,
    plans: &HashMap<GameId, Plan>,
    dir: &Path,
    progress: &Progress,
) -> Result<(), RecoveryError> {
    let mut store = Rebuild::create(dir)?;
    progress.begin("writing blocks".into(), inventory.report.blocks.found);
    for (done, number) in (0..).zip(inventory.catalog.block_numbers()) {
        progress.at(done);
        let Some((value, created)) = kept_block(inventory, plans, number) else { continue };
        store.put(number, &value, &secrets_of(inventory, &created))?;
    }
    let next = inventory.expected_last.map_or(0, |last| last.saturating_add(1));
    store.fill_up_to(next)?;
    move_records(inventory, plans, &mut store, next)?;
    store.finish()?;
    Ok(())
}

/// The block with those of its records that stay in it, and the games that begin in it. None: no record stays.
fn kept_block(inventory: &Inventory, plans: &HashMap<GameId, Plan>, number: u64) -> Option<(Vec<u8>, Vec<GameId>)> {
    let items = inventory.catalog.primary_items(number)?;
    let stays = |item: &&block::Item| {
        let plan = plans.get(&item.game);
        plan.and_then(|plan| plan.in_place.get(item.sequence.index())) == Some(&number)
    };
    let kept: Vec<&block::Item> = items.iter().filter(stays).collect();
    if kept.is_empty() && !items.is_empty() {
        return None;
    }
    let created = kept.iter().filter(|item| item.sequence == Sequence::SETUP).map(|item| item.game).collect();
    if kept.len() == items.len()
        && let Some(value) = inventory.catalog.read_block(number)
    {
        return Some((value, created));
    }
    let place = |item: &block::Item| {
        let record = inventory.catalog.record_in(number, item)?;
        let block::Item { game, previous_block, sequence, status, .. } = *item;
        Some(Placed { game, previous_block, sequence, status, record })
    };
    let records: Vec<_> = kept.into_iter().map(place).collect::<Option<_>>()?;
    Some((block::encode(number, &records), created))
}

fn secrets_of(inventory: &Inventory, games: &[GameId]) -> Vec<(GameId, [u8; 32])> {
    games.iter().filter_map(|game| Some((*game, *inventory.secrets.get(game)?))).collect()
}

/// Writes the records that have no place among the old blocks, game by game, to new ones.
fn move_records(
    inventory: &Inventory,
    plans: &HashMap<GameId, Plan>,
    store: &mut Rebuild,
    first: u64,
) -> Result<(), RecoveryError> {
    let mut moved: Vec<GameId> =
        plans.iter().filter(|(_, plan)| Revision::of(&plan.in_place) < plan.revision).map(|(game, _)| *game).collect();
    moved.sort();
    let mut new = NewBlock::empty(first);
    for game in moved {
        let plan = &plans[&game];
        let rebuilt = inventory.rebuild_game(game);
        let mut previous = plan.in_place.last().copied().unwrap_or(NO_BLOCK);
        for (sequence, link) in Sequence::SETUP.onward().zip(&rebuilt.chain).skip(plan.in_place.len()) {
            let record = inventory.catalog.read(&link.record);
            if !new.has_room_for(record.len()) {
                new = new.write(inventory, store)?;
            }
            if sequence == Sequence::SETUP {
                new.created.push(game);
            }
            new.bytes += record.len();
            new.records.push(Placed { game, previous_block: previous, sequence, status: link.status, record });
            previous = new.number;
        }
    }
    if !new.records.is_empty() {
        new.write(inventory, store)?;
    }
    Ok(())
}

/// A block that is being filled.
struct NewBlock {
    number: u64,
    records: Vec<Placed<bytes::Bytes>>,
    created: Vec<GameId>,
    bytes: usize,
}

impl NewBlock {
    fn empty(number: u64) -> NewBlock {
        NewBlock { number, records: Vec::new(), created: Vec::new(), bytes: 0 }
    }

    fn has_room_for(&self, bytes: usize) -> bool {
        self.records.len() < MAX_RECORDS && block::size(self.records.len() + 1, self.bytes + bytes) <= MAX_BLOCK_BYTES
    }

    /// Writes it, and begins the next.
    fn write(self, inventory: &Inventory, store: &mut Rebuild) -> Result<NewBlock, RecoveryError> {
        store.put(self.number, &block::encode(self.number, &self.records), &secrets_of(inventory, &self.created))?;
        Ok(NewBlock::empty(self.number + 1))
    }
}

/// Opens the new store, which also writes its index, and reads every game back.
fn read_back(
    dir: &Path,
    sealed: Option<State>,
    journal_bytes: u64,
    heads: &BTreeMap<GameId, (Revision, Hash)>,
    progress: &Progress,
) -> Result<DatabaseCheck, RecoveryError> {
    let store = open_copy::open(dir, journal_bytes)?;
    let differing = open_copy::compare(&store, heads, progress);
    if let Some(state) = sealed {
        signing::write_state(state, &store, dir)?;
    }
    store.close();
    progress.end();
    Ok(DatabaseCheck {
        sound: differing == 0,
        sentence: match differing {
            0 => format!("the new store opens, and gives all {} games back", heads.len()),
            count => format!("the new store does not give {count} of {} games back", heads.len()),
        },
    })
}
