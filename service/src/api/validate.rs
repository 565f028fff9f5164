//! What callers may put into fields, and the precise error where they do not. Every string and list has a maximum here.

use std::collections::BTreeMap;

use divelog_ledger::{GameId, Revision, Sequence, convert};
use divelog_proto::v1 as pb;

use crate::session::{CreateRequest, Error, ForkRequest, MAX_LABELS, Prepared};

const MAX_REQUEST_ID: usize = 64;
const MAX_NAME: usize = 64;
const MAX_ENTROPY: usize = 64;
const MAX_LABEL: usize = 64;
const MAX_REASON: usize = 256;
/// How many draws one bundle opens.
const MAX_DRAWS: usize = 1024;
/// More players than any game has are refused by the game's rule 0; far more are not even looked at.
const MAX_PLAYERS: usize = 64;

/// A game's id.
pub fn game_id(text: &str) -> Result<GameId, Error> {
    text.parse().map_err(|error: divelog_ledger::NotAGameId| Error::invalid("game_id", error.to_string()))
}

/// A request id: visible ASCII, so that it can be logged and typed.
pub fn request_id(text: String) -> Result<String, Error> {
    check_request_id(&text).map(|()| text)
}

/// Refuses what is no request id.
pub fn check_request_id(text: &str) -> Result<(), Error> {
    if text.len() > MAX_REQUEST_ID || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        let description = format!("a request id has at most {MAX_REQUEST_ID} visible ASCII characters");
        return Err(Error::invalid("request_id", description));
    }
    Ok(())
}

/// Why a game is abandoned.
pub fn reason(text: String) -> Result<String, Error> {
    at_most("reason", text.len(), MAX_REASON)?;
    plain("reason", "the reason", &text)?;
    Ok(text)
}

/// Labels to keep.
fn kept_labels(given: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Error> {
    let labels = labels(given)?;
    for (key, value) in &labels {
        plain("labels", &format!("the label's key {key:?}"), key)?;
        plain("labels", &format!("the value of the label {key:?}"), value)?;
    }
    Ok(labels)
}

/// Labels to look for: what old games have can be found, whatever is in it.
pub fn labels(labels: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Error> {
    if labels.len() > MAX_LABELS {
        return Err(Error::invalid("labels", format!("a game has at most {MAX_LABELS} labels, not {}", labels.len())));
    }
    for (key, value) in &labels {
        if key.is_empty() {
            return Err(Error::invalid("labels", "a label's key cannot be empty"));
        }
        at_most("labels", key.len(), MAX_LABEL)?;
        at_most("labels", value.len(), MAX_LABEL)?;
    }
    Ok(labels)
}

/// A whole request to create a game.
pub fn creation(request: pb::CreateGameRequest) -> Result<CreateRequest, Error> {
    let options = convert::options_from_proto(request.options.as_ref())
        .map_err(|description| Error::invalid("options", description))?;
    if request.players.len() > MAX_PLAYERS {
        let description = format!("{} players are more than any game has", request.players.len());
        return Err(Error::invalid("players", description));
    }
    for (seat, player) in request.players.iter().enumerate() {
        at_most("players.name", player.name.len(), MAX_NAME)?;
        plain("players.name", &format!("the name of seat {seat}"), &player.name)?;
        at_most("players.entropy", player.entropy.len(), MAX_ENTROPY)?;
    }
    let newest = options.kind().rules_version();
    let rules_version = match request.rules_version {
        0 => None,
        version => Some(u16::try_from(version).ok().filter(|version| *version <= newest).ok_or_else(|| {
            let description = format!("{} has rules versions 1 to {newest}", options.kind().title());
            Error::invalid("rules_version", description)
        })?),
    };
    Ok(CreateRequest {
        options,
        rules_version,
        players: request
            .players
            .into_iter()
            .map(|player| pb::Player { name: player.name, entropy: player.entropy })
            .collect(),
        labels: kept_labels(request.labels)?,
        request_id: request_id(request.request_id)?,
        prepared: request.prepared.map(prepared).transpose()?,
    })
}

fn prepared(given: pb::PreparedGame) -> Result<Prepared, Error> {
    let game_id = game_id(&given.game_id)
        .map_err(|_| Error::invalid("prepared.game_id", format!("{:?} is not the id of a game", given.game_id)))?;
    let seed_commitment = given.seed_commitment[..].try_into().map_err(|_| {
        let description = format!("a commitment has 32 bytes, not {}", given.seed_commitment.len());
        Error::invalid("prepared.seed_commitment", description)
    })?;
    Ok(Prepared { game_id, seed_commitment })
}

/// A whole request to fork a game.
pub fn fork(request: pb::ForkGameRequest) -> Result<ForkRequest, Error> {
    Ok(ForkRequest {
        game_id: game_id(&request.game_id)?,
        at_revision: revision(request.at_revision),
        same_seed: request.same_seed,
        labels: kept_labels(request.labels)?,
        request_id: request_id(request.request_id)?,
    })
}

/// A revision that a request may name; 0 names none.
pub fn revision(given: u64) -> Option<Revision> {
    Some(Revision::new(given)).filter(|revision| *revision != Revision::NONE)
}

/// Draws to open: ascending, each once.
pub fn draws(mut sequences: Vec<u64>) -> Result<Vec<Sequence>, Error> {
    if sequences.len() > MAX_DRAWS {
        return Err(Error::invalid(
            "open_draws",
            format!("{} draws are too many: at most {MAX_DRAWS}", sequences.len()),
        ));
    }
    sequences.sort_unstable();
    sequences.dedup();
    Ok(sequences.into_iter().map(Sequence::new).collect())
}

/// Refuses text that is shown to others and would do something to their screen: end a line, move the cursor, or make what
/// stands beside it look like something else.
fn plain(field: &'static str, what: &str, text: &str) -> Result<(), Error> {
    let found = (1..).zip(text.chars()).find_map(|(place, char)| Some((place, char, effect(char)?)));
    let Some((place, char, effect)) = found else { return Ok(()) };
    let code = u32::from(char);
    let description = format!("character {place} of {what} is U+{code:04X}, which {effect}: leave it out");
    Err(Error::invalid(field, description))
}

/// What a character does beside being shown.
fn effect(char: char) -> Option<&'static str> {
    match char {
        // C0, DEL and C1.
        char if char.is_control() => Some("is a control character"),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some("changes the direction of text")
        }
        '\u{2028}' | '\u{2029}' => Some("ends a line"),
        '\u{feff}' => Some("is a byte order mark, which nobody sees"),
        _ => None,
    }
}

