//! What callers have observed, and whether all of it can be true of one log.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use divelog_ledger::{GameId, Hash, Position, Revision};
use divelog_proto::v1 as pb;

use super::super::reader::Reader;
use super::super::step::replay_stored;
use super::super::{CreateRequest, Error, ForkRequest};

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: &'static str,
    pub detail: String,
}

/// How often things happened: a simulation in which nothing happens finds nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub done: u64,
    pub refused: u64,
    pub created: u64,
    pub forked: u64,
    pub watched: u64,
    pub cancelled: u64,
    pub crashes: u64,
    pub failures: u64,
    pub deposed: u64,
    pub steps: u64,
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        self.done += other.done;
        self.refused += other.refused;
        self.created += other.created;
        self.forked += other.forked;
        self.watched += other.watched;
        self.cancelled += other.cancelled;
        self.crashes += other.crashes;
        self.failures += other.failures;
        self.deposed += other.deposed;
        self.steps += other.steps;
    }
}

/// An action under a request id.
#[derive(Clone)]
pub struct Act {
    pub seat: u32,
    pub action: Option<pb::GameAction>,
    /// How often it was asked for, and how often it was surely not done.
    pub asked: u64,
    pub not_done: u64,
    pub done: Option<(Revision, Hash)>,
}

/// A creation under a request id, as it was first asked.
#[derive(Clone)]
pub enum Making {
    Create(Box<CreateRequest>),
    Fork(ForkRequest),
}

#[derive(Default)]
pub struct History {
    pub findings: Vec<Finding>,
    pub counts: Counts,
    /// Ids that callers know: of games, and of games to come.
    pub games: Vec<GameId>,
    /// The newest revision that anybody has observed.
    observed: BTreeMap<GameId, Revision>,
    /// Every revision's hash, as somebody has observed it.
    hashes: BTreeMap<(GameId, Revision), Hash>,
    pub acts: BTreeMap<(GameId, String), Act>,
    /// How many actions without a request id were asked for.
    pub anonymous_acts: BTreeMap<GameId, u64>,
    /// How many games without a request id were asked for.
    pub anonymous_games: u64,
    pub makings: BTreeMap<String, Making>,
    made: BTreeMap<String, GameId>,
    /// Ids under which something else was asked for, too.
    pub contested: BTreeSet<String>,
    /// Where watchers are that have not ended.
    pub watches: BTreeMap<u64, (GameId, Revision)>,
    /// Whether the disk has failed in this run of the server.
    pub disk_failed: bool,
}

impl History {
    pub fn find(&mut self, kind: &'static str, detail: impl Into<String>) {
        self.findings.push(Finding { kind, detail: detail.into() });
    }

    pub fn know(&mut self, game: GameId) {
        if !self.games.contains(&game) {
            self.games.push(game);
        }
    }

    /// The newest revision that anybody has observed so far.
    pub fn observed(&self, game: GameId) -> Revision {
        self.observed.get(&game).copied().unwrap_or_default()
    }

    /// Somebody is shown the newest record of a position.
    pub fn observe(&mut self, position: &Position) {
        self.observe_record(position.header().game_id, position.revision(), position.head_hash());
    }

    /// Somebody is shown the record that led to a revision.
    pub fn observe_record(&mut self, game: GameId, revision: Revision, hash: Hash) {
        self.know(game);
        let newest = self.observed.entry(game).or_default();
        *newest = revision.max(*newest);
        if *self.hashes.entry((game, revision)).or_insert(hash) != hash {
            self.find("two-histories", format!("game {game} has two records that led to revision {revision}"));
        }
    }

    /// Somebody who began to ask when `before` was known reads a game's newest revision.
    pub fn check_read(&mut self, what: &str, game: GameId, revision: Revision, before: Revision) {
        if revision < before {
            self.find(
                "read-went-back",
                format!("{what} of game {game} shows {revision}, and {before} was known before"),
            );
        }
    }

    /// A creation was answered with a game.
    pub fn made(&mut self, request_id: &str, game: GameId) {
        let first = match request_id {
            "" => game,
            id => *self.made.entry(id.to_owned()).or_insert(game),
        };
        if first != game {
            self.find("two-games", format!("request id {request_id} made {first} and {game}"));
        }
    }

    /// An action under a request id was answered.
    pub fn acted(&mut self, game: GameId, request_id: &str, revision: Revision, hash: Hash) {
        let Some(act) = self.acts.get_mut(&(game, request_id.to_owned())) else { return };
        if *act.done.get_or_insert((revision, hash)) != (revision, hash) {
            self.find("other-answer", format!("action {request_id} of game {game} was answered by two records"));
        }
    }

