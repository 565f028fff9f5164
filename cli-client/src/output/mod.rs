//! Printing: the format is chosen once, here. Data goes to stdout through [`Output`]; [`note`] is for stderr.

pub mod diff;
pub mod json;
pub mod text;

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
pub use divelog_text::{
    Paint, Screen,
    strings::{self, clean, clean_line, counted, or_dash},
    table,
};
use prost::Message;
use serde_json::Value;

use crate::{
    args::{Format, Lang, When},
    errors::{CliError, worst},
};
pub use text::{labels, short_hash, time, time_ms};

use json::Named;

/// The width that boards and paragraphs are drawn for when nothing says how wide the screen is.
const DEFAULT_WIDTH: usize = 100;

/// Narrower than this nothing can be drawn sensibly.
const MIN_WIDTH: usize = 40;

/// Stdout, and how to write to it.
pub struct Output {
    format: Format,
    screen: Screen,
    /// What tables have to fit into.
    table_width: usize,
    sink: Box<dyn Write>,
    list: List,
    /// What the command has done by now, for the case that its answer cannot be written.
    done: String,
    /// Whether stdout did not take something: that was said once, and nothing more is written.
    failed: bool,
}

/// How far a list is that is printed item by item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    /// There is none.
    NotBegun,
    /// It has begun, and no item was written.
    Empty,
    /// Items were written, and more may follow.
    Open,
    /// It was written to its end.
    Ended,
}

impl Output {
    /// The real stdout.
    pub fn stdout(format: Format, color: When, lang: Lang) -> Self {
        let stdout = io::stdout();
        let colours = match color {
            When::Always => true,
            When::Never => false,
            When::Auto => AutoStream::choice(&stdout) != ColorChoice::Never,
        };
        let terminal = terminal_size::terminal_size_of(&stdout).map(|(width, _)| usize::from(width.0));
        let width = width(std::env::var("COLUMNS").ok().as_deref(), terminal);
        let screen = Screen { width: width.unwrap_or(DEFAULT_WIDTH), paint: Paint::new(colours), lang: lang.into() };
        let mut out = Self::new(format, screen, Box::new(io::BufWriter::new(stdout)));
        if width.is_none() {
            out.table_width = usize::MAX;
        }
        out
    }

    /// Any sink.
    pub fn new(format: Format, screen: Screen, sink: Box<dyn Write>) -> Self {
        let table_width = if format == Format::Wide { usize::MAX } else { screen.width };
        Self { format, screen, table_width, sink, list: List::NotBegun, done: String::new(), failed: false }
    }

    /// Whether people read it.
    pub fn is_table(&self) -> bool {
        matches!(self.format, Format::Table | Format::Wide)
    }

    /// Whether people want to see everything.
    pub fn is_wide(&self) -> bool {
        self.format == Format::Wide
    }

    /// Whether it is one JSON document.
    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Whether it is one JSON object a line.
    pub fn is_jsonl(&self) -> bool {
        self.format == Format::Jsonl
    }

    /// The screen to draw for.
    pub fn screen(&self) -> Screen {
        self.screen
    }

    /// The screen to lay tables out for. Where nothing says how wide it is, each row is a line with all its columns: a
    /// program reads it.
    pub fn table_screen(&self) -> Screen {
        Screen { width: self.table_width, ..self.screen }
    }

    /// Says what the command has done, before its answer is written.
    pub fn done(&mut self, what: impl Into<String>) {
        self.done = what.into();
    }

    /// Prints what a verdict rests on. The verdict was reached before, so whether it can be printed changes nothing about it.
    pub fn judged(
        &mut self,
        verdict: Result<(), CliError>,
        print: impl FnOnce(&mut Self) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        // The evidence is on stdout before the exit code repeats the verdict.
        let printed = print(self).and_then(|()| self.flush());
        worst(verdict, printed)
    }

    /// Writes text, ended by exactly one line break.
    pub fn text(&mut self, text: &str) -> Result<(), CliError> {
        self.write(|sink| writeln!(sink, "{}", text.trim_end_matches('\n')))
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        self.write(|sink| sink.write_all(bytes))
    }

    /// Writes one message as a JSON document or line.
    pub fn message<M: Message + Named>(&mut self, message: &M) -> Result<(), CliError> {
        let text = if self.is_jsonl() { json::compact(message)? } else { json::pretty(message)? };
        self.text(&text)
    }

    /// Writes what is no message of the protos as a JSON document or line.
    pub fn value(&mut self, value: &Value) -> Result<(), CliError> {
        // The alternate form is indented.
        let text = if self.is_jsonl() { value.to_string() } else { format!("{value:#}") };
        self.text(&json::safe(&text))
    }

