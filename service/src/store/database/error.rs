//! Sled's errors and panics, as the store's.

use crate::files::advice;
use crate::store::error::StoreError;

/// An error of sled while something was done.
pub(super) fn failed(doing: &'static str) -> impl FnOnce(sled::Error) -> StoreError {
    move |source| StoreError::Database { doing, source: Box::new(source) }
}

/// Whether an error of the database says that its file is damaged: sled opens some damaged files, and notices only when it
/// reads.
pub(in crate::store) fn is_corruption(source: &(dyn std::error::Error + 'static)) -> bool {
    matches!(source.downcast_ref(), Some(sled::Error::Corruption { .. }))
}

/// What an operator can do about an error of the database, where the cause is the system's.
pub(in crate::store) fn advice_on(source: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    match source.downcast_ref() {
        Some(sled::Error::Io(error)) => advice(error),
        _ => String::new(),
    }
}

/// Runs `work`, turning a panic of the database into an error.
///
/// sled answers many kinds of damage with a panic, also while reading a page
/// long after opening. Its message still goes through the process's panic hook:
/// the hook is global, so silencing it here would hide panics of other threads.
/// This needs `panic = "unwind"`, Rust's default.
pub(in crate::store) fn catch_panic<R>(
    doing: &'static str,
    work: impl FnOnce() -> Result<R, StoreError>,
) -> Result<R, StoreError> {
    // State shared with the closure is behind locks that ignore poisoning, and is
    // only changed after sled's calls have succeeded.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(panic) => Err(StoreError::DatabasePanic { doing, detail: panic_text(panic.as_ref()) }),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a message".to_owned()
    }
}
