//! Writes the history down while it happens.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use divelog_proto::v1 as pb;

use super::lock;
use crate::history::{ActionStream, Backup, Fingerprint, History, Operation, Outcome, Request, Tick, Watch};

/// A creation as it was sent, to be repeated in the end.
#[derive(Clone, Debug)]
pub(super) enum Creation {
    Create(Box<pb::CreateGameRequest>),
    Fork(pb::ForkGameRequest),
}

/// The history of a round, and a few counts to see how it goes.
#[derive(Default)]
pub(super) struct Recorder {
    clock: AtomicU64,
    asked: AtomicU64,
    /// Requests that must be written to disk: those that were done, and those that wait.
    written: AtomicU64,
    to_write: AtomicU64,
    streams: AtomicU32,
    /// Clients end when it is set.
    closing: AtomicBool,
    history: Mutex<History>,
    creations: Mutex<HashMap<Fingerprint, Creation>>,
}

impl Recorder {
    /// The next moment.
    pub fn tick(&self) -> Tick {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// A request that only reads is about to be sent.
    pub fn invoke_read(&self) -> Tick {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.tick()
    }

    /// A request that must be written to disk is about to be sent.
    pub fn invoke_write(&self) -> Tick {
        self.to_write.fetch_add(1, Ordering::Relaxed);
        self.invoke_read()
    }

    /// A request has its answer, or will have none.
    pub fn answer(&self, client: u32, invoked: Tick, quiet: bool, asked: Request, outcome: Outcome) {
        let returned = self.tick();
        if matches!(asked, Request::Create(_) | Request::Fork(_) | Request::Act(_) | Request::Abandon(_)) {
            self.to_write.fetch_sub(1, Ordering::Relaxed);
            self.written.fetch_add(u64::from(matches!(outcome, Outcome::Done(_))), Ordering::Relaxed);
        }
        self.note(Operation { client, invoked, returned, quiet, asked, outcome });
    }

    /// Notes something that was seen beside the answer itself.
    pub fn note(&self, operation: Operation) {
        lock(&self.history).operations.push(operation);
    }

    pub fn note_stream(&self, stream: ActionStream) {
        lock(&self.history).streams.push(stream);
    }

    pub fn note_watch(&self, watch: Watch) {
        if !watch.seen.is_empty() {
            lock(&self.history).watches.push(watch);
        }
    }

    pub fn note_backup(&self, backup: Backup) {
        lock(&self.history).backups.push(backup);
    }

    /// Keeps a creation, to be repeated in the end.
    pub fn keep(&self, body: Fingerprint, creation: impl FnOnce() -> Creation) {
        lock(&self.creations).entry(body).or_insert_with(creation);
    }

    /// A creation that was kept.
    pub fn creation(&self, body: &Fingerprint) -> Option<Creation> {
        lock(&self.creations).get(body).cloned()
    }

    /// Does something with the whole history.
    pub fn with<R>(&self, work: impl FnOnce(&mut History) -> R) -> R {
        work(&mut lock(&self.history))
    }

    pub fn next_stream(&self) -> u32 {
        self.streams.fetch_add(1, Ordering::Relaxed)
    }

    pub fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
    }

    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// How many requests were sent.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// How many of those that must be written to disk were done.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// How many of those wait for an answer.
    pub fn to_write(&self) -> u64 {
        self.to_write.load(Ordering::Relaxed)
    }
}
