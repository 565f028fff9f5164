//! Where a game's luck comes from: the commitment to the secret, what the seats added, and single opened draws.

use divelog_proto::v1 as pb;

use super::chain::Chain;
use super::verdict::{Check, Findings};
use crate::secret::chance_commitment;
use crate::{Keys, LogFault, Revision, Secret, Sequence, check_draw, fork};

/// Checks commitment and entropy.
pub(super) fn check(chain: &Chain<'_>, secret: Option<&Secret>, found: &mut Findings) {
    let Some(secret) = secret else {
        let sentence = "The bundle is without the game's secret, so the commitment in record 0 is not opened.";
        found.not_proved(Check::Commitment, sentence);
        let sentence =
            "Without the secret it is not proved that the luck derives from it and from what the seats added.";
        return found.not_proved(Check::Entropy, sentence);
    };
    match check_commitment(chain, secret) {
        Ok(keys) => {
            let sentence =
                "The secret is the one that record 0 committed to, and every record's nonce derives from it.";
            found.proved(Check::Commitment, sentence);
            match check_derivation(chain, &keys) {
                Ok(()) => report_entropy(chain, found),
                Err(fault) => {
                    let what = "The luck does not derive from the secret and what the seats added.";
                    found.fault(Check::Entropy, what, fault);
                }
            }
        }
        Err(fault) => {
            found.fault(Check::Commitment, "The secret is not this game's.", fault);
            found.skip([Check::Entropy], "the secret is not this game's");
        }
    }
}

/// Whether the secret is the one that was committed to; the keys that derive from it.
fn check_commitment(chain: &Chain<'_>, secret: &Secret) -> Result<Keys, LogFault> {
    let first = &chain.records[0];
    if *chain.setup.seed_commitment != secret.commitment(chain.game) {
        let fault = LogFault::hash_differs(Sequence::SETUP, "the game's secret does not fit the seed commitment");
        return Err(fault.in_field("setup.seed_commitment", first));
    }
    let (keys, _) = fork::keys(chain.game, &chain.setup, secret).map_err(|bad| bad.at(first))?;
    for ((record, bytes), sequence) in chain.decoded.iter().zip(chain.records).zip(Sequence::SETUP.onward()) {
        if *record.nonce != keys.nonce(sequence) {
            let fault = LogFault::hash_differs(sequence, "its nonce does not derive from the game's secret");
            return Err(fault.in_field("nonce", bytes));
        }
    }
    Ok(keys)
}

/// Whether every commitment to a record's chance is to the chance that derives from the seed.
fn check_derivation(chain: &Chain<'_>, keys: &Keys) -> Result<(), LogFault> {
    if *chain.setup.chance_commitment != chance_commitment(&keys.chance_key(Sequence::SETUP)) {
        let fault =
            LogFault::hash_differs(Sequence::SETUP, "the set-up's chance does not derive from the committed seed");
        return Err(fault.in_field("setup.chance_commitment", &chain.records[0]));
    }
    for ((record, bytes), sequence) in chain.decoded.iter().zip(chain.records).zip(Sequence::SETUP.onward()) {
        if *record.next_chance_commitment != chance_commitment(&keys.chance_key(sequence.next())) {
            let fault = LogFault::hash_differs(sequence, "the next record's chance does not derive from the seed");
            return Err(fault.in_field("next_chance_commitment", bytes));
        }
    }
    Ok(())
}

/// Who had a part in the luck.
fn report_entropy(chain: &Chain<'_>, found: &mut Findings) {
    let whose = match &chain.setup.fork {
        None => "of every record".to_owned(),
        Some(fork) if !fork.same_seed => format!("from record {} on", Revision::new(fork.revision).next_record()),
        Some(_) => {
            let sentence = "All luck of this fork derives from a secret that is sealed in record 0; that it is the source's \
                            true one, only the source's own bundle shows.";
            return found.not_proved(Check::Entropy, sentence);
        }
    };
    let added = chain.setup.players.iter().zip(0..).filter(|(player, _)| !player.entropy.is_empty());
    let added: Vec<String> =
        added.map(|(player, seat): (_, usize)| format!("seat {seat} ({} bytes)", player.entropy.len())).collect();
    if added.is_empty() {
        let sentence = format!(
            "The luck {whose} derives from the committed secret, but no seat added anything to it: \
             that the server did not choose among many secrets is not proved."
        );
        return found.not_proved(Check::Entropy, sentence);
    }
    let sentence = format!(
        "The luck {whose} derives from the committed secret together with everything that the seats added: {}.",
        added.join(", ")
    );
    found.proved(Check::Entropy, sentence);
}

/// Checks draws that are shown without the secret.
pub(super) fn check_opened_draws(bundle: &pb::Bundle, found: &mut Findings) {
    if bundle.opened_draws.is_empty() {
        return;
    }
    if !bundle.opened_draws.is_sorted_by(|one, next| one.sequence < next.sequence) {
        return found.failed(Check::OpenedDraws, "The opened draws are not in ascending order.", None);
    }
    for draw in &bundle.opened_draws {
        if let Err(fault) = check_draw(&bundle.records, draw) {
            return found.fault(Check::OpenedDraws, "An opened draw does not fit the records.", fault);
        }
    }
    let sequences: Vec<String> = bundle.opened_draws.iter().map(|draw| draw.sequence.to_string()).collect();
    let sentence = format!(
        "The keys of the luck of {} {} fit what was committed to before the luck was used.",
        if sequences.len() == 1 { "record" } else { "records" },
        sequences.join(", ")
    );
    found.proved(Check::OpenedDraws, sentence);
}
