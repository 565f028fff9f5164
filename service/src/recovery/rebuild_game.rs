//! One game out of everything that was found of it: its records from 0, each the one that the hash chain calls for.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use divelog_ledger::{GameId, Hash, LogFault, Position, Revision, Secret, Sequence, Status, hash_record};
use divelog_proto::v1 as pb;
use prost::Message;

use super::catalog::{Catalog, Proof, RecordRef};
use super::published::PublishedHeads;
use super::report::{LeftOut, Why};
use crate::store::block::NO_BLOCK;

/// Histories of one game that are followed side by side: more than two is not an accident.
const MAX_HISTORIES: usize = 8;

/// A record that has its place in the game.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub record: RecordRef,
    pub hash: Hash,
    /// The game's status after it.
    pub status: Status,
}

/// A game as far as it could be put together.
pub(super) struct RebuiltGame {
    pub game: GameId,
    /// Records 0, 1, 2, … without a gap.
    pub chain: Vec<Link>,
    pub secret: Option<[u8; 32]>,
    /// As many records were written at least, as far as the sources show.
    pub written: Revision,
    /// The first record at which sound records contradict each other.
    pub conflict: Option<Sequence>,
    /// Sound records that are not in the chain.
    pub left_out: Vec<LeftOut>,
    /// What replaying the chain by the rules says against it.
    pub fault: Option<LogFault>,
}

impl RebuiltGame {
    pub fn status(&self) -> Option<Status> {
        self.chain.last().map(|link| link.status)
    }

    pub fn head(&self) -> Hash {
        self.chain.last().map(|link| link.hash).unwrap_or_default()
    }

    /// The newest block that is known to hold a record of the chain.
    pub fn last_block(&self) -> Option<u64> {
        self.chain.iter().map(|link| link.record.block).filter(|block| *block != NO_BLOCK).max()
    }

    pub fn has_gap(&self) -> bool {
        self.written > Revision::of(&self.chain)
    }
}

/// A record and the one before it in some history.
struct Node {
    parent: Option<usize>,
    record: RecordRef,
    bytes: Bytes,
    hash: Hash,
    time_ms: u64,
}

/// A sound record as found, and what it says.
struct Candidate {
    record: RecordRef,
    bytes: Bytes,
    hash: Hash,
    says: pb::Record,
}

/// Puts a game together.
pub(super) fn rebuild_game(
    catalog: &Catalog,
    game: GameId,
    secret: Option<[u8; 32]>,
    published: Option<&PublishedHeads>,
) -> RebuiltGame {
    let found = catalog.games.get(&game).map_or(&[][..], Vec::as_slice);
    // A record that only looks like one is no evidence that so many were written.
    let claims = found.iter().filter(|record| record.proof != Proof::Unverified);
    let written = claims.map(|record| record.sequence.revision_after()).max().unwrap_or_default();
    let candidates = candidates(catalog, game, found);
    let (nodes, tip, conflict) = histories(&candidates, published);
    let mut records: Vec<&Node> = Vec::new();
    let mut at = tip;
    while let Some(node) = at {
        records.push(&nodes[node]);
        at = nodes[node].parent;
    }
    records.reverse();
    // The last record has none after it that knows its hash.
    while let Some(last) = records.last()
        && last.record.proof == Proof::Unverified
        && !published.is_some_and(|heads| heads.has(Revision::of(&records), &last.hash))
    {
        records.pop();
    }
    let (statuses, mut fault) = replay(game, secret, &records);
    // A bundle's records count only if the rules and the secret confirm them.
    let in_bundle = |fault: &LogFault| {
        let at = fault.sequence.index();
        (records.get(at)?.record.proof == Proof::Bundle).then_some(at)
    };
    if let Some(at) = fault.as_ref().and_then(in_bundle) {
        records.truncate(at);
        fault = None;
    }
    let chain: Vec<Link> = records
        .iter()
        .enumerate()
        .map(|(at, node)| Link {
            record: node.record,
            hash: node.hash,
            status: node.record.status.or_else(|| statuses.get(at).copied()).unwrap_or(Status::Running),
        })
        .collect();
    let left_out = left_out(game, &candidates, &chain);
    RebuiltGame { game, chain, secret, written, conflict, left_out, fault }
}

/// Every record that is sound by itself and has no place in the chain, neighbours together.
fn left_out(game_id: GameId, candidates: &BTreeMap<Sequence, Vec<Candidate>>, chain: &[Link]) -> Vec<LeftOut> {
    let head = chain.last().map(|link| link.hash);
    let mut left_out: Vec<LeftOut> = Vec::new();
    for (sequence, candidates) in candidates {
        let taken = chain.get(sequence.index()).map(|link| link.hash);
        let sound = candidates.iter().filter(|candidate| candidate.record.proof != Proof::Unverified);
        for candidate in sound.filter(|candidate| taken != Some(candidate.hash)) {
            let continues = head.is_some_and(|head| candidate.says.previous_hash[..] == head);
            let why = match taken {
                Some(_) => Why::OtherHistory,
                None if continues => Why::Unconfirmed,
                None => Why::AfterGap,
            };
            let before = left_out.iter_mut().find(|before| before.why == why && before.last.next() >= *sequence);
            match before {
                Some(before) => before.last = *sequence,
                None => left_out.push(LeftOut { game_id, first: *sequence, last: *sequence, why }),
            }
        }
    }
    left_out
}

