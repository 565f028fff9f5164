//! Reads: nobody sees less than was seen before, and what is answered is what the log has.

use super::log::Replay;
use super::times::Times;
use super::{Game, Kind, Report, expected};
use crate::history::{Outcome, Read, Request, fingerprint};

pub(super) fn check(game: &Game<'_>, replay: &Replay, times: &Times, report: &mut Report) {
    for operation in &game.operations {
        let (Request::Read(_, read), Outcome::Done(done)) = (&operation.asked, &operation.outcome) else { continue };
        let who = || format!("{} gave client {} revision {}", operation.asked.name(), operation.client, done.revision);
        let before = times.known_before(operation.invoked, operation.client);
        if done.revision < before {
            report.add(Kind::ReadWentBack, Some(replay.id), || {
                format!("{}, but revision {before} was seen before that was asked", who())
            });
        }
        let Some(hash) = replay.hash(done.revision) else {
            report.add(Kind::ShownButNotInLog, Some(replay.id), || {
                format!("{}, but the log has {} records", who(), replay.revision())
            });
            continue;
        };
        let Some(step) = replay.step(done.revision) else { continue };
        let right = match read {
            Read::Game(viewer) => Some(fingerprint(&expected::get_game(&step.position, &replay.secret, *viewer))),
            Read::Legal(seat) => Some(fingerprint(&expected::legal_actions(&step.position, *seat))),
            Read::DryRun | Read::Listed | Read::Log | Read::Verify => None,
        };
        let differs = done.hash.is_some_and(|answered| answered != hash)
            || right.zip(done.content).is_some_and(|(right, content)| right != content);
        if differs {
            report.add(Kind::ReadDiffers, Some(replay.id), || {
                format!("{} with a hash or a table that is not the log's", who())
            });
        }
    }
}
