//! Watches: each record once and in order, as its viewer may see it, and nothing that is not in the log.

use divelog_ledger::Hash;

use super::log::Replay;
use super::times::Times;
use super::{Game, Kind, Report, expected};
use crate::history::{Fingerprint, Seen, Watch, fingerprint};

pub(super) fn check(game: &Game<'_>, replay: &Replay, times: &Times, report: &mut Report) {
    for watch in &game.watches {
        check_watch(watch, replay, times, report);
    }
}

fn check_watch(watch: &Watch, replay: &Replay, times: &Times, report: &mut Report) {
    let who = || format!("the watch of client {} for {:?} after {:?}", watch.client, watch.viewer, watch.after);
    let mut cursor = watch.after;
    for (_, seen) in &watch.seen {
        match seen {
            Seen::Snapshot { revision, hash, content } => {
                if cursor.is_some() {
                    report.add(Kind::WatchGap, Some(replay.id), || {
                        format!("{} was shown a whole table at revision {revision}, where an update was due", who())
                    });
                }
                let before = times.known_before(watch.invoked, watch.client);
                if *revision < before {
                    report.add(Kind::ReadWentBack, Some(replay.id), || {
                        format!("{} began at revision {revision}, but revision {before} was seen before", who())
                    });
                }
                check_content(watch, *revision, *hash, *content, true, replay, report);
                cursor = Some(*revision);
            }
            Seen::Update { revision, hash, content } => {
                if cursor.map(|cursor| cursor + 1) != Some(*revision) {
                    report.add(Kind::WatchGap, Some(replay.id), || {
                        format!("{} was shown revision {revision} after {cursor:?}", who())
                    });
                }
                check_content(watch, *revision, *hash, *content, false, replay, report);
                cursor = Some(*revision);
            }
            Seen::UpTo { revision } => {
                if cursor != Some(*revision) {
                    report.add(Kind::WatchGap, Some(replay.id), || {
                        format!("{} got an end or a heartbeat at {revision} after {cursor:?}", who())
                    });
                }
            }
        }
    }
}

fn check_content(
    watch: &Watch,
    revision: u64,
    hash: Hash,
    content: Fingerprint,
    snapshot: bool,
    replay: &Replay,
    report: &mut Report,
) {
    let who = || format!("client {} was shown revision {revision} as {:?}", watch.client, watch.viewer);
    let Some(right) = replay.hash(revision) else {
        return report.add(Kind::ShownButNotInLog, Some(replay.id), || {
            format!("{}, but the log has {} records", who(), replay.revision())
        });
    };
    if right != hash {
        return report.add(Kind::ShownButNotInLog, Some(replay.id), || {
            format!("{} with a hash that is not that of the log's record", who())
        });
    }
    let Some(step) = replay.step(revision) else { return };
    let right = match snapshot {
        true => fingerprint(&expected::snapshot(&step.position, &replay.secret, watch.viewer)),
        false => fingerprint(&expected::update(step, watch.viewer, watch.views)),
    };
    if right != content {
        report.add(Kind::WatchDiffers, Some(replay.id), || {
            format!("{} with other events, seats or tables than this viewer may see", who())
        });
    }
}
