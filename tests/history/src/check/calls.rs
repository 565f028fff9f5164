//! Every call is answered, and never with a fault of the machinery.

use super::{Kind, Report};
use crate::history::{History, Operation, Outcome, Refusal, Unclear};

pub(super) fn check(history: &History, report: &mut Report) {
    for operation in &history.operations {
        let who = || {
            let (name, id) = (operation.asked.name(), operation.asked.request_id());
            format!("{name} {id:?} of client {}", operation.client)
        };
        let game = operation.asked.game();
        match &operation.outcome {
            Outcome::Hung { limit_ms } if operation.quiet => report.add(Kind::NoAnswerWhenQuiet, game, || {
                format!("{} had no answer in {limit_ms} ms from a server that had nothing else to do", who())
            }),
            Outcome::Hung { limit_ms } => {
                report.add(Kind::Hang, game, || format!("{} had no answer in {limit_ms} ms", who()));
            }
            Outcome::Unclear(why @ (Unclear::Lost | Unclear::Deadline)) if operation.quiet => {
                report.add(Kind::NoAnswerWhenQuiet, game, || format!("{} ended without an answer: {why:?}", who()));
            }
            Outcome::Refused(refused) if is_fault(refused) && !excused(operation, refused, history) => {
                report.add(Kind::FaultAnswered, game, || {
                    let sentence = refused.sentence.as_deref().unwrap_or_default();
                    format!("{} was answered with {} {}: {sentence}", who(), refused.code, refused.reason)
                });
            }
            _ => {}
        }
    }
    for stall in &history.stalls {
        report.add(Kind::Stall, None, || {
            let (seconds, waiting, health) = (stall.seconds, stall.waiting, &stall.health);
            format!("no action was done and no game made for {seconds} s while {waiting} such requests waited; its health: {health}")
        });
    }
    for mishap in &history.mishaps {
        report.add(Kind::ServerMishap, None, || mishap.clone());
    }
}

/// Whether a refusal is a fault of the machinery.
pub(super) fn is_fault(refused: &Refusal) -> bool {
    matches!(refused.code, "DATA_LOSS" | "INTERNAL" | "UNKNOWN") || &*refused.reason == "STORE_FAILED"
}

/// A connection that breaks because the server goes down looks like an internal error; only the server's own words have a
/// reason.
fn excused(operation: &Operation, refused: &Refusal, history: &History) -> bool {
    refused.reason.is_empty()
        && history.outages.iter().any(|outage| outage.from <= operation.returned && operation.invoked <= outage.to)
}
