//! The configuration file.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::BadSetting;
use crate::files::advice;
use crate::telemetry::LogFormat;

/// The file: the same settings, each of which may be missing. Unknown names are refused, so that a typo is noticed.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub data: Option<PathBuf>,
    pub listen: Option<String>,
    pub log: Option<String>,
    pub log_format: Option<LogFormat>,
    pub cache_games: Option<usize>,
    pub queue: Option<usize>,
    pub max_connections: Option<usize>,
    pub max_watchers: Option<usize>,
    pub drain_seconds: Option<u64>,
    pub store_cache_mib: Option<u64>,
    pub threads: Option<usize>,
    pub publish: Option<PathBuf>,
    pub publish_games: Option<bool>,
    pub signing_key: Option<PathBuf>,
    pub origin: Option<String>,
    pub seal_interval: Option<String>,
    pub serve_after_failure: Option<bool>,
    pub existing: Option<bool>,
}

impl File {
    pub fn read(path: &Path) -> Result<File, BadSetting> {
        let problem = |problem: String| BadSetting::File { path: path.to_path_buf(), problem };
        let text = std::fs::read_to_string(path).map_err(|error| problem(format!("{error}{}", advice(&error))))?;
        toml::from_str(&text).map_err(|error| problem(error.to_string()))
    }
}
