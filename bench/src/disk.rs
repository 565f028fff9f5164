//! The disk: what a sync costs without divelog, and what an action takes with it.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    net::SocketAddr,
    os::unix::fs::MetadataExt,
    path::Path,
    time::{Duration, Instant},
};

use divelog_client::{CallError, Connection};
use divelog_proto::v1::{self, read_log_response::Message};
use prost::Message as _;
use serde::Serialize;

use crate::{load::Histogram, results::Syncs};

/// What one raw sync writes.
const BLOCK: [u8; 4_096] = [0x42; 4_096];
/// Raw syncs before the measurement: the first ones allocate the file's first extents.
const WARMUP_SYNCS: u32 = 50;
/// How many games' logs are read to learn the size of a record.
const SAMPLED_GAMES: u32 = 50;
/// How long a connection may take, and each answer.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The unit of `st_blocks`, whatever the file system's block size.
const STAT_BLOCK: u64 = 512;

/// What actions take on disk.
#[derive(Debug, Clone, Serialize)]
pub struct DiskUse {
    /// The actions written, with warm-up.
    pub actions: u64,
    /// The games created meanwhile; their records are in the bytes too.
    pub games: u64,
    /// Bytes of disk blocks that the load took, after the server has ended.
    pub disk_bytes: u64,
    /// `disk_bytes` per action.
    pub disk_bytes_per_action: f64,
    /// The bytes of an action's record as hashed and stored, on average; absent if it could not be found out.
    pub record_bytes_per_action: Option<f64>,
    /// Of how many records that is the average.
    pub sampled_records: u64,
}

/// Appends 4 KiB and syncs, one after another, for about `window`.
pub fn syncs(folder: &Path, window: Duration) -> std::io::Result<Syncs> {
    let path = folder.join("raw-syncs");
    let mut file = OpenOptions::new().create_new(true).append(true).open(&path)?;
    for _ in 0..WARMUP_SYNCS {
        file.write_all(&BLOCK)?;
        file.sync_data()?;
    }
    let latencies = Histogram::new();
    let begun = Instant::now();
    let mut last = begun;
    while last - begun < window {
        file.write_all(&BLOCK)?;
        file.sync_data()?;
        let now = Instant::now();
        latencies.record(now - last);
        last = now;
    }
    fs::remove_file(path)?;
    Ok(Syncs {
        rate: latencies.count() as f64 / (last - begun).as_secs_f64(),
        p50_us: latencies.quantile_us(500),
        p99_us: latencies.quantile_us(990),
    })
}

/// The bytes of disk blocks under a folder, as `du` counts them.
pub fn usage(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        bytes += meta.blocks() * STAT_BLOCK;
        if meta.is_dir() {
            bytes += usage(&entry.path())?;
        }
    }
    Ok(bytes)
}

/// The average size of an action's record, and of how many records, from the logs of some games.
pub async fn record_bytes(address: SocketAddr) -> Result<(f64, u64), String> {
    let text = |error: CallError| error.to_string();
    let server = Connection::open(&address.into(), TIMEOUT).await.map_err(text)?;
    let request = v1::ListGamesRequest { page_size: SAMPLED_GAMES, ..Default::default() };
    let games = server.call(request).await.map_err(text)?.games;
    let (mut bytes, mut records) = (0, 0);
    for game in games {
        let request = v1::ReadLogRequest { game_id: game.game_id, include_secret: false };
        let mut log = server.open_stream(request).await.map_err(text)?;
        while let Some(message) = server.next(&mut log).await.map_err(text)? {
            let Some(Message::Record(stored)) = message.message else {
                continue;
            };
            // Set-up records are larger, and no actions.
            let record = v1::Record::decode(stored.record.clone());
            let record = record.map_err(|error| format!("a record cannot be read: {error}"))?;
            if matches!(record.body, Some(v1::record::Body::Move(_))) {
                bytes += stored.record.len() as u64;
                records += 1;
            }
        }
    }
    if records == 0 {
        return Err("no actions in the sampled games".to_owned());
    }
    Ok((bytes as f64 / records as f64, records))
}
