//! The sealer's thread, and those who wait for it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use divelog_ledger::tlog::{SigningKey, VerifierKey};
use tokio::sync::watch;

use super::files::Folder;
use super::key::{self, KeyError};
use super::sealer::Sealer;
use super::{Settings, Signed, Trouble};
use crate::session::Error;
use crate::store::Store;

/// Passes that write are at least so far apart, unless the interval is shorter: whoever asks for a checkpoint in a loop
/// must not keep the disk busy.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(50);
/// How long a call waits for the sealer at most: a log that is built again takes its time.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the last pass goes on after the server was told to stop. What it leaves is sealed by the next run.
const LAST_PASS: Duration = Duration::from_secs(2);
/// What the sealer leaves to play where both want the processor.
const NICENESS: i32 = 10;

/// The transparency log of one server. Clones share it.
#[derive(Clone)]
pub struct Transparency(Arc<Inner>);

struct Inner {
    store: Store,
    folder: Folder,
    key: SigningKey,
    desk: Arc<Desk>,
    news: watch::Receiver<News>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the sealer has to say.
#[derive(Clone, Default)]
struct News {
    signed: Option<Arc<Signed>>,
    trouble: Option<Trouble>,
    /// Every order up to this one was carried out, or failed.
    done: u64,
}

/// Where the sealer is told to work.
#[derive(Default)]
struct Desk {
    orders: Mutex<Orders>,
    wake: Condvar,
}

#[derive(Default)]
struct Orders {
    last: u64,
    stop: bool,
    stopped_at: Option<Instant>,
}

impl Desk {
    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn order(&self) -> u64 {
        let mut orders = self.orders();
        orders.last += 1;
        self.wake.notify_all();
        orders.last
    }

    fn stop(&self) {
        let mut orders = self.orders();
        orders.stop = true;
        orders.stopped_at.get_or_insert_with(Instant::now);
        self.wake.notify_all();
    }

    /// Whether a pass may go on with what is left to do.
    fn go_on(&self) -> bool {
        self.orders().stopped_at.is_none_or(|stopped| stopped.elapsed() < LAST_PASS)
    }

    /// Waits for the next pass; answers with the newest order and whether it is the last pass.
    fn wait(&self, interval: Duration, done: u64, last_write: Option<Instant>) -> (u64, bool) {
        let idle = |orders: &mut Orders| !orders.stop && orders.last == done;
        let waited = self.wake.wait_timeout_while(self.orders(), interval, idle);
        let (orders, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let since = last_write.map_or(Duration::MAX, |last| last.elapsed());
        let rest = SHORTEST_INTERVAL.min(interval).saturating_sub(since);
        let waited = self.wake.wait_timeout_while(orders, rest, |orders| !orders.stop);
        let (orders, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (orders.last, orders.stop)
    }
}

impl Transparency {
    /// Reads or makes the key and starts the sealer. What is wrong with the log itself is said by each call: play goes on
    /// without it.
    pub fn start(settings: &Settings, store: Store) -> Result<Transparency, KeyError> {
        let key = key::load(&settings.data, settings.signing_key.as_deref(), settings.origin.as_deref())?;
        let folder = Folder::new(settings.publish.clone());
        tracing::info!(verifier_key = %key.verifier_key(), folder = %folder.path().display(), "the transparency log");
        let desk = Arc::new(Desk::default());
        let (sender, news) = watch::channel(News::default());
        let work = Work { settings: settings.clone(), store: store.clone(), folder: folder.clone(), key: key.clone() };
        let thread = {
            let desk = Arc::clone(&desk);
            std::thread::Builder::new().name("sealer".into()).spawn(move || work.run(&desk, &sender))
        };
        let thread = thread.map_err(|source| KeyError::Io { path: settings.data.clone(), source })?;
        Ok(Transparency(Arc::new(Inner { store, folder, key, desk, news, thread: Mutex::new(Some(thread)) })))
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
        let news = self.0.news.borrow();
        news.signed.clone().filter(|_| !matches!(news.trouble, Some(Trouble::Broken(_))))
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
        let order = self.0.desk.order();
        let mut news = self.0.news.clone();
        let done = news.wait_for(|news| news.done >= order || matches!(news.trouble, Some(Trouble::Broken(_))));
        let news = match tokio::time::timeout(PATIENCE, done).await {
            Ok(Ok(news)) => news.clone(),
            Ok(Err(_)) => return Err(Error::ShuttingDown),
            Err(_) => return Err(Error::LogNotReady),
        };
        match (news.trouble, news.signed) {
            (Some(Trouble::Broken(message)), _) => Err(Error::LogBroken(message)),
            (Some(Trouble::Failing(message)), _) => Err(Error::SealingFailed(message)),
            (None, Some(signed)) => Ok(signed),
            (None, None) => Err(Error::LogNotReady),
        }
    }

    /// Seals what came since the last pass and ends the thread. Blocks, but not for a log that is being built again: that
    /// goes on at the next start.
    pub fn stop(&self) {
        self.0.desk.stop();
        let thread = self.0.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
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
        self.desk.stop();
    }
}

/// What the thread begins with.
struct Work {
    settings: Settings,
    store: Store,
    folder: Folder,
    key: SigningKey,
}

impl Work {
    /// The thread's whole life.
    fn run(self, desk: &Desk, news: &watch::Sender<News>) {
        if let Err(error) = rustix::process::nice(NICENESS) {
            tracing::debug!(%error, "the sealer runs at the priority of play");
        }
        let Work { settings, store, folder, key } = self;
        let mut sealer = None;
        let mut order = 0;
        let mut stop = false;
        let mut last_write = None;
        loop {
            let result = match sealer.take().map_or_else(
                || Sealer::open(store.clone(), settings.data.clone(), folder.clone(), key.clone(), settings.games),
                Ok,
            ) {
                Ok(opened) => sealer.insert(opened).pass(&|| desk.go_on()),
                Err(trouble) => Err(trouble),
            };
            let Some(result) = result.transpose() else {
                tracing::info!("the server stops; sealing goes on at the next start");
                return;
            };
            if result.as_ref().is_ok_and(|signed| news.borrow().signed.as_ref() != Some(signed)) {
                last_write = Some(Instant::now());
            }
            tell(news, order, result);
            if stop || matches!(news.borrow().trouble, Some(Trouble::Broken(_))) {
                return;
            }
            (order, stop) = desk.wait(settings.interval, order, last_write);
        }
    }
}

/// Publishes what came of a pass; says what is wrong once, not with every pass.
fn tell(news: &watch::Sender<News>, order: u64, result: Result<Arc<Signed>, Trouble>) {
    let before = news.borrow().trouble.clone();
    let (signed, trouble) = match result {
        Ok(signed) => (Some(signed), None),
        Err(trouble) => (None, Some(trouble)),
    };
    match &trouble {
        Some(Trouble::Broken(message)) => {
            tracing::error!(%message, "no checkpoints are signed until this is seen to; games go on");
        }
        Some(Trouble::Failing(message)) if before != trouble => {
            tracing::error!(%message, "sealing has failed and is tried again");
        }
        None if before.is_some() => tracing::info!("sealing goes on"),
        _ => {}
    }
    let changed = |news: &mut News| {
        news.trouble = trouble;
        news.done = order;
        if signed.is_some() {
            news.signed = signed;
        }
    };
    news.send_modify(changed);
}