fn at_most(field: &'static str, length: usize, most: usize) -> Result<(), Error> {
    if length > most {
        return Err(Error::invalid(field, format!("{length} bytes are too long: at most {most} fit")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(error: Error) -> String {
        let Error::Invalid { field, description } = error else { panic!("{error}") };
        format!("{field}: {description}")
    }

    #[test]
    fn text_for_others_has_no_character_that_does_something_to_a_screen() {
        let controls = (0..=0x1f).chain(0x7f..=0x9f);
        let directions = [0x61c, 0x200e, 0x200f].into_iter().chain(0x202a..=0x202e).chain(0x2066..=0x2069);
        let refused: Vec<u32> = controls.chain([0x2028, 0x2029, 0xfeff]).chain(directions).collect();
        for code in 0..=0x10_ffff {
            let Some(char) = char::from_u32(code) else { continue };
            let answer = reason(format!("né{char}"));
            assert_eq!(answer.is_err(), refused.contains(&code), "U+{code:04X}");
            // What the command line would have to escape, a name cannot have: its lines can be typed again.
            assert_eq!(answer.is_err(), divelog_text::strings::acts_on_a_terminal(char), "U+{code:04X}");
        }
        for plain in ["", "Ana María", "Ωμέγα", "שלום", "سلام", "海の底", "👩‍🚀", "a\u{301}", "\u{200d}", "\u{ad}"]
        {
            assert_eq!(reason(plain.to_owned()).unwrap(), plain);
        }
    }

    #[test]
    fn the_character_and_its_place_are_named() {
        let named = |name: &str| {
            let options = convert::options_to_proto(1, &divelog_engine::Kind::DeepSeaAdventure.default_options());
            let player = |name: &str| pb::NewPlayer { name: name.into(), ..Default::default() };
            let players = vec![player("Ana"), player(name)];
            sentence(
                creation(pb::CreateGameRequest { options: Some(options), players, ..Default::default() }).unwrap_err(),
            )
        };
        assert_eq!(
            named("né\u{202e}x"),
            "players.name: character 3 of the name of seat 1 is U+202E, which changes the direction of text: leave it out"
        );
        let labelled = |key: &str, value: &str| {
            let labels = [(key.to_owned(), value.to_owned())].into();
            assert!(super::labels(BTreeMap::clone(&labels)).is_ok(), "it can be looked for");
            let game_id = "0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f".to_owned();
            sentence(fork(pb::ForkGameRequest { game_id, labels, ..Default::default() }).unwrap_err())
        };
        assert_eq!(
            labelled("k\u{85}", "v"),
            "labels: character 2 of the label's key \"k\\u{85}\" is U+0085, which is a control character: leave it out"
        );
        assert_eq!(
            labelled("k", "\u{2028}"),
            "labels: character 1 of the value of the label \"k\" is U+2028, which ends a line: leave it out"
        );
        assert_eq!(
            sentence(reason("too\tlate".into()).unwrap_err()),
            "reason: character 4 of the reason is U+0009, which is a control character: leave it out"
        );
    }
}
