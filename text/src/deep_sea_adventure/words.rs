//! The words of an action: `dive`, `turn-back`, `leave`, `pick-up`, `put-down INDEX`.

use divelog_proto::games::deep_sea_adventure::v1::{
    Action as Message, Dive, Leave, LegalAction, PickUp, PutDown, action::Action,
};

use crate::ParseError;

const POSSIBLE: &str = "possible: dive, turn-back, leave, pick-up, put-down INDEX (the load counts from 0)";

/// The action that words in lower case, with dashes, mean.
pub fn parse(words: &[&str]) -> Result<Message, ParseError> {
    let action = match words {
        ["dive"] => Action::Dive(Dive { turn_back: false }),
        ["turn-back"] | ["turn", "back"] | ["dive", "back"] | ["dive", "turn-back"] => {
            Action::Dive(Dive { turn_back: true })
        }
        ["leave"] => Action::Leave(Leave {}),
        ["pick-up"] | ["pickup"] | ["pick", "up"] => Action::PickUp(PickUp {}),
        ["put-down" | "putdown", index] | ["put", "down", index] => {
            let load_index = index
                .parse()
                .map_err(|_| ParseError::words(format!("{index:?} is not a place in the load"), POSSIBLE))?;
            Action::PutDown(PutDown { load_index })
        }
        ["put-down" | "putdown"] | ["put", "down"] => {
            return Err(ParseError::words("put-down needs the place in the load, such as `put-down 0`", POSSIBLE));
        }
        _ => {
            return Err(ParseError::words(
                format!("{:?} is not an action of Deep Sea Adventure", words.join(" ")),
                POSSIBLE,
            ));
        }
    };
    Ok(Message { action: Some(action) })
}

/// The words of an action.
pub fn of(action: &Message) -> String {
    match &action.action {
        Some(Action::Dive(Dive { turn_back: false })) => "dive".into(),
        Some(Action::Dive(Dive { turn_back: true })) => "turn-back".into(),
        Some(Action::Leave(Leave {})) => "leave".into(),
        Some(Action::PickUp(PickUp {})) => "pick-up".into(),
        Some(Action::PutDown(PutDown { load_index })) => format!("put-down {load_index}"),
        None => "(nothing)".into(),
    }
}

/// The words of a legal action; none if it is newer than this client.
pub fn of_legal(legal: &LegalAction) -> Option<String> {
    legal.action.as_ref().map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_is_understood() {
        let cases: [(&[&str], &str); 10] = [
            (&["dive"], "dive"),
            (&["dive", "back"], "turn-back"),
            (&["dive", "turn-back"], "turn-back"),
            (&["turn-back"], "turn-back"),
            (&["turn", "back"], "turn-back"),
            (&["leave"], "leave"),
            (&["pickup"], "pick-up"),
            (&["pick", "up"], "pick-up"),
            (&["put-down", "2"], "put-down 2"),
            (&["put", "down", "0"], "put-down 0"),
        ];
        for (typed, words) in cases {
            assert_eq!(of(&parse(typed).unwrap()), words, "{typed:?}");
        }
    }

    #[test]
    fn other_words_list_what_is_possible() {
        let cases: [&[&str]; 6] =
            [&[], &["fly"], &["dive", "2"], &["put-down"], &["put-down", "-1"], &["put-down", "x"]];
        for typed in cases {
            let error = parse(typed).unwrap_err();
            assert!(matches!(error, ParseError::Words { hint, .. } if hint == POSSIBLE), "{typed:?}");
        }
    }
}
