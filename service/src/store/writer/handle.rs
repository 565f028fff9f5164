//! The writer as everybody else knows it: where records are handed in.

use std::sync::Arc;
use std::task::{Context, Poll};

use crate::store::block::MAX_RECORD_BYTES;
use crate::store::entry::MAX_CREATION_TEXT_BYTES;
use crate::store::error::AppendError;
use crate::store::queue::{NotQueued, Queue};
use crate::store::shared_state::Failure;
use crate::store::types::Append;

/// Where records are handed in. When the last clone is dropped the writer thread ends, after it has written what waits.
pub struct Writer<T>(Arc<Handle<T>>);

struct Handle<T> {
    queue: Arc<Queue<Append<T>>>,
    // Not the whole shared state: a forgotten writer must not keep the folder locked.
    failure: Arc<Failure>,
}

impl<T> Clone for Writer<T> {
    fn clone(&self) -> Self {
        Writer(Arc::clone(&self.0))
    }
}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl<T> Writer<T> {
    pub(in crate::store) fn new(queue: Arc<Queue<Append<T>>>, failure: Arc<Failure>) -> Writer<T> {
        Writer(Arc::new(Handle { queue, failure }))
    }

    /// Queues a record and wakes the writer; never waits for the disk. The `on_group` of [`crate::store::open`] learns what
    /// becomes of it.
    #[allow(clippy::result_large_err, reason = "a refusal hands the append back to be tried again")]
    pub fn append(&self, append: Append<T>) -> Result<(), AppendError<T>> {
        self.queue(append)?;
        self.wake();
        Ok(())
    }

    /// Whether the queue takes another record. Others may be quicker.
    pub fn has_room(&self) -> bool {
        self.0.queue.has_room()
    }

    /// Wakes the writer for everything queued so far.
    pub fn wake(&self) {
        self.0.queue.wake();
    }

    /// Ready as long as records wait that the writer was not woken for, with the number of records that were queued so far.
    /// For one task.
    pub fn poll_since_wake(&self, context: &Context<'_>) -> Poll<u64> {
        self.0.queue.poll_since_wake(context)
    }

    /// How many records were queued so far.
    pub fn queued(&self) -> u64 {
        self.0.queue.queued()
    }

    /// See [`Queue::poll_queued_after`].
    #[cfg(test)]
    pub fn poll_queued_after(&self, seen: u64, context: &Context<'_>) -> Poll<()> {
        self.0.queue.poll_queued_after(seen, context)
    }

    /// Queues a record of which more may follow at once: somebody must [`Writer::wake`] the writer soon, and learns from
    /// [`Writer::poll_since_wake`] when. A writer that is woken for the first of many would sync that one alone, and let
    /// the others wait for it. Where many wait it is woken here.
    #[allow(clippy::result_large_err, reason = "a refusal hands the append back to be tried again")]
    pub fn queue(&self, append: Append<T>) -> Result<(), AppendError<T>> {
        if let Some(error) = self.0.failure.get() {
            return Err(AppendError::Failed(append, error));
        }
        let text = append.new_game.as_ref().map_or(0, |new_game| new_game.creation.text_bytes());
        for (what, size, most) in [
            ("the record", append.record.len(), MAX_RECORD_BYTES),
            ("the text of labels and request id", text, MAX_CREATION_TEXT_BYTES),
        ] {
            if size > most {
                return Err(AppendError::TooLarge { append, what, size, most });
            }
        }
        match self.0.queue.push(append) {
            Ok(()) => Ok(()),
            Err(NotQueued::Full(append)) => Err(AppendError::Full(append)),
            Err(NotQueued::Closed(append)) => Err(match self.0.failure.get() {
                Some(error) => AppendError::Failed(append, error),
                None => AppendError::Closed(append),
            }),
        }
    }
}
