//! Tests that a machine cannot run say so at the end of the run, instead of passing silently. The store's unit tests use this
//! file too, by its path: their crate cannot depend on this one, which depends on it.

use std::io::Write;

/// Names the file into which such a test writes a line; `./test` sets it, and prints the file at its end.
const LIST: &str = "DIVELOG_NOT_RUN";

/// Notes that a test did nothing here, and why.
pub fn not_run(test: &str, why: &str) {
    // One line for each test, whatever a command has printed.
    let line = format!("{test}: {}\n", why.split_whitespace().collect::<Vec<_>>().join(" "));
    print!("NOT RUN {line}");
    if let Some(list) = std::env::var_os(LIST) {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&list);
        // In one write: tests of one run share the file.
        file.and_then(|mut file| file.write_all(line.as_bytes())).unwrap_or_else(|error| panic!("{list:?}: {error}"));
    }
}
