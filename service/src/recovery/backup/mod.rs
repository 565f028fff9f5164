//! Backups: a file of our own with every block of the log, taken from a server that goes on serving.

pub mod file;
pub mod take;

#[cfg(test)]
mod tests;

pub use take::{Options, Taken, take};
