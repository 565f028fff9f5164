//! divelog end to end: real processes on free ports, a module per promise.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod play;
