//! The handle of the sealer: its thread, what it is asked for, and what came of it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use divelog_ledger::tlog::{SigningKey, VerifierKey};
use tokio::sync::watch;

use super::files::Folder;
use super::key::{self, KeyError};
use super::sealer::Sealer;
use super::{SealError, Signed, TransparencyOptions};
use crate::lock::{lock, wait_while};
use crate::session::Error;
use crate::store::Store;

/// Passes that write are at least so far apart, unless the interval is shorter: whoever asks for a checkpoint in a loop
/// must not keep the disk busy.
const MIN_INTERVAL: Duration = Duration::from_millis(50);
/// How long a call waits for the sealer at most: a log that is built again takes its time.
const SEAL_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the last pass goes on after the server was asked to stop. What it leaves is sealed by the next run.
const LAST_PASS: Duration = Duration::from_secs(2);
/// What the sealer leaves to play where both want the processor. It does not yield on top of that: on a busy machine each
/// yield gave everybody else a whole turn, and sealing fell behind play without end.
const NICENESS: i32 = 10;

/// The transparency log of one server. Clones share it.
#[derive(Clone)]
pub struct Transparency(Arc<Inner>);

struct Inner {
    store: Store,
    folder: Folder,
    key: SigningKey,
    requests: Arc<SealRequests>,
    status: watch::Receiver<SealStatus>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What came of it.
#[derive(Clone, Default)]
struct SealStatus {
    signed: Option<Arc<Signed>>,
    error: Option<SealError>,
    /// Every request up to this one was done, or failed.
    done: u64,
}

/// What the sealer is asked for.
#[derive(Default)]
struct SealRequests {
    requested: Mutex<Requested>,
    wake: Condvar,
}

#[derive(Default)]
struct Requested {
    last: u64,
    stop: bool,
    stopped_at: Option<Instant>,
}

impl SealRequests {
    fn requested(&self) -> MutexGuard<'_, Requested> {
        lock(&self.requested)
    }

    fn request(&self) -> u64 {
        let mut requested = self.requested();
        requested.last += 1;
        self.wake.notify_all();
        requested.last
    }

    fn stop(&self) {
        let mut requested = self.requested();
        requested.stop = true;
        requested.stopped_at.get_or_insert_with(Instant::now);
        self.wake.notify_all();
    }

    /// Whether a pass may go on with what is left to do.
    fn go_on(&self) -> bool {
        self.requested().stopped_at.is_none_or(|stopped| stopped.elapsed() < LAST_PASS)
    }

    /// Waits for the next pass; answers with the newest request and whether it is the last pass.
    fn wait(&self, interval: Duration, done: u64, last_write: Option<Instant>) -> (u64, bool) {
        let idle = |requested: &mut Requested| !requested.stop && requested.last == done;
        let requested = wait_while(&self.wake, self.requested(), interval, idle);
        let since = last_write.map_or(Duration::MAX, |last| last.elapsed());
        let rest = MIN_INTERVAL.min(interval).saturating_sub(since);
        let requested = wait_while(&self.wake, requested, rest, |requested| !requested.stop);
        (requested.last, requested.stop)
    }
}

impl Transparency {
    /// Refuses a key or a name that [`Transparency::start`] would refuse. Makes nothing.
    pub fn check(options: &TransparencyOptions) -> Result<(), KeyError> {
        key::check(&options.data, options.signing_key.as_deref(), options.origin.as_deref())
    }

    /// Reads or makes the key and starts the sealer. What is wrong with the log itself each call answers: play goes on
    /// without it.
    pub fn start(options: &TransparencyOptions, store: Store) -> Result<Transparency, KeyError> {
        let key = key::load(&options.data, options.signing_key.as_deref(), options.origin.as_deref())?;
        let folder = Folder::new(options.publish.clone());
        tracing::info!(verifier_key = %key.verifier_key(), folder = %folder.path().display(), "the transparency log");
        let requests = Arc::new(SealRequests::default());
        let (sender, status) = watch::channel(SealStatus::default());
        let work = Work { options: options.clone(), store: store.clone(), folder: folder.clone(), key: key.clone() };
        let thread = {
            let requests = Arc::clone(&requests);
            std::thread::Builder::new().name("sealer".into()).spawn(move || work.run(&requests, &sender))
        };
        let thread = thread.map_err(|source| KeyError::Io { path: options.data.clone(), source })?;
        Ok(Transparency(Arc::new(Inner { store, folder, key, requests, status, thread: Mutex::new(Some(thread)) })))
    }