    /// An error was answered to somebody who began when `before` was known of the game.
    pub fn error(&mut self, what: &str, request_id: &str, error: &Error, before: Revision) {
        let expected = match error {
            Error::Busy(_) => true,
            Error::StoreFailed(_) => self.disk_failed,
            Error::Conflict(_) => self.disk_failed || self.counts.deposed > 0,
            Error::Refused(_) | Error::Stale { .. } => matches!(what, "act" | "abandon"),
            Error::ForkIncomplete { .. } => matches!(what, "act" | "abandon"),
            Error::ForkAbandoned { .. } => what == "fork",
            Error::NotFound(_) => before == Revision::NONE && what != "create",
            Error::AlreadyPrepared(_) | Error::NotPrepared(_) => what == "create",
            Error::RequestIdReused(_) => self.contested.contains(request_id),
            _ => false,
        };
        match expected {
            true => self.counts.refused += 1,
            false => self.find("fault-answered", format!("{what} {request_id:?}: {error}")),
        }
    }

    /// Compares everything with what is on disk in the end.
    pub fn check(&mut self, reader: &Reader) {
        let page = reader.list(None, usize::MAX, |_| true, usize::MAX).expect("a list in memory");
        let (mut by_id, mut anonymous) = (BTreeMap::new(), 0);
        for entry in &page.entries {
            let Some(request_id) = self.check_log(reader, entry.id) else { continue };
            if request_id.is_empty() {
                anonymous += 1;
            } else if let Some(other) = by_id.insert(request_id.clone(), entry.id) {
                self.find("two-games", format!("request id {request_id} has made {other} and {}", entry.id));
            }
        }
        if anonymous > self.anonymous_games {
            self.find("unasked-game", format!("{anonymous} games, asked for were {}", self.anonymous_games));
        }
        let lost: Vec<_> = self.made.iter().filter(|(id, game)| by_id.get(*id) != Some(*game)).collect();
        let lost: Vec<_> = lost.into_iter().map(|(id, game)| format!("{game}, made by {id:?}")).collect();
        for game in lost {
            self.find("lost-game", game);
        }
        let lost: Vec<_> =
            self.observed.keys().filter(|id| !page.entries.iter().any(|entry| entry.id == **id)).collect();
        let lost: Vec<_> = lost.into_iter().map(ToString::to_string).collect();
        for game in lost {
            self.find("lost-game", game);
        }
    }

    /// Replays one log and compares it with what was observed of it. Answers with its creation's request id.
    fn check_log(&mut self, reader: &Reader, game: GameId) -> Option<String> {
        let stored = reader.game(game).expect("a game in memory");
        let mut records: Vec<(Revision, Hash, String)> = Vec::new();
        let mut fork = false;
        let replayed = replay_stored(game, &stored, |step, request_id| {
            fork = step.position.header().fork.is_some();
            records.push((step.position.revision(), step.position.head_hash(), request_id));
            ControlFlow::Continue(())
        });
        if let Err(error) = replayed {
            self.find("log-broken", error.to_string());
            return None;
        }
        let observed = self.hashes.range((game, Revision::NONE)..=(game, Revision::MAX));
        let wrong: Vec<Revision> = observed
            .filter(|((_, revision), hash)| {
                let record = revision.last_record().and_then(|last| records.get(last.index()));
                record.is_none_or(|(_, in_log, _)| in_log != *hash)
            })
            .map(|((_, revision), _)| *revision)
            .collect();
        for revision in wrong {
            self.find("not-in-log", format!("the record that led to revision {revision} of game {game}"));
        }
        self.check_requests(game, &records, fork);
        records.first().map(|(_, _, request_id)| request_id.clone())
    }

    fn check_requests(&mut self, game: GameId, records: &[(Revision, Hash, String)], fork: bool) {
        let mut findings = Vec::new();
        let (mut anonymous, mut seen) = (0, BTreeSet::new());
        for (revision, hash, request_id) in &records[1..] {
            if request_id.is_empty() {
                anonymous += 1;
                continue;
            }
            if !seen.insert(request_id) {
                findings.push(("done-twice", format!("action {request_id} of game {game}")));
            }
            match self.acts.get(&(game, request_id.clone())) {
                None => findings.push(("unasked-record", format!("{request_id} of game {game}"))),
                Some(act) if act.done.is_some_and(|done| done != (*revision, *hash)) => {
                    findings.push(("other-answer", format!("action {request_id} of game {game}")));
                }
                Some(act) if act.done.is_none() && act.not_done == act.asked => {
                    findings.push(("refused-but-done", format!("action {request_id} of game {game}")));
                }
                Some(_) => {}
            }
        }
        if !fork && anonymous > self.anonymous_acts.get(&game).copied().unwrap_or(0) {
            findings.push(("unasked-record", format!("{anonymous} records without an id in game {game}")));
        }
        for ((_, request_id), act) in self.acts.range((game, String::new())..).take_while(|((id, _), _)| *id == game) {
            if act.done.is_some() && !seen.contains(request_id) {
                findings.push(("not-in-log", format!("action {request_id} of game {game}")));
            }
        }
        for (kind, detail) in findings {
            self.find(kind, detail);
        }
    }
}
