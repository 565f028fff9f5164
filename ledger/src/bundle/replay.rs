//! The rules, run again: what a bundle with its secret shows.

use bytes::Bytes;
use divelog_engine::{Kind, Outcome};
use divelog_proto::v1 as pb;

use super::chain::Chain;
use super::verdict::{Check, Findings};
use crate::{GameId, LEGAL_DIGEST_BYTES, LogFault, Position, Secret, Sequence, Status, convert, legal_digest};

/// What the rules give.
pub(super) struct Replayed {
    pub(super) kind: Kind,
    pub(super) rules_version: u32,
    pub(super) status: Status,
    pub(super) outcome: Option<Outcome>,
    /// What could be done after each record; nothing after the last of a game that is over.
    pub(super) legal_digests: Vec<[u8; LEGAL_DIGEST_BYTES]>,
}

/// Runs a game again from its records and secret.
pub(super) fn replay(game: GameId, secret: &Secret, records: &[Bytes]) -> Result<Replayed, LogFault> {
    let Some((first, rest)) = records.split_first() else {
        return Err(LogFault::malformed(Sequence::SETUP, "the log is empty"));
    };
    let mut position = Position::open(game, first, secret)?.position;
    let mut legal_digests = vec![legal_digest(&position)];
    for record in rest {
        position = position.replay(record)?.position;
        legal_digests.push(legal_digest(&position));
    }
    if position.status() != Status::Running {
        legal_digests.pop();
    }
    Ok(Replayed {
        kind: position.kind(),
        rules_version: position.header().rules_version.into(),
        status: position.status(),
        outcome: position.outcome(),
        legal_digests,
    })
}

/// Checks replay, outcome and legal actions.
pub(super) fn check(
    chain: &Chain<'_>,
    bundle: &pb::Bundle,
    secret: Option<&Secret>,
    found: &mut Findings,
) -> Option<Replayed> {
    let claims = bundle.claims.clone().unwrap_or_default();
    let replayed = check_replay(chain, secret, found);
    match &replayed {
        Some(replayed) => {
            check_claims(&claims, replayed, found);
            check_legal_actions(&claims, replayed, found);
        }
        None => check_claims_without_replay(chain, &claims, found),
    }
    replayed
}

fn check_replay(chain: &Chain<'_>, secret: Option<&Secret>, found: &mut Findings) -> Option<Replayed> {
    let Some(secret) = secret else {
        let sentence = "Without the game's secret the rules cannot be replayed: that every action was legal and had these \
                        consequences is not proved.";
        found.not_proved(Check::Replay, sentence);
        return None;
    };
    let version = chain.setup.rules_version;
    let Some(kind) = chain.kind().filter(|kind| version <= kind.rules_version().into()) else {
        let sentence = format!(
            "This program does not know the rules of kind {} in version {version}: take a newer one.",
            chain.setup.kind
        );
        found.not_proved(Check::Replay, sentence);
        return None;
    };
    match replay(chain.game, secret, chain.records) {
        Ok(replayed) => {
            let sentence = format!(
                "The rules of {}, version {version}, accept every action and give exactly what the records say.",
                kind.title()
            );
            found.proved(Check::Replay, sentence);
            Some(replayed)
        }
        Err(fault) => {
            found.fault(Check::Replay, "The rules do not give what the records say.", fault);
            None
        }
    }
}

fn check_claims(claims: &pb::BundleClaims, replayed: &Replayed, found: &mut Findings) {
    let played = pb::BundleClaims {
        kind: convert::kind_to_proto(replayed.kind).into(),
        rules_version: replayed.rules_version,
        status: convert::status_to_proto(replayed.status).into(),
        outcome: replayed.outcome.as_ref().map(convert::outcome_to_proto),
        ..claims.clone()
    };
    let result = result_sentence(replayed);
    if *claims == played {
        found.proved(Check::Outcome, result);
    } else {
        let sentence =
            format!("The exporter claims another kind, version, status or result than the rules give. {result}");
        found.failed(Check::Outcome, sentence, None);
    }
}

/// The result in words.
fn result_sentence(replayed: &Replayed) -> String {
    match (&replayed.outcome, replayed.status) {
        (Some(outcome), Status::Finished) => {
            let points =
                outcome.standings.iter().map(|standing| format!("seat {} {}", standing.seat.0, standing.points));
            let points: Vec<String> = points.collect();
            let winners: Vec<String> = outcome.winners.iter().map(|seat| format!("seat {}", seat.0)).collect();
            let won = if winners.is_empty() { "nobody".to_owned() } else { winners.join(" and ") };
            format!("The game is finished. Winner: {won}. Points: {}.", points.join(", "))
        }
        (_, Status::Abandoned) => "The game was abandoned: there is no result.".to_owned(),
        _ => "The game is still running: there is no result yet.".to_owned(),
    }
}

fn check_claims_without_replay(chain: &Chain<'_>, claims: &pb::BundleClaims, found: &mut Findings) {
    let set_up = (chain.setup.kind, chain.setup.rules_version);
    if *claims != pb::BundleClaims::default() && (claims.kind, claims.rules_version) != set_up {
        let sentence = "The exporter claims another kind or rules version than record 0 says.";
        return found.failed(Check::Outcome, sentence, None);
    }
    if let Some(status) = chain.status_at(chain.revision())
        && claims.status != i32::from(convert::status_to_proto(status))
    {
        let sentence = "The game was abandoned, and the exporter claims that it was not.";
        return found.failed(Check::Outcome, sentence, None);
    }
    found.not_proved(Check::Outcome, "The game's result is only claimed: it was not replayed.");
}

fn check_legal_actions(claims: &pb::BundleClaims, replayed: &Replayed, found: &mut Findings) {
    if claims.legal_digests.is_empty() && !replayed.legal_digests.is_empty() {
        let sentence = "The bundle does not say what could be done after each record, so nothing can be compared.";
        return found.not_proved(Check::LegalActions, sentence);
    }
    let mut pairs = claims.legal_digests.iter().zip(&replayed.legal_digests).zip(Sequence::SETUP.onward());
    if let Some((_, sequence)) = pairs.find(|((claimed, given), _)| claimed[..] != given[..]) {
        let fault = LogFault::replay_differs(sequence, "other actions are legal after it than the exporter claims");
        return found.fault(Check::LegalActions, "The legal actions differ.", fault);
    }
    if claims.legal_digests.len() != replayed.legal_digests.len() {
        let sentence = "The exporter claims legal actions for another number of records than the bundle has.";
        return found.failed(Check::LegalActions, sentence, None);
    }
    let sentence = "What could be done after each record is by these rules what the exporter claims.";
    found.proved(Check::LegalActions, sentence);
}
