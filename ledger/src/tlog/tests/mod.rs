//! The log's promises.
