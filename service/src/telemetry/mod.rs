//! Logs, and the span around each call.

use std::future::Future;
use std::io::IsTerminal;

use tonic::{Response, Status};
use tracing::field::Empty;
use tracing::{Instrument, Level};
use tracing_subscriber::EnvFilter;

use crate::session::Error;

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

/// Runs a call inside its span and turns its result into an answer.
///
/// The span is on at level debug: one that is formatted for every call costs more than the call. Faults of the machinery
/// are logged at every level.
pub async fn rpc<R>(
    method: &'static str,
    game_id: &str,
    call: impl Future<Output = Result<(R, u64), Error>>,
) -> Result<Response<R>, Status> {
    if !tracing::enabled!(Level::DEBUG) {
        return finish(method, game_id, call.await).map(|(response, _)| response);
    }
    let span = tracing::debug_span!("rpc", method, game_id, revision = Empty, outcome = Empty);
    async {
        let started = std::time::Instant::now();
        let result = finish(method, game_id, call.await);
        let current = tracing::Span::current();
        match &result {
            Ok((_, revision)) => {
                current.record("revision", revision);
                current.record("outcome", "OK");
            }
            Err(status) => {
                current.record("outcome", format!("{:?}", status.code()));
            }
        }
        tracing::debug!(micros = started.elapsed().as_micros() as u64, "answered");
        result.map(|(response, _)| response)
    }
    .instrument(span)
    .await
}

fn finish<R>(
    method: &'static str,
    game_id: &str,
    result: Result<(R, u64), Error>,
) -> Result<(Response<R>, u64), Status> {
    match result {
        Ok((response, revision)) => Ok((Response::new(response), revision)),
        Err(error) => {
            if matches!(error, Error::Damaged { .. } | Error::StoreFailed(_)) {
                tracing::error!(method, game_id, %error, "a call met a fault");
            }
            Err(Status::from(error))
        }
    }
}
