//! The exit codes: an interface. This is their one table: `divelog --help` prints it, the README repeats it, and a test
//! runs a command for each row.

use crate::output::strings;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// The server said no, or said that it failed.
    Refused = 1,
    /// The arguments or the input make no sense.
    Usage = 2,
    /// No connection, or no answer.
    Unreachable = 3,
    /// Evidence does not hold.
    Unverified = 4,
    /// Done, but the answer could not be written. (5 is kept for evidence that is proved in part.)
    Unwritten = 6,
}

/// Each code with its meaning.
pub const TABLE: [(Exit, &str); 6] = [
    (Exit::Done, "done"),
    (Exit::Refused, "refused: against the rules, stale, not found, not permitted, or a fault of a server that answers"),
    (Exit::Usage, "usage: arguments, action words or a file that cannot be read"),
    (
        Exit::Unreachable,
        "unreachable: no connection, no answer in time, a server that shuts down, or nothing that speaks gRPC",
    ),
    (
        Exit::Unverified,
        "verification failed: a log, bundle, checkpoint or promise does not agree with itself, with the rules or with \
         what was kept",
    ),
    (Exit::Unwritten, "not written: it was done, but standard output or a file did not take the answer"),
];

/// The columns of a row's text; on a narrower terminal clap breaks the lines again.
const ROW_WIDTH: usize = 74;

/// The end of `divelog --help`.
pub fn help() -> String {
    let rows: Vec<String> = TABLE
        .iter()
        .map(|(exit, meaning)| format!("  {}  {}", *exit as u8, strings::wrap(meaning, ROW_WIDTH).join("\n     ")))
        .collect();
    format!(
        "Exit codes:\n{}\n\n\
         The verdict of a verification wins over every other code. A reader who stops early, as in `divelog ... | head`, is \
         no failure. Ctrl-C ends divelog as any program; a JSON array that it was writing is closed first.\n\n\
         Data goes to stdout; notes and errors go to stderr. With -o json errors are JSON objects too.\n\n\
         Tables fit the terminal, or $COLUMNS where it is set: columns that have no room are left out, and -o wide shows \
         them all. In a pipe or a file without $COLUMNS every table has all its columns, and each row is a line.",
        rows.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_has_the_table() {
        let readme = include_str!("../../README.md");
        for (exit, meaning) in TABLE {
            let row = format!("| {} | {meaning} |", exit as u8);
            assert!(readme.contains(&row), "{row}");
        }
    }

    #[test]
    fn each_code_has_one_row() {
        assert!(TABLE.is_sorted_by_key(|(exit, _)| *exit as u8));
        assert!(TABLE.windows(2).all(|rows| rows[0].0 != rows[1].0));
    }
}