    /// Begins a list whose items come one by one: an array in JSON, lines in JSONL. Whatever happens from here on, stdout
    /// gets a document; a call that is refused before leaves nothing behind.
    pub fn begin_list(&mut self) {
        if self.list == List::NotBegun {
            self.list = List::Empty;
        }
    }

    /// Writes the next item of a list. It is sent on at once: somebody may be waiting for it.
    pub fn list_item<M: Message + Named>(&mut self, message: &M) -> Result<(), CliError> {
        if self.format == Format::Json {
            let item = json::pretty(message)?;
            self.array_item(&item)?;
        } else {
            self.message(message)?;
        }
        self.flush()
    }

    fn array_item(&mut self, item: &str) -> Result<(), CliError> {
        let before = if self.list == List::Open { "," } else { "[" };
        self.list = List::Open;
        self.write(|sink| write!(sink, "{before}\n{item}"))
    }

    /// Ends the list.
    pub fn end_list(&mut self) -> Result<(), CliError> {
        let end = if self.list == List::Open { "\n]" } else { "[]" };
        self.list = List::Ended;
        if self.format == Format::Json { self.text(end) } else { Ok(()) }
    }

    /// Ends the output of a command, whatever came of it. An array that breaks off is closed, with the error as its last
    /// item, so that it can be read and nobody takes it for whole.
    pub fn end(&mut self, result: Result<(), CliError>) -> Result<(), CliError> {
        let closed = match &result {
            Err(error) if matches!(self.list, List::Empty | List::Open) && self.is_json() => {
                let item = json::safe(&format!("{:#}", serde_json::json!({ "error": error.json() })));
                self.array_item(&item).and_then(|()| self.end_list())
            }
            _ => Ok(()),
        };
        worst(result, closed.and_then(|()| self.flush()))
    }

    /// Sends on what was written.
    pub fn flush(&mut self) -> Result<(), CliError> {
        self.write(|sink| sink.flush())
    }

    /// A stdout that does not take something is not tried again: what would follow has no beginning, and the same failure
    /// would be reported twice.
    fn write(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
        if self.failed {
            return Ok(());
        }
        write(&mut *self.sink).map_err(|source| {
            self.failed = true;
            CliError::Unwritten { what: "cannot write to standard output".into(), source, done: self.done.clone() }
        })
    }
}

/// The columns of the screen: `$COLUMNS` if it is a number, or the terminal's, or unknown.
fn width(columns: Option<&str>, terminal: Option<usize>) -> Option<usize> {
    let columns = columns.and_then(|text| text.trim().parse().ok()).filter(|columns| *columns > 0);
    columns.or(terminal).map(|width| width.max(MIN_WIDTH))
}

/// A note for people on stderr. That nobody can read it is no reason to fail.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

#[cfg(test)]
pub mod capture {
    //! An [`Output`] whose text tests can look at.
    use super::*;
    use std::{cell::RefCell, rc::Rc};

    /// What was written so far.
    #[derive(Clone, Default)]
    pub struct Captured(Rc<RefCell<Vec<u8>>>);

    impl Captured {
        /// As text.
        pub fn text(&self) -> String {
            String::from_utf8(self.0.borrow().clone()).unwrap()
        }
    }

