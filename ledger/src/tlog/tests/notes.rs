//! Checkpoints as signed notes.

use super::*;

fn key() -> SigningKey {
    SigningKey::generate("example.com/divelog", [3; 32]).unwrap()
}

fn checkpoint() -> Checkpoint {
    Checkpoint { origin: "example.com/divelog".into(), size: 1234, root: [0xab; 32] }
}

#[test]
fn a_checkpoint_is_the_public_format() {
    let note = checkpoint().sign(&key()).unwrap();
    let text = String::from_utf8(note.clone()).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!(
        lines[..4],
        ["example.com/divelog", "1234", "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=", ""],
        "{text}"
    );
    assert!(lines[4].starts_with("\u{2014} example.com/divelog "), "{text}");
    assert_eq!(lines[5..], [""]);
    assert_eq!(Checkpoint::open(&note, key().verifier_key()), Ok(checkpoint()));
    assert_eq!(Checkpoint::read_unverified(&note), Ok(checkpoint()));
}

#[test]
fn any_single_changed_bit_is_found() {
    let note = checkpoint().sign(&key()).unwrap();
    for bit in 0..note.len() * 8 {
        let mut altered = note.clone();
        altered[bit / 8] ^= 1 << (bit % 8);
        assert!(Checkpoint::open(&altered, key().verifier_key()).is_err(), "bit {bit}: {}", altered.escape_ascii());
    }
    for length in 0..note.len() {
        assert!(Checkpoint::open(&note[..length], key().verifier_key()).is_err(), "cut to {length}");
    }
}

#[test]
fn another_key_does_not_open_it() {
    let note = checkpoint().sign(&key()).unwrap();
    let same_name = SigningKey::generate("example.com/divelog", [4; 32]).unwrap();
    let other_name = SigningKey::generate("example.com/other", [3; 32]).unwrap();
    for other in [&same_name, &other_name] {
        let error = Checkpoint::open(&note, other.verifier_key()).unwrap_err();
        assert!(matches!(error, TlogError::Signature { .. }), "{error}");
    }
    assert!(checkpoint().sign(&other_name).is_err(), "a log is signed for with its own key");
}

/// One key must not be able to vouch for two logs.
#[test]
fn a_checkpoint_of_another_log_is_refused_even_if_signed() {
    let text = "example.com/elsewhere\n5\nq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=\n";
    let mut note = signed_note::Note::new(text.as_bytes(), &[]).unwrap();
    note.add_sigs(&[key().signer()]).unwrap();
    assert!(Checkpoint::read_unverified(&note.to_bytes()).is_ok());
    let error = Checkpoint::open(&note.to_bytes(), key().verifier_key()).unwrap_err();
    assert!(error.to_string().contains("example.com/elsewhere"), "{error}");
}

#[test]
fn witnesses_may_sign_too() {
    let witness = SigningKey::generate("witness.example", [8; 32]).unwrap();
    let note = checkpoint().sign(&key()).unwrap();
    let mut note = signed_note::Note::from_bytes(&note).unwrap();
    note.add_sigs(&[witness.signer()]).unwrap();
    assert_eq!(Checkpoint::open(&note.to_bytes(), key().verifier_key()), Ok(checkpoint()));
}

#[test]
fn absurd_checkpoints_are_refused() {
    let huge = Checkpoint { size: MAX_TREE_SIZE + 1, ..checkpoint() };
    assert!(Checkpoint::read_unverified(&huge.sign(&key()).unwrap()).is_err());
    let mut long = checkpoint().sign(&key()).unwrap();
    let line = long[long.len() - 117..].to_vec();
    while long.len() <= MAX_CHECKPOINT_BYTES {
        long.extend_from_slice(&line);
    }
    assert!(Checkpoint::read_unverified(&long).is_err());
    assert!(Checkpoint::read_unverified(b"").is_err());
    assert!(Checkpoint::read_unverified(&[0xff; 100]).is_err());
}

#[test]
fn a_previous_log_is_named_under_both_keys() {
    let (log, old) = (SigningKey::generate("example.com/new", [4; 32]).unwrap(), key());
    let (new_key, old_key) = (log.verifier_key().clone(), old.verifier_key().clone());
    for known in [None, Some((1234, [0xab; 32]))] {
        let previous = PreviousLog { log: new_key.clone(), previous: old_key.clone(), known };
        let note = previous.sign(&log, &old).unwrap();
        assert_eq!(PreviousLog::open(&note), Ok(previous.clone()));
        // It passes for no checkpoint of either log.
        for key in [&new_key, &old_key] {
            assert!(Checkpoint::open(&note, key).is_err());
        }
        for bit in 0..note.len() * 8 {
            let mut altered = note.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            assert!(PreviousLog::open(&altered).is_err(), "bit {bit}: {}", altered.escape_ascii());
        }
        for length in 0..note.len() {
            assert!(PreviousLog::open(&note[..length]).is_err(), "cut to {length}");
        }
        assert!(previous.sign(&old, &log).is_err(), "the keys are those that it names");
    }
}
