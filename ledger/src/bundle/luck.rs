//! Where a game's luck comes from: the commitment to the secret, what the seats added, and single opened draws.

use divelog_proto::v1 as pb;
use prost::Message;

use super::chain::Chain;
use super::verdict::{Check, Findings};
use crate::secret::chance_commitment;
use crate::{Keys, LogFault, Secret};

/// Checks commitment and entropy.
pub(super) fn check(chain: &Chain<'_>, secret: Option<&Secret>, found: &mut Findings) {
    let Some(secret) = secret else {
        let sentence = "The bundle is without the game's secret, so the commitment in record 0 is not opened.";
        found.not_proved(Check::Commitment, sentence);
        let sentence =
            "Without the secret it is not proved that the luck derives from it and from what the seats added.";
        return found.not_proved(Check::Entropy, sentence);
    };
    let entropy = chain.setup.players.iter().map(|player| &*player.entropy);
    let keys = Keys::derive(secret, chain.game, entropy);
    match check_commitment(chain, secret, &keys) {
        Ok(()) => {
            let sentence =
                "The secret is the one that record 0 committed to, and the nonce of every record derives from it.";
            found.proved(Check::Commitment, sentence);
            check_entropy(chain, &keys, found);
        }
        Err(fault) => {
            found.fault(Check::Commitment, "The secret is not this game's.", fault);
            found.skip([Check::Entropy], "the secret is not this game's");
        }
    }
}

fn check_commitment(chain: &Chain<'_>, secret: &Secret, keys: &Keys) -> Result<(), LogFault> {
    if *chain.setup.seed_commitment != secret.commitment(chain.game) {
        return Err(LogFault::hash_differs(0, "the game's secret does not fit the seed commitment"));
    }
    for (record, sequence) in chain.decoded.iter().zip(0..) {
        if *record.nonce != keys.nonce(sequence) {
            return Err(LogFault::hash_differs(sequence, "its nonce does not derive from the game's secret"));
        }
    }
    Ok(())
}

/// Which records' luck is a game's own: all of an original's, and of a fork's only those after its beginning.
fn check_entropy(chain: &Chain<'_>, keys: &Keys, found: &mut Findings) {
    let own_from = match &chain.setup.fork {
        Some(fork) if fork.same_seed => {
            let sentence = "All luck of this fork is its source's: what its own seats added plays no part in it.";
            return found.not_proved(Check::Entropy, sentence);
        }
        Some(fork) => fork.revision,
        None => 0,
    };
    if own_from == 0 && *chain.setup.chance_commitment != chance_commitment(&keys.chance_key(0)) {
        let fault = LogFault::hash_differs(0, "the set-up's chance does not derive from the committed seed");
        return found.fault(Check::Entropy, DERIVES_NOT, fault);
    }
    for (record, sequence) in chain.decoded.iter().zip(0..) {
        let next = sequence + 1;
        if next >= own_from && *record.next_chance_commitment != chance_commitment(&keys.chance_key(next)) {
            let fault = LogFault::hash_differs(sequence, "the next record's chance does not derive from the seed");
            return found.fault(Check::Entropy, DERIVES_NOT, fault);
        }
    }
    tell_entropy(chain, own_from, found);
}

const DERIVES_NOT: &str = "The luck does not derive from the secret and what the seats added.";

fn tell_entropy(chain: &Chain<'_>, own_from: u64, found: &mut Findings) {
    let added = chain.setup.players.iter().zip(0..).filter(|(player, _)| !player.entropy.is_empty());
    let added: Vec<String> =
        added.map(|(player, seat): (_, usize)| format!("seat {seat} ({} bytes)", player.entropy.len())).collect();
    let whose = if own_from == 0 { "of every record".to_owned() } else { format!("from record {own_from} on") };
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

/// That a key is the one that the record before committed to; record 0 commits to its own.
fn check_draw(records: &[bytes::Bytes], draw: &pb::OpenedDraw) -> Result<(), LogFault> {
    let fault = |message| LogFault::hash_differs(draw.sequence, message);
    let committing = draw.sequence.saturating_sub(1);
    let record = usize::try_from(committing).ok().and_then(|at| records.get(at));
    let record = record.ok_or_else(|| fault("there is no record that commits to this draw"))?;
    let record = pb::Record::decode(record.clone()).map_err(|_| fault("the record before it cannot be read"))?;
    let commitment = match (draw.sequence, &record.body) {
        (0, Some(pb::record::Body::Setup(setup))) => setup.chance_commitment.clone(),
        (0, _) => return Err(fault("the first record does not set a game up")),
        _ => record.next_chance_commitment,
    };
    let key = draw.chance_key[..].try_into().map_err(|_| fault("the key of its luck has not 32 bytes"))?;
    if *commitment == chance_commitment(&key) {
        Ok(())
    } else {
        Err(fault("the key of its luck does not fit the commitment"))
    }
}
