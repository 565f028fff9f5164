//! `divelogd fsck`: what is in a data folder, and what is missing. It writes nothing and lets the database open only a copy.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use divelog_ledger::{GameId, Hash, Revision};

use super::inventory::Inventory;
use super::report::Report;
use super::source::Sources;
use super::{Progress, RecoveryError, open_copy};

/// What fsck is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The data folder.
    pub data: &'a Path,
    /// The published log to compare with; the data folder's own if none is named.
    pub tiles: Option<&'a Path>,
    /// Whether the database is asked too, on a copy.
    pub open_copy: bool,
}

/// Checks a data folder.
pub fn fsck(options: Options<'_>, progress: &Progress) -> Result<Report, RecoveryError> {
    let mut sources = Sources::default();
    let found = fs::metadata(options.data).map_err(RecoveryError::io("reading", options.data))?;
    if !found.is_dir() {
        return Err(RecoveryError::NoSource { path: options.data.to_path_buf() });
    }
    sources.add(options.data, progress)?;
    let mut heads: BTreeMap<GameId, (Revision, Hash)> = BTreeMap::new();
    let inventory = Inventory::make(sources, options.tiles, progress, |_, game| {
        if options.open_copy && !game.chain.is_empty() && !game.has_gap() {
            heads.insert(game.game, (Revision::of(&game.chain), game.head()));
        }
    })?;
    let mut report = inventory.report;
    // The files stay open, and with them the lock.
    if options.open_copy {
        report.database = Some(open_copy::on_a_copy(options.data, &heads, progress)?);
        report.decide();
    }
    drop(inventory.catalog);
    Ok(report)
}
