//! Exit codes, sentences and JSON of errors.

use super::*;
use divelog_proto::v1::Refusal;
use tonic::Code;

fn unreachable() -> CliError {
    CliError::Unreachable { server: "s".into(), cause: "c".into() }
}

fn pipe() -> CliError {
    CliError::unwritten("cannot write", io::Error::from(io::ErrorKind::BrokenPipe))
}

fn full() -> CliError {
    CliError::unwritten("cannot write", io::Error::from(io::ErrorKind::StorageFull))
}

#[test]
fn each_error_has_its_exit_code() {
    let refused = |code| CliError::Status(Box::new(ErrorDetails::new(code, "no")));
    let cases = [
        (CliError::usage("x"), Exit::Usage),
        (unreachable(), Exit::Unreachable),
        (CliError::Timeout { server: "s".into(), seconds: 1 }, Exit::Unreachable),
        (refused(Code::FailedPrecondition), Exit::Refused),
        (refused(Code::Unavailable), Exit::Unreachable),
        (refused(Code::DataLoss), Exit::Unverified),
        (CliError::Unverified(FailedVerification::default()), Exit::Unverified),
        (CliError::disproved("m", "h"), Exit::Unverified),
        (CliError::Protocol("x".into()), Exit::Refused),
        (pipe(), Exit::Done),
        (full(), Exit::Unwritten),
        (CliError::io("cannot read", io::Error::from(io::ErrorKind::NotFound)), Exit::Usage),
    ];
    for (error, exit) in cases {
        assert_eq!(error.exit(), exit, "{error}");
    }
}

#[test]
fn the_worse_of_two_errors_decides() {
    let verdict = || CliError::disproved("bad", "h");
    let cases: [(CliError, CliError, Exit, bool); 6] = [
        (unreachable(), verdict(), Exit::Unverified, true),
        (verdict(), unreachable(), Exit::Unverified, true),
        (pipe(), verdict(), Exit::Unverified, false),
        (verdict(), full(), Exit::Unverified, true),
        (full(), unreachable(), Exit::Unreachable, true),
        (unreachable(), CliError::usage("later"), Exit::Unreachable, true),
    ];
    for (first, second, exit, names_both) in cases {
        let what = format!("{first} and {second}");
        let error = worst(Err(first), Err(second)).unwrap_err();
        assert_eq!(error.exit(), exit, "{what}");
        assert_eq!(error.text().contains("beside that"), names_both, "{what}");
        assert_eq!(error.json().get("also").is_some(), names_both, "{what}");
    }
    assert_eq!(worst(Ok(()), Err(verdict())).unwrap_err().exit(), Exit::Unverified);
    assert_eq!(worst(Err(full()), Ok(())).unwrap_err().exit(), Exit::Unwritten);
    assert!(worst(Ok(()), Ok(())).is_ok());
}

#[test]
fn text_says_what_to_do_next() {
    let error = CliError::Unreachable { server: "http://x".into(), cause: "refused".into() };
    assert_eq!(
        error.text(),
        "error: cannot reach the server at http://x: refused\n\
         is divelogd running there? Choose another address with --server or DIVELOG_SERVER"
    );
}

#[test]
fn what_was_done_is_said_where_it_could_not_be_written() {
    let error = CliError::Unwritten {
        what: "cannot write to stdout".into(),
        source: io::Error::from(io::ErrorKind::StorageFull),
        done: "the game g was created".into(),
    };
    assert!(error.text().ends_with("\nthis was done all the same: the game g was created"), "{}", error.text());
    assert_eq!(error.json()["done"], "the game g was created");
}

#[test]
fn json_has_the_same_fields_for_local_errors() {
    let value = CliError::usage("bad word").json();
    assert_eq!(value["code"], "INVALID_ARGUMENT");
    assert_eq!(value["message"], "bad word");
    assert_eq!(value["legal_actions"], json!([]));
    assert!(value["revision"].is_null());
    let refused = CliError::Status(Box::new(ErrorDetails::new(tonic::Code::NotFound, "no"))).json();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&value), keys(&refused));
}

#[test]
fn json_has_all_that_a_refusal_says() {
    let refusal = Refusal { to_act: vec![1, 2], legal_actions_truncated: true, ..Default::default() };
    let details =
        ErrorDetails { refusal: Some(refusal.into()), ..ErrorDetails::new(Code::FailedPrecondition, "not now") };
    let value = CliError::Status(Box::new(details)).json();
    assert_eq!((&value["to_act"], &value["legal_actions_truncated"]), (&json!([1, 2]), &json!(true)));
}

#[test]
fn a_write_without_an_answer_comes_with_the_line_that_repeats_it() {
    let repeat = Repeat { request_id: "r-1".into(), command: "divelog game act g --request-id r-1".into() };
    let timeout = CliError::Timeout { server: "s".into(), seconds: 1 };
    let error = CliError::Repeatable { error: timeout.into(), repeat };
    assert_eq!(error.exit(), Exit::Unreachable);
    assert!(error.text().ends_with("\n  divelog game act g --request-id r-1"), "{}", error.text());
    let value = error.json();
    assert_eq!((&value["reason"], &value["request_id"]), (&json!("NO_ANSWER"), &json!("r-1")));
    assert_eq!(value["repeat"], "divelog game act g --request-id r-1");
}
