//! Logs.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// How log lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, for machines.
    Json,
}

/// A filter that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error(
    "the log filter {filter:?} cannot be read ({source}): use a level such as info or debug, or a filter such as info,divelog_service=debug"
)]
pub struct BadFilter {
    filter: String,
    source: tracing_subscriber::filter::ParseError,
}

/// Sends log lines to standard error from now on.
pub fn start(filter: &str, format: LogFormat) -> Result<(), BadFilter> {
    let parsed = EnvFilter::try_new(filter).map_err(|source| BadFilter { filter: filter.to_owned(), source })?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(parsed)
        .with_writer(std::io::stderr)
        // A line that cannot be written (standard error may go to a full disk) is lost; to complain about it on standard
        // error would panic.
        .log_internal_errors(false)
        .with_ansi(std::io::stderr().is_terminal());
    match format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().init(),
    }
    Ok(())
}
