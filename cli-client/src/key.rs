//! The public key that checkpoints are signed with, from an argument or a file.

use std::{fs::File, io::Read as _};

use divelog_ledger::tlog::VerifierKey;

use crate::{args::KeyArg, errors::CliError};

/// The largest key file that is read.
const MAX_FILE_BYTES: u64 = 4 * 1024;

/// A key, and why it is trusted.
pub struct TrustedKey {
    /// The key.
    pub key: VerifierKey,
    /// Whether it came from the user, not from the server.
    pub is_given: bool,
}

impl TrustedKey {
    /// The key that was given, or the one that the server names.
    pub fn choose(given: Option<VerifierKey>, named_by_server: &str) -> Result<Self, CliError> {
        let is_given = given.is_some();
        let named =
            || named_by_server.parse().map_err(|_| CliError::Protocol("the key it names cannot be read".into()));
        Ok(Self { key: given.map_or_else(named, Ok)?, is_given })
    }

    /// How far a signature by this key can be trusted.
    pub fn sentence(&self) -> &'static str {
        if self.is_given {
            "by the key that was given"
        } else {
            "by the key that the server itself names: compare it with one from elsewhere, or give that with --key"
        }
    }
}

/// The key that was given, if one was.
pub fn given(arg: &KeyArg) -> Result<Option<VerifierKey>, CliError> {
    let Some(text) = &arg.key else { return Ok(None) };
    let text = match text.strip_prefix('@') {
        Some(path) => read(path)?,
        None => text.clone(),
    };
    parse(text.trim()).map(Some)
}

/// A key in its text form.
pub fn parse(text: &str) -> Result<VerifierKey, CliError> {
    text.parse().map_err(|problem| {
        CliError::usage_with(
            format!("{text:?} is not a public key of a log: {problem}"),
            "a key looks like NAME+HASH+DATA; --key takes it or @FILE, and its operator publishes it as the file verifier-key",
        )
    })
}

fn read(path: &str) -> Result<String, CliError> {
    let failed = |source| CliError::io(format!("cannot read the key file {path}"), source);
    let mut text = String::new();
    File::open(path).and_then(|file| file.take(MAX_FILE_BYTES).read_to_string(&mut text)).map_err(failed)?;
    Ok(text)
}