    impl Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A sink that fails, as a full disk or a closed pipe does, with what was written before.
    pub fn failing(format: Format, kind: io::ErrorKind) -> Output {
        struct Failing(io::ErrorKind);
        impl Write for Failing {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(self.0.into())
            }
        }
        Output::new(format, Screen::plain(80), Box::new(Failing(kind)))
    }

    /// A plain screen of 80 columns.
    pub fn output(format: Format) -> (Output, Captured) {
        let captured = Captured::default();
        let screen = Screen::plain(80);
        (Output::new(format, screen, Box::new(captured.clone())), captured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::Exit;
    use divelog_proto::v1::{Heartbeat, WatchGameResponse, watch_game_response};

    fn list_of(format: Format, count: u64) -> String {
        let (mut out, captured) = capture::output(format);
        print_items(&mut out, count);
        out.end_list().unwrap();
        captured.text()
    }

    fn print_items(out: &mut Output, count: u64) {
        for revision in 0..count {
            out.list_item(&WatchGameResponse {
                message: Some(watch_game_response::Message::Heartbeat(Heartbeat { revision })),
            })
            .unwrap();
        }
    }

    #[test]
    fn a_list_that_breaks_off_is_still_a_document_and_says_so() {
        let broken = |format, count, ended: bool| {
            let (mut out, captured) = capture::output(format);
            out.begin_list();
            print_items(&mut out, count);
            if ended {
                out.end_list().unwrap();
            }
            let error = out.end(Err(CliError::Timeout { server: "s".into(), seconds: 1 })).unwrap_err();
            assert_eq!(error.exit(), Exit::Unreachable);
            captured.text()
        };
        for count in 0..3 {
            let value: Value = serde_json::from_str(&broken(Format::Json, count, false)).unwrap();
            let items = value.as_array().unwrap();
            assert_eq!(items.len() as u64, count + 1);
            assert_eq!(items.last().unwrap()["error"]["reason"], "NO_ANSWER");
        }
        assert_eq!(broken(Format::Jsonl, 0, false), "");
        let (mut out, captured) = capture::output(Format::Json);
        out.end(Err(CliError::Timeout { server: "s".into(), seconds: 1 })).unwrap_err();
        assert_eq!(captured.text(), "", "nothing was begun");
        let whole: Value = serde_json::from_str(&broken(Format::Json, 2, true)).unwrap();
        assert_eq!(whole.as_array().unwrap().len(), 2, "the error came after the end");
        assert_eq!(broken(Format::Jsonl, 2, false).lines().count(), 2, "each line is a document of its own");
        let (mut out, captured) = capture::output(Format::Json);
        print_items(&mut out, 1);
        out.end(Ok(())).unwrap();
        assert!(!captured.text().contains("error"));
    }

    #[test]
    fn a_verdict_wins_over_an_output_that_fails() {
        use io::ErrorKind::{BrokenPipe, StorageFull};
        let bad = || Err(CliError::disproved("bad", ""));
        for (kind, verdict, exit) in [
            (BrokenPipe, bad(), Exit::Unverified),
            (StorageFull, bad(), Exit::Unverified),
            (BrokenPipe, Ok(()), Exit::Done),
            (StorageFull, Ok(()), Exit::Unwritten),
        ] {
            let mut out = capture::failing(Format::Table, kind);
            let error = out.judged(verdict, |out| out.text("NOT VERIFIED")).unwrap_err();
            assert_eq!(error.exit(), exit, "{kind}");
        }
        let (mut out, captured) = capture::output(Format::Table);
        assert_eq!(out.judged(bad(), |out| out.text("NOT VERIFIED")).unwrap_err().exit(), Exit::Unverified);
        assert_eq!(captured.text(), "NOT VERIFIED\n");
    }

    /// Whatever is tried after it: a list's end, the flush, the end of the command.
    #[test]
    fn an_output_that_fails_is_reported_once() {
        for format in [Format::Table, Format::Json, Format::Jsonl] {
            let mut out = capture::failing(format, io::ErrorKind::StorageFull);
            let judged = out.judged(Err(CliError::disproved("bad", "")), |out| out.text("NOT VERIFIED"));
            let Err(CliError::Both { worse, other }) = out.end(judged) else { panic!("{format:?}: two things") };
            assert!(matches!(*worse, CliError::Disproved { .. }) && matches!(*other, CliError::Unwritten { .. }));
            let mut out = capture::failing(format, io::ErrorKind::StorageFull);
            out.begin_list();
            let printed = out.text("g").and_then(|()| out.end_list());
            assert!(matches!(out.end(printed), Err(CliError::Unwritten { .. })), "{format:?}: one thing");
        }
    }

    #[test]
    fn what_was_done_goes_into_the_error() {
        let mut out = capture::failing(Format::Table, io::ErrorKind::StorageFull);
        out.done("the game g was created");
        let Err(CliError::Unwritten { done, .. }) = out.text("g") else { panic!("it cannot be written") };
        assert_eq!(done, "the game g was created");
    }

    #[test]
    fn the_width_is_that_of_columns_or_the_terminal() {
        let cases = [
            (Some("72"), Some(120), Some(72)),
            (Some(" 72 "), None, Some(72)),
            (None, Some(120), Some(120)),
            (Some(""), Some(120), Some(120)),
            (Some("0"), Some(120), Some(120)),
            (Some("wide"), None, None),
            (Some("3"), None, Some(MIN_WIDTH)),
            (None, Some(1), Some(MIN_WIDTH)),
            (None, None, None),
        ];
        for (columns, terminal, expected) in cases {
            assert_eq!(width(columns, terminal), expected, "{columns:?} {terminal:?}");
        }
    }

    #[test]
    fn json_lists_are_one_document() {
        for count in 0..3 {
            let value: serde_json::Value = serde_json::from_str(&list_of(Format::Json, count)).unwrap();
            assert_eq!(value.as_array().unwrap().len() as u64, count);
        }
    }

    #[test]
    fn jsonl_lists_are_lines() {
        assert_eq!(list_of(Format::Jsonl, 2), "{\"heartbeat\":{\"revision\":0}}\n{\"heartbeat\":{\"revision\":1}}\n");
    }
}
