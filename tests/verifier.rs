//! The independent verifier in Python: it reproduces published test vectors, accepts every golden bundle, and
//! notices any change in one. What it says about bundles from a running server is checked with the Python client.

use std::process::Command;

use divelog_tests::repository;

#[test]
fn a_verifier_written_from_the_documents_agrees() {
    let mut tests = Command::new("python3");
    tests.arg(repository().join("tests/verifier/test_verifier.py"));
    // The repository stays as it is.
    tests.env("PYTHONDONTWRITEBYTECODE", "1");
    let output = tests.output().expect("python3 runs: it needs nothing but its standard library");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("Ran 10 tests"), "not all checks ran:\n{text}");
}
