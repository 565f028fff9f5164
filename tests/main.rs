//! divelog end to end: real processes on free ports, a module per promise.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod api;
mod cli;
mod crash;
mod damage;
mod descriptors;
mod docs;
mod evidence;
mod examples;
mod faults;
mod full_disk;
mod history;
mod operating;
mod play;
mod power_cut;
mod protos;
mod python;
mod raw_codec;
mod recovery;
mod rule_books;
mod tour;
mod transport;
mod verifier;
mod watch;
