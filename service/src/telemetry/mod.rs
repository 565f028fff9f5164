//! Logs.

use std::io::IsTerminal;

use tracing::subscriber::Interest;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// Libraries that say so much at debug and trace that nothing else could be found: they do so only where the filter names
/// them.
const QUIET: [&str; 9] = ["h2", "hyper", "hyper_util", "mio", "sled", "tokio_util", "tonic", "tower", "want"];

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
    let parsed = EnvFilter::try_new(with_quiet_libraries(filter))
        .map_err(|source| BadFilter { filter: filter.to_owned(), source })?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(parsed)
        .with_writer(std::io::stderr)
        // A line that cannot be written (standard error may go to a full disk) is lost; to complain about it on standard
        // error would panic.
        .log_internal_errors(false)
        .with_ansi(std::io::stderr().is_terminal());
    match format {
        LogFormat::Text => builder.finish().with(WithoutSecrets).init(),
        LogFormat::Json => builder.json().finish().with(WithoutSecrets).init(),
    }
    Ok(())
}

/// The storage engine, whose lines below a warning show the values that it stores: the secrets of games among them. They are
/// in no log, whatever its filter says.
const ENGINE: &str = "sled";

struct WithoutSecrets;

impl WithoutSecrets {
    fn shows(metadata: &Metadata<'_>) -> bool {
        let of_engine =
            metadata.target().strip_prefix(ENGINE).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
        !of_engine || *metadata.level() <= Level::WARN
    }
}

impl<S: Subscriber> Layer<S> for WithoutSecrets {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if Self::shows(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        Self::shows(metadata)
    }
}

/// A filter as it was given, with a level for noisy libraries that it does not name.
fn with_quiet_libraries(filter: &str) -> String {
    let directives = || filter.split(',').map(str::trim);
    // The level of everything that has none of its own. Where it is no lower than info, they are quiet already.
    let level = directives().filter_map(|directive| directive.parse::<LevelFilter>().ok()).next_back();
    let mut whole = filter.to_owned();
    if level.is_some_and(|level| level > LevelFilter::INFO) {
        let named = |library: &str| directives().any(|directive| directive.split(['=', '[']).next() == Some(library));
        for library in QUIET.into_iter().filter(|library| !named(library)) {
            whole.push_str(&format!(",{library}=info"));
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_level_is_for_our_own_lines_unless_a_library_is_named() {
        for quiet in ["info", "warn", "off", "divelog_service=debug", "info,h2=trace", "error,divelog_service=trace"] {
            assert_eq!(with_quiet_libraries(quiet), quiet, "nothing to be done");
        }
        for all in ["debug", "TRACE", "info,debug", "divelog_service=info, trace"] {
            let whole = with_quiet_libraries(all);
            for library in QUIET {
                assert!(whole.contains(&format!(",{library}=info")), "{whole}");
            }
            EnvFilter::try_new(whole).unwrap();
        }
        let whole = with_quiet_libraries("debug,h2=debug,sled[span]=trace,hyper::proto=debug");
        assert!(!whole.contains("h2=info") && !whole.contains("sled=info"), "{whole}");
        assert!(whole.contains(",hyper=info"), "the rest of it is quiet: {whole}");
        EnvFilter::try_new(whole).unwrap();
    }
}
