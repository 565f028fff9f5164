//! The operator's signing key: read, or made at the first start.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use divelog_ledger::tlog::{SigningKey, TlogError};

use super::state;
use crate::files::{self, Readers};

const NAME: &str = "signing-key";

/// Why the server cannot sign at all.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error("the signing key {path}: {source}{advice}", path = .path.display(), advice = files::advice(.source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file holds something else.
    #[error("the signing key {path}: {source}; put the key back from a backup", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: TlogError,
    },
    /// The key is gone, and its log is there.
    #[error(
        "the signing key {path} is missing, but the transparency log was signed with it; put it back from a backup, or, to \
         begin a new log under a new key, move {state} and the published folder away",
        path = .path.display(), state = .state.display()
    )]
    Missing {
        /// Where the key was.
        path: PathBuf,
        /// The file that knows of its log.
        state: PathBuf,
    },
    /// The key is another log's.
    #[error("the signing key {path} is of the log {found}, not {wanted}; leave --origin out, or give the other key", path = .path.display())]
    OtherOrigin {
        /// The file.
        path: PathBuf,
        /// The name in the key.
        found: String,
        /// The name that was asked for.
        wanted: String,
    },
    /// `--origin` is no name.
    #[error("origin {origin:?}: {source}")]
    Origin {
        /// The name that was asked for.
        origin: String,
        /// What is wrong with it.
        source: TlogError,
    },
    /// The system gives no random bytes.
    #[error("the system gives no random bytes for a signing key")]
    NoRandomness,
}

/// Reads the key, or makes one if there is none and no log was signed yet.
pub(super) fn load(data: &Path, given: Option<&Path>, origin: Option<&str>) -> Result<SigningKey, KeyError> {
    match find(data, given, origin)? {
        Some(key) => Ok(key),
        None => make(&data.join(NAME), origin),
    }
}

/// Refuses what `load` would refuse. Makes nothing.
pub(super) fn check(data: &Path, given: Option<&Path>, origin: Option<&str>) -> Result<(), KeyError> {
    if let (None, Some(origin)) = (find(data, given, origin)?, origin) {
        // Any key: this is about the name.
        generate(origin, [0; 32])?;
    }
    Ok(())
}

/// The key; none if there is none and no log was signed yet.
fn find(data: &Path, given: Option<&Path>, origin: Option<&str>) -> Result<Option<SigningKey>, KeyError> {
    let path = given.map_or_else(|| data.join(NAME), Path::to_path_buf);
    match fs::read_to_string(&path) {
        Ok(text) => {
            let key = SigningKey::parse(&text).map_err(|source| KeyError::Unreadable { path: path.clone(), source })?;
            match origin {
                Some(wanted) if wanted != key.origin() => {
                    Err(KeyError::OtherOrigin { path, found: key.origin().to_owned(), wanted: wanted.to_owned() })
                }
                _ => Ok(Some(key)),
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && given.is_none() => {
            let state = state::path(data);
            if state.exists() {
                return Err(KeyError::Missing { path, state });
            }
            Ok(None)
        }
        Err(source) => Err(KeyError::Io { path, source }),
    }
}

/// Makes a key, and keeps it for its owner only.
pub(crate) fn make(path: &Path, origin: Option<&str>) -> Result<SigningKey, KeyError> {
    let random = || {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map(|()| bytes).map_err(|_| KeyError::NoRandomness)
    };
    let origin = match origin {
        Some(origin) => origin.to_owned(),
        None => {
            let name = random()?;
            format!("divelog-{}", hex::encode(&name[..8]))
        }
    };
    let key = generate(&origin, random()?)?;
    keep(path, &key).map_err(|source| KeyError::Io { path: path.to_path_buf(), source })?;
    tracing::info!(path = %path.display(), origin = key.origin(), "made a signing key: keep a copy of it");
    Ok(key)
}

fn generate(origin: &str, random: [u8; 32]) -> Result<SigningKey, KeyError> {
    SigningKey::generate(origin, random).map_err(|source| KeyError::Origin { origin: origin.to_owned(), source })
}

/// Nobody else may read it, at no moment.
fn keep(path: &Path, key: &SigningKey) -> io::Result<()> {
    let text = format!("{}\n", key.to_text());
    files::replace(path, &path.with_extension("new"), text.as_bytes(), Readers::Owner)?;
    files::sync_dir(path.parent().unwrap_or(Path::new(".")))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_is_made_once_and_for_its_owner_only() {
        let dir = tempfile::tempdir().unwrap();
        check(dir.path(), None, Some("example.com/log")).unwrap();
        assert!(!dir.path().join(NAME).exists(), "a check makes nothing");
        let key = load(dir.path(), None, None).unwrap();
        let digits = key.origin().strip_prefix("divelog-").unwrap();
        assert!(digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()), "{digits}");
        assert_eq!(fs::metadata(dir.path().join(NAME)).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(load(dir.path(), None, None).unwrap().to_text(), key.to_text());
        assert_eq!(load(dir.path(), None, Some(key.origin())).unwrap().to_text(), key.to_text());
        assert!(matches!(load(dir.path(), None, Some("example.com/other")), Err(KeyError::OtherOrigin { .. })));
    }

    #[test]
    fn a_key_is_not_made_where_one_was_or_should_be() {
        let dir = tempfile::tempdir().unwrap();
        let given = dir.path().join("no-such-key");
        assert!(matches!(load(dir.path(), Some(&given), None), Err(KeyError::Io { .. })));
        fs::write(state::path(dir.path()), "a state").unwrap();
        assert!(matches!(load(dir.path(), None, None), Err(KeyError::Missing { .. })));
        fs::write(dir.path().join(NAME), "no key").unwrap();
        assert!(matches!(load(dir.path(), None, None), Err(KeyError::Unreadable { .. })));
        fs::remove_file(state::path(dir.path())).unwrap();
        fs::remove_file(dir.path().join(NAME)).unwrap();
        for refused in [load(dir.path(), None, Some("two words")).map(drop), check(dir.path(), None, Some("two words"))]
        {
            assert!(matches!(refused, Err(KeyError::Origin { .. })));
        }
        assert!(!dir.path().join(NAME).exists());
    }
}