/// What record 0 says of the game's secret, as found so far.
pub(super) fn commitment_of(catalog: &Catalog, game: GameId) -> Option<Hash> {
    let found = catalog.games.get(&game)?.iter().filter(|record| record.sequence == Sequence::SETUP);
    let first: Vec<RecordRef> = found.copied().collect();
    candidates(catalog, game, &first).get(&Sequence::SETUP)?.iter().find_map(commitment)
}

fn commitment(first: &Candidate) -> Option<Hash> {
    match &first.says.body {
        Some(pb::record::Body::Setup(setup)) => setup.seed_commitment[..].try_into().ok(),
        _ => None,
    }
}

/// The different sound records of each sequence, those first that need no further proof.
fn candidates(catalog: &Catalog, game: GameId, found: &[RecordRef]) -> BTreeMap<Sequence, Vec<Candidate>> {
    let mut candidates: BTreeMap<Sequence, Vec<Candidate>> = BTreeMap::new();
    let mut found: Vec<RecordRef> = found.iter().filter(|record| record.proof != Proof::Damaged).copied().collect();
    found.sort_by_key(|record| {
        let in_place = catalog.primary(record.block) == Some(record.variant);
        (record.sequence, record.proof as u8, !in_place, record.block, record.file, record.offset)
    });
    for record in found {
        let bytes = catalog.read(&record);
        let hash = hash_record(&bytes);
        let same = candidates.entry(record.sequence).or_default();
        if same.iter().any(|known| known.hash == hash) {
            continue;
        }
        let Ok(says) = pb::Record::decode(bytes.clone()) else { continue };
        if says.game_id[..] != game.0 || says.sequence != record.sequence.get() {
            continue;
        }
        same.push(Candidate { record, bytes, hash, says });
    }
    candidates
}

/// Follows the chain from record 0. Of several histories the longest is taken; among those as long, the one that was
/// published, then the one written later: what a crash left behind is older than what was written in its place.
/// Answers with the tip, and where histories of that length diverge.
fn histories(
    candidates: &BTreeMap<Sequence, Vec<Candidate>>,
    published: Option<&PublishedHeads>,
) -> (Vec<Node>, Option<usize>, Option<Sequence>) {
    let node = |parent, candidate: &Candidate| Node {
        parent,
        record: candidate.record,
        bytes: candidate.bytes.clone(),
        hash: candidate.hash,
        time_ms: candidate.says.time_ms,
    };
    let first =
        candidates.get(&Sequence::SETUP).into_iter().flatten().filter(|first| first.says.previous_hash.is_empty());
    let mut nodes: Vec<Node> = first.take(MAX_HISTORIES).map(|first| node(None, first)).collect();
    let mut tips: Vec<usize> = (0..nodes.len()).collect();
    let mut revision = Revision::BEGUN;
    loop {
        let mut next = Vec::new();
        let sequence = revision.next_record();
        for candidate in candidates.get(&sequence).into_iter().flatten() {
            let before = tips.iter().find(|tip| candidate.says.previous_hash[..] == nodes[**tip].hash);
            if let Some(before) = before.copied().filter(|_| next.len() < MAX_HISTORIES) {
                nodes.push(node(Some(before), candidate));
                next.push(nodes.len() - 1);
            }
        }
        if next.is_empty() {
            break;
        }
        tips = next;
        revision = sequence.revision_after();
    }
    let is_published = |tip: &usize| published.is_some_and(|heads| heads.has(revision, &nodes[*tip].hash));
    // A last record that only looks like one may be a damaged copy: it does not stand against one that has a checksum.
    let certain = |tip: &usize| nodes[*tip].record.proof != Proof::Unverified || is_published(tip);
    if tips.iter().any(certain) {
        tips.retain(certain);
    }
    let rank = |tip: &&usize| (is_published(tip), nodes[**tip].time_ms);
    let tip = tips.iter().max_by_key(rank).copied();
    let divergence = divergence(&nodes, &tips, revision);
    (nodes, tip, divergence)
}

/// The first record in which several histories of the same length differ.
fn divergence(nodes: &[Node], tips: &[usize], mut revision: Revision) -> Option<Sequence> {
    let mut level: BTreeSet<usize> = tips.iter().copied().collect();
    let mut divergence = None;
    while level.len() > 1
        && let Some(sequence) = revision.last_record()
    {
        divergence = Some(sequence);
        revision = sequence.revision_before();
        level = level.iter().filter_map(|node| nodes[*node].parent).collect();
    }
    divergence
}

/// Plays the records again. The statuses after as many as can be played, and what stops it.
fn replay(game: GameId, secret: Option<[u8; 32]>, records: &[&Node]) -> (Vec<Status>, Option<LogFault>) {
    let Some(secret) = secret else { return (Vec::new(), None) };
    let mut statuses = Vec::with_capacity(records.len());
    let mut position: Option<Position> = None;
    for node in records {
        let step = match &position {
            None => Position::open(game, &node.bytes, &Secret(secret)),
            Some(position) => position.replay(&node.bytes),
        };
        match step {
            Ok(step) => {
                statuses.push(step.position.status());
                position = Some(step.position);
            }
            Err(fault) => return (statuses, Some(fault)),
        }
    }
    (statuses, None)
}
