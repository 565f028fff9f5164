//! Logs.

use std::io::IsTerminal;

use tracing::subscriber::Interest;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::store::DATABASE_LOG_TARGET;

/// Libraries that say so much at debug and trace that nothing else could be found: they do so only where the filter names
/// them.
const QUIET: [&str; 9] =
    ["h2", "hyper", "hyper_util", "mio", DATABASE_LOG_TARGET, "tokio_util", "tonic", "tower", "want"];

/// How log lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, for machines.
    Json,
}

/// The levels, from nothing to everything, and another word for one of them.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
const WARNING: &str = "warning";

/// A filter that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "the log filter {filter:?} cannot be used: {problem}. Use one of the levels off, error, warn, info, debug and trace, or a list \
     of one of them and of modules or libraries with levels of their own, such as info,divelog_service=debug"
)]
pub struct BadFilter {
    filter: String,
    problem: String,
}

/// Sends log lines to standard error from now on.
pub fn start(filter: &str, format: LogFormat) -> Result<(), BadFilter> {
    let parsed = parse(filter).map_err(|problem| BadFilter { filter: filter.to_owned(), problem })?;
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

/// Lines of the database below a warning show the values that it stores, the secrets of games among them: they are in no log,
/// whatever its filter says.
struct WithoutSecrets;

impl WithoutSecrets {
    fn shows(metadata: &Metadata<'_>) -> bool {
        let of_database = metadata
            .target()
            .strip_prefix(DATABASE_LOG_TARGET)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
        !of_database || *metadata.level() <= Level::WARN
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

/// A filter each of whose parts names a level, one of them that of everything. A word that names none would be taken for a
/// module; and of what has no level nothing is logged, not even errors.
fn parse(filter: &str) -> Result<EnvFilter, String> {
    let mut parts = Vec::new();
    let mut has_general_level = false;
    for part in filter.split(',').map(str::trim) {
        let (target, level) = part.rsplit_once('=').map_or((None, part), |(target, level)| (Some(target), level));
        let level = match LEVELS.into_iter().find(|known| known.eq_ignore_ascii_case(level)) {
            Some(known) => known,
            None if level.eq_ignore_ascii_case(WARNING) => "warn",
            None if part.is_empty() => return Err("a part of it is empty".to_owned()),
            None => return Err(format!("{level:?} is no level")),
        };
        if target.is_some_and(str::is_empty) {
            return Err(format!("{part:?} names nothing that the level is for"));
        }
        has_general_level |= target.is_none();
        parts.push(target.map_or(level.to_owned(), |target| format!("{target}={level}")));
    }
    if !has_general_level {
        return Err("it has no level for everything else, of which nothing would be logged, not even errors".to_owned());
    }
    EnvFilter::try_new(with_quiet_libraries(&parts.join(","))).map_err(|error| error.to_string())
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
    fn every_part_of_a_filter_names_a_level() {
        for good in [
            "info",
            "OFF",
            "Warn",
            "error,divelog_service=debug",
            "debug, h2=trace",
            "info,divelog_service[span]=debug",
        ] {
            assert!(parse(good).is_ok(), "{good}");
        }
        assert_eq!(parse("warning").unwrap().to_string(), parse("warn").unwrap().to_string());
        let one = parse("info,divelog_service=Warning").unwrap().to_string();
        assert_eq!(one, parse("info,divelog_service=warn").unwrap().to_string());
        for bad in [
            "",
            " ",
            "verbose",
            "info,",
            ",info",
            "info,verbose",
            "divelog_service",
            "=",
            "=info",
            "info=",
            "x=verbose",
            "info;debug",
            "3",
            "a=b=info",
            // Nothing but a module or a library, whether there is one of this name or not.
            "divelogd=info",
            "nosuch=error",
            "divelog_service=debug,h2=info",
            "divelog_service[span]=debug",
        ] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
        let message = start("divelogd=info", LogFormat::Text).unwrap_err().to_string();
        assert!(
            message.contains("no level for everything else") && message.contains("info,divelog_service=debug"),
            "{message}"
        );
        assert!(parse("off,divelog_service=debug").is_ok(), "who says so may have the rest off");
        let message = start("info,verbose", LogFormat::Text).unwrap_err().to_string();
        assert!(
            message.contains("\"verbose\" is no level") && message.contains("off, error, warn, info, debug and trace"),
            "{message}"
        );
    }

    #[test]
    fn a_low_level_is_for_our_own_lines_unless_a_library_is_named() {
        for quiet in ["info", "warn", "off", "info,h2=trace", "error,divelog_service=trace"] {
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
