//! Printing: the format is chosen once, here. Data goes to stdout through [`Output`]; [`note`] is for stderr.

pub mod diff;
pub mod json;
pub mod text;

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
pub use divelog_text::{
    Paint, Screen,
    strings::{clean, clean_line, counted, or_dash},
    table,
};
use prost::Message;
use serde_json::Value;

use crate::{
    args::{Format, Lang, When},
    errors::CliError,
};
pub use text::{labels, short_hash, time, time_ms};

use json::Named;

/// The width to draw for when stdout is no terminal.
const DEFAULT_WIDTH: usize = 100;

/// Narrower than this nothing can be drawn sensibly.
const MIN_WIDTH: usize = 40;

/// Stdout, and how to write to it.
pub struct Output {
    format: Format,
    screen: Screen,
    sink: Box<dyn Write>,
    list_items: usize,
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
        let width = terminal_size::terminal_size_of(&stdout)
            .map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0))
            .max(MIN_WIDTH);
        let screen = Screen { width, paint: Paint::new(colours), lang: lang.into() };
        Self::new(format, screen, Box::new(io::BufWriter::new(stdout)))
    }

    /// Any sink.
    pub fn new(format: Format, screen: Screen, sink: Box<dyn Write>) -> Self {
        Self { format, screen, sink, list_items: 0 }
    }

    /// Whether people read it.
    pub fn is_table(&self) -> bool {
        self.format == Format::Table
    }

    /// Whether it is one JSON object a line.
    pub fn is_jsonl(&self) -> bool {
        self.format == Format::Jsonl
    }

    /// The screen to draw for.
    pub fn screen(&self) -> Screen {
        self.screen
    }

    /// Writes text, ended by exactly one line break.
    pub fn text(&mut self, text: &str) -> Result<(), CliError> {
        written(writeln!(self.sink, "{}", text.trim_end_matches('\n')))
    }

    /// Writes one message as a JSON document or line.
    pub fn message<M: Message + Named>(&mut self, message: &M) -> Result<(), CliError> {
        let text = if self.is_jsonl() { json::compact(message)? } else { json::pretty(message)? };
        self.text(&text)
    }

    /// Writes what is no message of the protos as a JSON document or line.
    pub fn value(&mut self, value: &Value) -> Result<(), CliError> {
        // The alternate form is indented.
        if self.is_jsonl() { self.text(&value.to_string()) } else { self.text(&format!("{value:#}")) }
    }

    /// Writes the next item of a list whose items come one by one: an array in JSON, lines in JSONL. It is sent on
    /// at once: somebody may be waiting for it. The array begins with its first item, so that a call that fails before
    /// that leaves nothing behind.
    pub fn list_item<M: Message + Named>(&mut self, message: &M) -> Result<(), CliError> {
        if self.format == Format::Json {
            let before = if self.list_items > 0 { "," } else { "[" };
            written(write!(self.sink, "{before}\n{}", json::pretty(message)?))?;
        } else {
            self.message(message)?;
        }
        self.list_items += 1;
        self.flush()
    }

    /// Ends the list.
    pub fn end_list(&mut self) -> Result<(), CliError> {
        if self.format == Format::Json { self.text(if self.list_items > 0 { "\n]" } else { "[]" }) } else { Ok(()) }
    }

    /// Sends on what was written.
    pub fn flush(&mut self) -> Result<(), CliError> {
        written(self.sink.flush())
    }
}

fn written(result: io::Result<()>) -> Result<(), CliError> {
    result.map_err(|source| CliError::io("cannot write to stdout", source))
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
    use divelog_proto::v1::{Heartbeat, WatchGameResponse, watch_game_response};

    fn list_of(format: Format, count: u64) -> String {
        let (mut out, captured) = capture::output(format);
        for revision in 0..count {
            out.list_item(&WatchGameResponse {
                message: Some(watch_game_response::Message::Heartbeat(Heartbeat { revision })),
            })
            .unwrap();
        }
        out.end_list().unwrap();
        captured.text()
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
