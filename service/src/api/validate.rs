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
    Ok(text)
}

/// Labels, to keep or to look for.
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
    for player in &request.players {
        at_most("players.name", player.name.len(), MAX_NAME)?;
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
        labels: labels(request.labels)?,
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
        labels: labels(request.labels)?,
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

fn at_most(field: &'static str, length: usize, most: usize) -> Result<(), Error> {
    if length > most {
        return Err(Error::invalid(field, format!("{length} bytes are too long: at most {most} fit")));
    }
    Ok(())
}
