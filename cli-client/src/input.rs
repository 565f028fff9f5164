//! Checks that turn typed words into values: game ids, viewers, labels, entropy, kinds.

use std::{
    collections::BTreeMap,
    io::{BufRead, Read},
};

use bytes::Bytes;
use divelog_ledger::GameId;
use divelog_proto::v1::{GameKind, GameStatus, PreparedGame, Viewer, viewer::Role};

use crate::{
    args::{GameArg, Status, ViewerArg},
    errors::CliError,
};

/// The longest first line of stdin that is read as a game id.
const MAX_ID_LINE_BYTES: u64 = 256;

/// The longest JSON action that is read from stdin.
const MAX_ACTION_BYTES: u64 = 64 * 1024;

/// The game id of an argument; `-` takes the first line of stdin.
pub fn game_id(arg: &GameArg) -> Result<String, CliError> {
    if arg.game == "-" { game_id_from(std::io::stdin().lock()) } else { check_game_id(&arg.game) }
}

fn game_id_from(reader: impl BufRead) -> Result<String, CliError> {
    let mut line = String::new();
    reader
        .take(MAX_ID_LINE_BYTES)
        .read_line(&mut line)
        .map_err(|source| CliError::io("cannot read the game id from stdin", source))?;
    check_game_id(&line)
}

/// A full id, in lower case. Checked here so that a typo does not cost a call.
fn check_game_id(text: &str) -> Result<String, CliError> {
    let id = text.trim().to_ascii_lowercase();
    match id.parse::<GameId>() {
        Ok(_) => Ok(id),
        Err(_) => Err(CliError::usage_with(
            format!("{:?} is not a game id", text.trim()),
            "a full id looks like 0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e10; `divelog game list` shows them",
        )),
    }
}

/// The text of a JSON action; `-` takes all of stdin.
pub fn json_action_text(arg: &str) -> Result<String, CliError> {
    if arg != "-" {
        return Ok(arg.to_owned());
    }
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .take(MAX_ACTION_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|source| CliError::io("cannot read the action from stdin", source))?;
    if text.len() as u64 > MAX_ACTION_BYTES {
        return Err(CliError::usage(format!("the action on stdin is longer than {MAX_ACTION_BYTES} bytes")));
    }
    Ok(text)
}

/// `seat:N`, `spectator` or `auditor`.
pub fn viewer(arg: &ViewerArg) -> Result<Viewer, CliError> {
    let text = arg.viewer.to_ascii_lowercase();
    let role = match text.as_str() {
        "spectator" => Role::Spectator,
        "auditor" => Role::Auditor,
        other => {
            let seat = other.strip_prefix("seat:").and_then(|seat| seat.parse().ok());
            return match seat {
                Some(seat) => Ok(Viewer { role: Role::Seat.into(), seat }),
                None => Err(CliError::usage_with(
                    format!("{:?} is not a viewer", arg.viewer),
                    "--as takes seat:N (seats count from 0), spectator or auditor",
                )),
            };
        }
    };
    Ok(Viewer { role: role.into(), seat: 0 })
}

/// `KEY=VALUE` labels, each key once.
pub fn labels(args: &[String]) -> Result<BTreeMap<String, String>, CliError> {
    let mut labels = BTreeMap::new();
    for arg in args {
        let Some((key, value)) = arg.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(CliError::usage_with(format!("{arg:?} is not a label"), "--label takes KEY=VALUE"));
        };
        if labels.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(CliError::usage(format!("the label {key:?} is given twice")));
        }
    }
    Ok(labels)
}

/// `SEAT=HEX` contributions to the seed, each seat once.
pub fn entropy(args: &[String]) -> Result<BTreeMap<usize, Bytes>, CliError> {
    let mut entropy = BTreeMap::new();
    for arg in args {
        let parsed = arg.split_once('=').and_then(|(seat, hex)| Some((seat.parse().ok()?, from_hex(hex)?)));
        let Some((seat, bytes)) = parsed else {
            return Err(CliError::usage_with(
                format!("{arg:?} is not a seat's entropy"),
                "--entropy takes SEAT=HEX with an even number of hex digits, such as 0=c0ffee",
            ));
        };
        if entropy.insert(seat, bytes).is_some() {
            return Err(CliError::usage(format!("the entropy of seat {seat} is given twice")));
        }
    }
    Ok(entropy)
}