    /// The public key.
    pub fn verifier_key(&self) -> &VerifierKey {
        self.0.key.verifier_key()
    }

    /// The text of the signing key: for backups.
    pub fn signing_key(&self) -> &str {
        self.0.key.to_text()
    }

    /// The newest checkpoint, without waiting; none before the first of this run, and none if the log is broken.
    pub fn newest(&self) -> Option<Arc<Signed>> {
        let status = self.0.status.borrow();
        status.signed.clone().filter(|_| !matches!(status.error, Some(SealError::Broken(_))))
    }

    /// The newest checkpoint; waits for the first.
    pub async fn checkpoint(&self) -> Result<Arc<Signed>, Error> {
        match self.newest() {
            Some(signed) => Ok(signed),
            None => self.seal().await,
        }
    }

    /// A checkpoint that covers everything that is durable now.
    pub async fn seal(&self) -> Result<Arc<Signed>, Error> {
        let request = self.0.requests.request();
        let mut status = self.0.status.clone();
        let done =
            status.wait_for(|status| status.done >= request || matches!(status.error, Some(SealError::Broken(_))));
        let status = match tokio::time::timeout(SEAL_TIMEOUT, done).await {
            Ok(Ok(status)) => status.clone(),
            Ok(Err(_)) => return Err(Error::ShuttingDown),
            Err(_) => return Err(Error::LogNotReady),
        };
        match (status.error, status.signed) {
            (Some(SealError::Broken(message)), _) => Err(Error::LogBroken(message)),
            (Some(SealError::Failing(message)), _) => Err(Error::SealingFailed(message)),
            (None, Some(signed)) => Ok(signed),
            (None, None) => Err(Error::LogNotReady),
        }
    }

    /// Seals what came since the last pass and ends the thread. Blocks, but not for a log that is being built again: that
    /// goes on at the next start.
    pub fn stop(&self) {
        self.0.requests.stop();
        let thread = lock(&self.0.thread).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the sealer has panicked");
        }
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.0.folder
    }

    pub(super) fn store(&self) -> &Store {
        &self.0.store
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.requests.stop();
    }
}

/// What the thread begins with.
struct Work {
    options: TransparencyOptions,
    store: Store,
    folder: Folder,
    key: SigningKey,
}

impl Work {
    /// All that the thread does.
    fn run(self, requests: &SealRequests, status: &watch::Sender<SealStatus>) {
        if let Err(error) = rustix::process::nice(NICENESS) {
            tracing::debug!(%error, "the sealer runs at the priority of play");
        }
        let Work { options, store, folder, key } = self;
        let mut sealer = None;
        let mut request = 0;
        let mut stop = false;
        let mut last_write = None;
        loop {
            let result = match sealer.take().map_or_else(
                || Sealer::open(store.clone(), options.data.clone(), folder.clone(), key.clone(), options.games),
                Ok,
            ) {
                Ok(opened) => sealer.insert(opened).pass(&|| requests.go_on()),
                Err(error) => Err(error),
            };
            let Some(result) = result.transpose() else {
                tracing::info!("the server stops; sealing goes on at the next start");
                return;
            };
            if result.as_ref().is_ok_and(|signed| status.borrow().signed.as_ref() != Some(signed)) {
                last_write = Some(Instant::now());
            }
            publish_result(status, request, result);
            if stop || matches!(status.borrow().error, Some(SealError::Broken(_))) {
                return;
            }
            (request, stop) = requests.wait(options.interval, request, last_write);
        }
    }
}

/// Publishes what came of a pass; says what is wrong once, not with every pass.
fn publish_result(status: &watch::Sender<SealStatus>, request: u64, result: Result<Arc<Signed>, SealError>) {
    let before = status.borrow().error.clone();
    let (signed, error) = match result {
        Ok(signed) => (Some(signed), None),
        Err(error) => (None, Some(error)),
    };
    match &error {
        Some(SealError::Broken(message)) => {
            tracing::error!(%message, "no checkpoints are signed until this is fixed; games go on");
        }
        Some(SealError::Failing(message)) if before != error => {
            tracing::error!(%message, "sealing has failed and is tried again");
        }
        None if before.is_some() => tracing::info!("sealing goes on"),
        _ => {}
    }
    let changed = |status: &mut SealStatus| {
        status.error = error;
        status.done = request;
        if signed.is_some() {
            status.signed = signed;
        }
    };
    status.send_modify(changed);
}
