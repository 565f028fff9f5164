//! How many connections the process may have: each takes a file descriptor, and the store must always get the ones it needs.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors that are kept free of connections: for the store's files and those that it opens for a moment, the
/// transparency log's, the log file, the listener, the runtime, and a connection that is accepted only to be closed.
pub const RESERVED: usize = 64;
/// As many connections as are allowed where nobody says otherwise and the system would give more.
pub const DEFAULT_MAX_CONNECTIONS: usize = 16_384;

/// More connections than the process may have.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TooFew {
    /// Not even one.
    #[error("the limit of open files is {limit}, and {RESERVED} of them are for the store: raise it (`ulimit -n`)")]
    ForAny { limit: usize },
    /// Fewer than the setting.
    #[error(
        "max_connections is {wanted}, but the limit of open files is {limit}, and {RESERVED} of them are for the store: \
         raise the limit (`ulimit -n`), or set max_connections to {most} or less",
        most = .limit - RESERVED
    )]
    For { wanted: usize, limit: usize },
}

/// Raises the limit of open files as far as it can be, and says how many connections that allows.
pub fn max_connections(wanted: Option<usize>) -> Result<usize, TooFew> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // Without leave to raise it, what holds now holds on.
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
    let now = getrlimit(Resource::Nofile).current;
    if now != current {
        tracing::debug!(?current, ?now, "raised the limit of open files");
    }
    allowed(wanted, now.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)))
}

fn allowed(wanted: Option<usize>, limit: usize) -> Result<usize, TooFew> {
    match (limit.saturating_sub(RESERVED), wanted) {
        (0, _) => Err(TooFew::ForAny { limit }),
        (most, Some(wanted)) if wanted > most => Err(TooFew::For { wanted, limit }),
        (_, Some(wanted)) => Ok(wanted),
        (most, None) => Ok(most.min(DEFAULT_MAX_CONNECTIONS)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_the_store_its_descriptors() {
        assert_eq!(allowed(None, 1_024), Ok(960));
        assert_eq!(allowed(None, 1 << 20), Ok(DEFAULT_MAX_CONNECTIONS));
        assert_eq!(allowed(Some(20_000), 1 << 20), Ok(20_000));
        assert_eq!(allowed(Some(960), 1_024), Ok(960));
        assert_eq!(allowed(Some(961), 1_024), Err(TooFew::For { wanted: 961, limit: 1_024 }));
        assert_eq!(allowed(None, 64), Err(TooFew::ForAny { limit: 64 }));
        let told = TooFew::For { wanted: 961, limit: 1_024 }.to_string();
        assert!(told.contains("to 960 or less"), "{told}");
    }
}
