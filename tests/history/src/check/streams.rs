//! Streams of actions and backups: one that ends with OK has given everything, in order.

use std::collections::HashMap;

use divelog_ledger::GameId;

use super::{Kind, Report};
use crate::history::{Act, Backup, History, Operation, Outcome, Request, StreamEnd, Tick};

pub(super) fn check(history: &History, report: &mut Report) {
    for stream in &history.streams {
        if stream.end == StreamEnd::Ok && stream.unanswered > 0 {
            report.add(Kind::StreamEndedEarly, None, || {
                let closed = if stream.half_closed { "had" } else { "had not" };
                format!(
                    "stream {} ended with OK, but {} requests were not answered; the caller {closed} closed its side",
                    stream.number, stream.unanswered
                )
            });
        }
        if stream.unasked > 0 {
            report.add(Kind::StreamOrder, None, || {
                format!(
                    "stream {} had {} answers to nothing, or to what was answered before",
                    stream.number, stream.unasked
                )
            });
        }
    }
    check_order(&history.operations, report);
    for backup in &history.backups {
        check_backup(backup, report);
    }
}

fn check_order(operations: &[Operation], report: &mut Report) {
    let mut lanes: HashMap<(u32, GameId), Vec<(Tick, Tick)>> = HashMap::new();
    for operation in operations {
        if let (Request::Act(Act { game, stream: Some(stream), .. }), Outcome::Done(_) | Outcome::Refused(_)) =
            (&operation.asked, &operation.outcome)
        {
            lanes.entry((*stream, *game)).or_default().push((operation.invoked, operation.returned));
        }
    }
    for ((stream, game), mut times) in lanes {
        times.sort_unstable();
        if !times.is_sorted_by(|(_, one), (_, next)| one < next) {
            report.add(Kind::StreamOrder, Some(game), || {
                format!("its answers on stream {stream} came in another order than its requests")
            });
        }
    }
}

fn check_backup(backup: &Backup, report: &mut Report) {
    if backup.end != StreamEnd::Ok {
        return;
    }
    let Some((from, end)) = backup.announced else {
        return report.add(Kind::BackupIncomplete, None, || "a backup ended with OK and had no header".into());
    };
    if !backup.blocks.iter().copied().eq(from..end) {
        report.add(Kind::BackupIncomplete, None, || {
            format!(
                "a backup announced the blocks {from} to {end}, sent {} of them, and ended with OK",
                backup.blocks.len()
            )
        });
    }
    if backup.empty > 0 {
        report.add(Kind::BackupIncomplete, None, || format!("{} blocks of a backup were empty", backup.empty));
    }
}
