//! Writes that can be repeated: each is sent under a request id, and an error after which it is not known whether it was
//! done, or that may pass, comes with the command line that asks for the same thing once more.

use std::fmt::Write as _;

use crate::{
    args::{Global, RequestIdArg},
    errors::CliError,
    status,
};

const REQUEST_ID: &str = "--request-id";

/// The id that a write is sent under, and the command line that sends it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// The id: the one that was given, or a random one.
    pub request_id: String,
    /// The line, for a POSIX shell.
    pub command: String,
}

impl Repeat {
    /// The id of this run, and the line that repeats it. Nobody can type again what came from stdin, so it stands in the line.
    pub fn new(global: &Global, given: &RequestIdArg, stdin: Option<&str>) -> Result<Self, CliError> {
        let request_id = match &given.request_id {
            Some(id) => id.clone(),
            None => random_id()?,
        };
        let mut words: Vec<String> = global.typed.iter().map(|word| without_stdin(word, stdin)).collect();
        if given.request_id.is_none() {
            // What follows `--` is no flag.
            let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
            words.splice(end..end, [REQUEST_ID.to_owned(), request_id.clone()]);
        }
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        Ok(Self { request_id, command: words.join(" ") })
    }

    /// The error, with what repeats the call if that makes sense.
    pub fn attach(self, error: impl Into<CliError>) -> CliError {
        let error = error.into();
        let may_help = match &error {
            CliError::Unreachable { .. } | CliError::Timeout { .. } => true,
            CliError::Status(refused) => status::may_be_repeated(refused),
            _ => false,
        };
        if may_help { CliError::Repeatable { error: error.into(), repeat: self } } else { error }
    }

    /// What to do, for people.
    pub fn sentence(&self) -> String {
        format!("to ask for the same thing again, so that nothing is done twice:\n  {}", self.command)
    }
}

fn without_stdin(word: &str, stdin: Option<&str>) -> String {
    match (word, stdin) {
        ("-", Some(text)) => text.to_owned(),
        (word, Some(text)) if word.starts_with("--") && word.ends_with("=-") => {
            format!("{}{text}", word.trim_end_matches('-'))
        }
        (word, _) => word.to_owned(),
    }
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A random UUID (RFC 9562, version 4).
fn random_id() -> Result<String, CliError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| CliError::io("cannot make a random request id", std::io::Error::other(error)))?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut id = String::new();
    for (at, byte) in bytes.iter().enumerate() {
        let gap = if [4, 6, 8, 10].contains(&at) { "-" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(id, "{gap}{byte:02x}");
    }
    Ok(id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use divelog_client::ErrorDetails;
    use tonic::Code;

    use super::*;
    use crate::test_server;

    fn repeat(typed: &[&str], given: Option<&str>, stdin: Option<&str>) -> Repeat {
        let typed = typed.iter().map(|word| word.to_string()).collect();
        let global = Global { typed, ..test_server::global("s") };
        Repeat::new(&global, &RequestIdArg { request_id: given.map(str::to_owned) }, stdin).unwrap()
    }

    #[test]
    fn the_line_has_the_id_and_can_be_typed() {
        let act = ["divelog", "game", "act", "g", "--seat", "0", "dive"];
        let line = repeat(&act, None, None);
        assert_eq!(line.command, format!("divelog game act g --seat 0 dive --request-id {}", line.request_id));
        let given = [&act[..], &["--request-id", "r"]].concat();
        assert_eq!(repeat(&given, Some("r"), None).command, "divelog game act g --seat 0 dive --request-id r");
        let dashes = repeat(&["divelog", "game", "act", "--", "g"], None, None);
        assert_eq!(dashes.command, format!("divelog game act --request-id {} -- g", dashes.request_id));
        let spaces = ["divelog", "game", "abandon", "g", "--reason", "it's late; $HOME", "--request-id", "r"];
        assert_eq!(
            repeat(&spaces, Some("r"), None).command,
            r"divelog game abandon g --reason 'it'\''s late; $HOME' --request-id r"
        );
    }

    #[test]
    fn what_came_from_stdin_stands_in_the_line() {
        let fork = repeat(&["divelog", "game", "fork", "-"], None, Some("id"));
        assert!(fork.command.starts_with("divelog game fork id --request-id "), "{}", fork.command);
        let json = repeat(&["divelog", "game", "act", "g", "--json=-"], Some("r"), Some("{\"a\":1}"));
        assert_eq!(json.command, "divelog game act g '--json={\"a\":1}'");
    }

    #[test]
    fn random_ids_are_uuids_of_their_own() {
        let ids: BTreeSet<String> = (0..100).map(|_| random_id().unwrap()).collect();
        assert_eq!(ids.len(), 100);
        for id in ids {
            assert_eq!((id.len(), &id[14..15]), (36, "4"), "{id}");
        }
    }

    #[test]
    fn only_what_may_help_is_repeated() {
        let of = |code, reason: Option<&str>| {
            let details = ErrorDetails { reason: reason.map(str::to_owned), ..ErrorDetails::new(code, "") };
            CliError::Status(details.into())
        };
        let cases = [
            (CliError::Timeout { server: "s".into(), seconds: 1 }, true),
            (of(Code::Unavailable, None), true),
            (of(Code::Unavailable, Some("STORE_FAILED")), true),
            (of(Code::DeadlineExceeded, None), true),
            (of(Code::Cancelled, None), true),
            (of(Code::ResourceExhausted, Some("BUSY")), true),
            (of(Code::Aborted, Some("CONFLICT")), true),
            (of(Code::Aborted, Some("STALE_REVISION")), false),
            (of(Code::FailedPrecondition, Some("FIRST_TURN")), false),
            (of(Code::NotFound, None), false),
            (CliError::usage("x"), false),
        ];
        for (error, expected) in cases {
            let what = format!("{error:?}");
            let attached = repeat(&["divelog"], None, None).attach(error);
            assert_eq!(matches!(attached, CliError::Repeatable { .. }), expected, "{what}");
        }
    }
}
