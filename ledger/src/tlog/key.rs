//! The keys that checkpoints are signed and checked with, in the text forms of Go's signed notes.

use std::{fmt, str::FromStr};

use base64::{Engine, prelude::BASE64_STANDARD};
use signed_note::{Signer, StandardSigner, StandardVerifier, Verifier};

use super::TlogError;

/// The signed note's number for Ed25519.
const ED25519: u8 = 1;
/// The longest name of a log.
const MAX_ORIGIN_BYTES: usize = 255;
/// The longest text of a key: the name, its hash, and 33 bytes in base64.
const MAX_KEY_TEXT: usize = MAX_ORIGIN_BYTES + 80;

/// The operator's key: whoever has it can sign checkpoints.
#[derive(Clone)]
pub struct SigningKey {
    text: String,
    signer: StandardSigner,
    verifier: VerifierKey,
}

/// A key must not reach a log line by accident.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({}, ..)", self.origin())
    }
}

impl SigningKey {
    /// The key of a log with this name, from 32 random bytes.
    pub fn generate(origin: &str, seed: [u8; 32]) -> Result<SigningKey, TlogError> {
        if origin.len() > MAX_ORIGIN_BYTES || !is_origin(origin) {
            return Err(TlogError::Key(
                "a log's name has 1 to 255 bytes without spaces, control characters or +, such as example.com/divelog",
            ));
        }
        let public = ed25519_dalek::SigningKey::from_bytes(&seed).verifying_key();
        let hash = signed_note::key_id(origin, &tagged(public.as_bytes()));
        let secret = BASE64_STANDARD.encode(tagged(&seed));
        SigningKey::parse(&format!("PRIVATE+KEY+{origin}+{hash:08x}+{secret}"))
    }

    /// Reads a key's text: `PRIVATE+KEY+name+hash+data`.
    pub fn parse(text: &str) -> Result<SigningKey, TlogError> {
        const WRONG: TlogError = TlogError::Key("a signing key is a text such as PRIVATE+KEY+name+hash+data");
        let text = text.trim();
        if text.len() > MAX_KEY_TEXT + "PRIVATE+KEY+".len() {
            return Err(WRONG);
        }
        let signer = StandardSigner::new(text).map_err(|_| WRONG)?;
        let data = text.rsplit_once('+').and_then(|(_, data)| BASE64_STANDARD.decode(data).ok()).ok_or(WRONG)?;
        let seed: [u8; 32] = data[1..].try_into().map_err(|_| WRONG)?;
        let public = ed25519_dalek::SigningKey::from_bytes(&seed).verifying_key();
        let verifier = signed_note::new_ed25519_verifier_key(signer.name(), &public).parse()?;
        Ok(SigningKey { text: text.to_owned(), signer, verifier })
    }

    /// The key's text, which is secret.
    pub fn to_text(&self) -> &str {
        &self.text
    }

    /// The public key.
    pub fn verifier_key(&self) -> &VerifierKey {
        &self.verifier
    }

    /// The name of the log that it signs for.
    pub fn origin(&self) -> &str {
        self.signer.name()
    }

    pub(super) fn signer(&self) -> &StandardSigner {
        &self.signer
    }
}

/// The public key of a log: whoever has it can check checkpoints.
#[derive(Clone)]
pub struct VerifierKey {
    text: String,
    verifier: StandardVerifier,
}

impl VerifierKey {
    /// The name of the log that it belongs to.
    pub fn origin(&self) -> &str {
        self.verifier.name()
    }

    pub(super) fn verifier(&self) -> &StandardVerifier {
        &self.verifier
    }
}

impl FromStr for VerifierKey {
    type Err = TlogError;

    fn from_str(text: &str) -> Result<VerifierKey, TlogError> {
        const WRONG: TlogError = TlogError::Key("a log's public key is a text such as name+hash+data");
        let text = text.trim();
        if text.len() > MAX_KEY_TEXT {
            return Err(WRONG);
        }
        let verifier = StandardVerifier::new(text).map_err(|_| WRONG)?;
        if !is_origin(verifier.name()) {
            return Err(WRONG);
        }
        Ok(VerifierKey { text: text.to_owned(), verifier })
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifierKey({self})")
    }
}

impl PartialEq for VerifierKey {
    fn eq(&self, other: &VerifierKey) -> bool {
        self.text == other.text
    }
}

impl Eq for VerifierKey {}

/// A note's text must not hold control characters, and the log's name is its first line.
fn is_origin(name: &str) -> bool {
    signed_note::is_key_name_valid(name) && !name.chars().any(char::is_control)
}

fn tagged(key: &[u8; 32]) -> Vec<u8> {
    [&[ED25519][..], key].concat()
}