/// A promise as `game prepare -q` prints it.
pub fn promise(text: &str) -> Result<PreparedGame, CliError> {
    let parts = text.split_once(':').and_then(|(game_id, hex)| Some((game_id, from_hex(hex)?)));
    match parts {
        Some((game_id, seed_commitment)) => Ok(PreparedGame { game_id: game_id.into(), seed_commitment }),
        None => Err(CliError::usage_with(
            format!("{text:?} is not a promise"),
            "a promise is GAME:COMMITMENT with the commitment in hex, as `divelog game prepare -q` prints it",
        )),
    }
}

/// At least one byte.
fn from_hex(text: &str) -> Option<Bytes> {
    hex::decode(text).ok().filter(|bytes| !bytes.is_empty()).map(Bytes::from)
}

/// A kind by its code name; upper case and dashes are accepted.
pub fn kind(text: &str) -> Result<GameKind, CliError> {
    divelog_text::kind_by_code_name(&normalize(text)).ok_or_else(|| {
        CliError::usage_with(
            format!("{text:?} is not a kind of game that this client knows"),
            format!("it knows: {}", divelog_text::code_names().join(", ")),
        )
    })
}

/// A code name as typed, in the form that the service uses.
pub fn normalize(code_name: &str) -> String {
    code_name.trim().to_ascii_lowercase().replace('-', "_")
}

/// The wire's status of a typed one.
pub fn status(status: Status) -> GameStatus {
    match status {
        Status::Running => GameStatus::Running,
        Status::Finished => GameStatus::Finished,
        Status::Abandoned => GameStatus::Abandoned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e10";

    #[test]
    fn game_ids_are_full_uuids() {
        assert_eq!(check_game_id(&format!(" {} \n", ID.to_uppercase())).unwrap(), ID);
        for bad in [
            "",
            "0197f3a2",
            "0197f3a2x5d0c-7c31-9c1e-2f6d3b8a4e10",
            "0197f3a25d0c7c319c1e2f6d3b8a4e10",
            "{0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e10}",
            "0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e1g",
        ] {
            assert!(check_game_id(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_dash_takes_the_first_line() {
        assert_eq!(game_id_from(format!("{ID}\nmore\n").as_bytes()).unwrap(), ID);
        assert!(game_id_from(&b""[..]).is_err());
    }

    #[test]
    fn viewers() {
        let parse = |text: &str| viewer(&ViewerArg { viewer: text.into() });
        assert_eq!(parse("seat:2").unwrap(), Viewer { role: Role::Seat.into(), seat: 2 });
        assert_eq!(parse("Auditor").unwrap().role(), Role::Auditor);
        assert_eq!(parse("spectator").unwrap().role(), Role::Spectator);
        for bad in ["seat", "seat:", "seat:-1", "seat:x", "player"] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn labels_are_pairs_with_unique_keys() {
        let good = labels(&["a=1".into(), "b=x=y".into(), "c=".into()]).unwrap();
        assert_eq!(good["b"], "x=y");
        assert_eq!(good["c"], "");
        for bad in [vec!["a"], vec!["=1"], vec!["a=1", "a=2"]] {
            let args: Vec<String> = bad.iter().map(|text| text.to_string()).collect();
            assert!(labels(&args).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn entropy_is_hex_by_seat() {
        let good = entropy(&["1=C0ffee".into()]).unwrap();
        assert_eq!(good[&1], Bytes::from_static(&[0xc0, 0xff, 0xee]));
        for bad in ["1", "1=", "1=abc", "1=zz", "x=00", "1=+1"] {
            assert!(entropy(&[bad.into()]).is_err(), "{bad:?}");
        }
        assert!(entropy(&["0=00".into(), "0=01".into()]).is_err());
    }

    #[test]
    fn a_promise_is_a_game_and_a_commitment() {
        let promise_of = |text: &str| promise(text).map(|promise| (promise.game_id, promise.seed_commitment.to_vec()));
        assert_eq!(promise_of("g:00ff").unwrap(), ("g".to_owned(), vec![0, 255]));
        for bad in ["g", "g:", "g:0", "g:zz"] {
            assert!(promise_of(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn kinds_may_have_upper_case_and_dashes() {
        assert_eq!(kind("Deep-Sea-Adventure").unwrap(), GameKind::DeepSeaAdventure);
        let error = kind("chess").unwrap_err();
        assert_eq!(error.to_string(), "\"chess\" is not a kind of game that this client knows");
    }
}
