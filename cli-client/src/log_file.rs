//! Log files: what `log show -o json` (one document) and `-o jsonl` (one message a line) write, read back.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use divelog_proto::v1::{LogHeader, ReadLogResponse, StoredRecord, read_log_response::Message};
use serde_json::Value;

use crate::{errors::CliError, output::json};

/// The largest log that is held in memory, from a file or from a server.
pub const MAX_LOG_BYTES: usize = 64 * 1024 * 1024;

/// A whole log.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Log {
    /// What is known beside the records.
    pub header: LogHeader,
    /// The records, in order.
    pub records: Vec<StoredRecord>,
}

/// Builds a log from the messages of ReadLog, within [`MAX_LOG_BYTES`].
#[derive(Debug, Default)]
pub struct Collector {
    header: Option<LogHeader>,
    records: Vec<StoredRecord>,
    bytes: usize,
}

impl Collector {
    /// Takes the next message.
    pub fn push(&mut self, response: ReadLogResponse) -> Result<(), String> {
        match (response.message, &self.header) {
            (Some(Message::Header(header)), None) => self.header = Some(header),
            (Some(Message::Header(_)), Some(_)) => return Err("it has two headers".into()),
            (Some(Message::Record(_)), None) => return Err("a record comes before the header".into()),
            (Some(Message::Record(record)), Some(_)) => {
                self.bytes += record.record.len() + record.hash.len();
                if self.bytes > MAX_LOG_BYTES {
                    return Err(format!("it is larger than {} MiB", MAX_LOG_BYTES >> 20));
                }
                self.records.push(record);
            }
            (None, _) => return Err("it has a message that is neither header nor record".into()),
        }
        Ok(())
    }

    /// The log, if there was a header.
    pub fn finish(self) -> Result<Log, String> {
        let header = self.header.ok_or("it has no header")?;
        Ok(Log { header, records: self.records })
    }
}

/// Reads a log file; `-` is stdin.
pub fn read(path: &Path) -> Result<Log, CliError> {
    let shown = path.display();
    let failed = |source| CliError::io(format!("cannot read {shown}"), source);
    let bytes = if path == Path::new("-") {
        read_bounded(io::stdin().lock(), MAX_LOG_BYTES).map_err(failed)?
    } else {
        read_bounded(File::open(path).map_err(failed)?, MAX_LOG_BYTES).map_err(failed)?
    };
    let Some(bytes) = bytes else {
        return Err(CliError::usage(format!("{shown} is larger than {} MiB", MAX_LOG_BYTES >> 20)));
    };
    parse(&bytes).map_err(|error| {
        CliError::usage_with(
            format!("{shown} is not a log: {error}"),
            "`divelog log show GAME -o json > FILE` writes one",
        )
    })
}

/// All bytes, or nothing if there are more than `limit`.
fn read_bounded(reader: impl Read, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let bound = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    reader.take(bound).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= limit).then_some(bytes))
}

fn parse(bytes: &[u8]) -> Result<Log, String> {
    let mut collector = Collector::default();
    let values = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
    for (at, value) in values.enumerate() {
        let value = value.map_err(|error| error.to_string())?;
        if at == 0 && value.get("records").is_some() {
            // The whole document in one value; what follows it, if anything, is checked like any other message.
            document(value, &mut collector)?;
        } else {
            let message = json::from_value(value).map_err(|error| format!("message {}: {error}", at + 1))?;
            collector.push(message)?;
        }
    }
    collector.finish()
}

fn document(mut value: Value, collector: &mut Collector) -> Result<(), String> {
    let header = value.get_mut("header").map(Value::take).ok_or("it has no header")?;
    let header = json::from_value(header).map_err(|error| format!("header: {error}"))?;
    collector.push(ReadLogResponse { message: Some(Message::Header(header)) })?;
    let Some(Value::Array(records)) = value.get_mut("records").map(Value::take) else {
        return Err("its records are not a list".into());
    };
    for (sequence, record) in records.into_iter().enumerate() {
        let record = json::from_value(record).map_err(|error| format!("record {sequence}: {error}"))?;
        collector.push(ReadLogResponse { message: Some(Message::Record(record)) })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::json::LogDocument;

    fn log() -> Log {
        let record = |byte: u8| StoredRecord { record: vec![byte; 3].into(), hash: vec![byte; 32].into() };
        Log {
            header: LogHeader {
                game_id: "g".into(),
                revision: 2,
                head_hash: vec![2; 32].into(),
                secret: vec![9].into(),
            },
            records: vec![record(1), record(2)],
        }
    }

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let log = log();
        let text = LogDocument { header: &log.header, records: &log.records }.pretty().unwrap();
        assert_eq!(parse(text.as_bytes()).unwrap(), log);
    }

    #[test]
    fn lines_are_read_too() {
        let log = log();
        let header = ReadLogResponse { message: Some(Message::Header(log.header.clone())) };
        let mut text = json::compact(&header).unwrap();
        for record in &log.records {
            let record = ReadLogResponse { message: Some(Message::Record(record.clone())) };
            text.push('\n');
            text.push_str(&json::compact(&record).unwrap());
        }
        assert_eq!(parse(text.as_bytes()).unwrap(), log);
    }

    #[test]
    fn what_is_not_a_log_is_refused() {
        let cases = [
            ("", "it has no header"),
            ("[", "EOF"),
            ("{}", "neither header nor record"),
            (r#"{"records":[]}"#, "it has no header"),
            (r#"{"header":{},"records":5}"#, "not a list"),
            (r#"{"header":{},"records":[{"record":"*"}]}"#, "record 0: "),
            (r#"{"record":{}}"#, "before the header"),
            (r#"{"header":{},"records":[]} {"header":{}}"#, "two headers"),
            (r#"{"header":{"sea":1}}"#, "sea"),
        ];
        for (text, expected) in cases {
            let error = parse(text.as_bytes()).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn reading_stops_at_the_limit() {
        assert_eq!(read_bounded(&b"abc"[..], 3).unwrap(), Some(b"abc".to_vec()));
        assert_eq!(read_bounded(&b"abcd"[..], 3).unwrap(), None);
    }

    #[test]
    fn a_missing_file_is_a_usage_error() {
        let error = read(Path::new("/nonexistent/game.json")).unwrap_err();
        assert!(error.to_string().starts_with("cannot read /nonexistent/game.json:"), "{error}");
    }
}
