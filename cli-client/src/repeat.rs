//! Writes that can be repeated: each is sent under a request id, and an error after which it is not known whether it was
//! done, or that may pass, comes with the command line that asks for the same thing once more.

use clap::{CommandFactory as _, parser::ValueSource};

use crate::{
    args::{Cli, DEFAULT_SERVER, Global, RequestIdArg},
    errors::CliError,
    status,
};

const REQUEST_ID: &str = "--request-id";
const SERVER: &str = "--server";

/// The id that a write is sent under, and the command line that sends it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// The id: the one that was given, or a random one.
    pub request_id: String,
    /// The line, for a POSIX shell.
    pub command: String,
}

/// An argument whose value was read from stdin, as clap knows it, and what was read.
#[derive(Debug, Clone, Copy)]
pub struct FromStdin<'a> {
    /// Such as `game`.
    pub argument: &'static str,
    /// What stands in the repeated line instead.
    pub text: &'a str,
}

impl Repeat {
    /// The id of this run, and the line that repeats it wherever it is typed: with what came from stdin, which nobody can type
    /// again, and with a server that only the environment has named.
    pub fn new(global: &Global, given: &RequestIdArg, stdin: Option<FromStdin<'_>>) -> Result<Self, CliError> {
        let request_id = match &given.request_id {
            Some(id) => id.clone(),
            None => random_id()?,
        };
        let mut words = global.typed.clone();
        if let Some(stdin) = stdin {
            replace(&mut words, stdin);
        }
        let mut added: Vec<String> = Vec::new();
        if global.server != DEFAULT_SERVER && !is_typed(&global.typed, "server") {
            added.extend([SERVER.to_owned(), global.server.clone()]);
        }
        if given.request_id.is_none() {
            added.extend([REQUEST_ID.to_owned(), request_id.clone()]);
        }
        // What follows `--` is no flag.
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.splice(end..end, added);
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

/// Puts what was read from stdin where the argument says `-`. Another argument may say `-` too, such as a name: the right one is
/// that whose change changes the argument.
fn replace(words: &mut [String], FromStdin { argument, text }: FromStdin<'_>) {
    const MARK: &str = "argument-from-stdin";
    for at in 0..words.len() {
        let Some(before) = words[at].strip_suffix('-').filter(|before| before.is_empty() || before.ends_with('='))
        else {
            continue;
        };
        let mut marked = words.to_vec();
        marked[at] = format!("{before}{MARK}");
        if value(&marked, argument).as_deref() == Some(MARK) {
            words[at] = format!("{before}{text}");
            return;
        }
    }
}

/// What clap makes of a line: the innermost command's arguments.
fn matches(words: &[String]) -> Option<clap::ArgMatches> {
    let mut matches = Cli::command().try_get_matches_from(words).ok()?;
    while let Some((_, inner)) = matches.remove_subcommand() {
        matches = inner;
    }
    Some(matches)
}

fn value(words: &[String], argument: &str) -> Option<String> {
    matches(words)?.try_get_one::<String>(argument).ok().flatten().cloned()
}

/// Whether an argument of the line was typed, and does not come from the environment or from nowhere.
fn is_typed(words: &[String], argument: &str) -> bool {
    matches(words).and_then(|matches| matches.value_source(argument)) == Some(ValueSource::CommandLine)
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A random UUID.
fn random_id() -> Result<String, CliError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| CliError::io("cannot make a random request id", std::io::Error::other(error)))?;
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use divelog_client::ErrorDetails;
    use tonic::Code;

    use super::*;
    use crate::test_server;

    fn repeat(typed: &[&str], given: Option<&str>, stdin: Option<(&'static str, &str)>) -> Repeat {
        with_server(DEFAULT_SERVER, typed, given, stdin)
    }

    fn with_server(server: &str, typed: &[&str], given: Option<&str>, stdin: Option<(&'static str, &str)>) -> Repeat {
        let typed = typed.iter().map(|word| word.to_string()).collect();
        let global = Global { typed, ..test_server::global(server) };
        let stdin = stdin.map(|(argument, text)| FromStdin { argument, text });
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

    /// What was typed, what was read from stdin for which argument, and what repeats it.
    #[test]
    fn what_came_from_stdin_stands_in_the_line_and_nothing_else_is_replaced() {
        let (json, document) = (r#"{"leave":{}}"#, r#"{"variant":"drone"}"#);
        let cases = [
            ("game fork - --request-id r", "game", "id", "game fork id --request-id r"),
            ("game fork --request-id r -", "game", "id", "game fork --request-id r id"),
            ("game abandon - --reason - --request-id r", "game", "id", "game abandon id --reason - --request-id r"),
            ("game abandon --reason - - --request-id r", "game", "id", "game abandon --reason - id --request-id r"),
            (
                "game abandon --reason=- --request-id r -- -",
                "game",
                "id",
                "game abandon --reason=- --request-id r -- id",
            ),
            (
                "game act g --seat 0 --request-id r --json=-",
                "json",
                json,
                r#"game act g --seat 0 --request-id r '--json={"leave":{}}'"#,
            ),
            (
                "game create captain_carcass --player - --options - --player - --request-id r",
                "options",
                document,
                r#"game create captain_carcass --player - --options '{"variant":"drone"}' --player - --request-id r"#,
            ),
            (
                "game create captain_carcass --player=- --player x --label a=- --options=- --request-id r",
                "options",
                document,
                r#"game create captain_carcass --player=- --player x --label a=- '--options={"variant":"drone"}' --request-id r"#,
            ),
        ];
        for (line, argument, text, expected) in cases {
            let typed: Vec<&str> = ["divelog"].into_iter().chain(line.split(' ')).collect();
            let repeated = repeat(&typed, Some("r"), Some((argument, text)));
            assert_eq!(repeated.command, format!("divelog {expected}"), "{line}");
        }
    }

    #[test]
    fn a_server_that_was_not_typed_stands_in_the_line() {
        let cases = [
            ("h:1", "game fork g", "game fork g --server h:1 --request-id r"),
            ("h:1", "game fork -- g", "game fork --server h:1 --request-id r -- g"),
            ("h:1", "game fork g --server h:1", "game fork g --server h:1 --request-id r"),
            ("h:1", "--server=h:1 game fork g", "--server=h:1 game fork g --request-id r"),
            (DEFAULT_SERVER, "game fork g", "game fork g --request-id r"),
        ];
        for (server, line, expected) in cases {
            let typed: Vec<&str> = ["divelog"].into_iter().chain(line.split(' ')).collect();
            let repeated = with_server(server, &typed, None, None);
            let command = repeated.command.replace(&repeated.request_id, "r");
            assert_eq!(command, format!("divelog {expected}"), "{line}");
        }
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
