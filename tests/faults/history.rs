//! Everything the server has answered, kept outside it: what it acknowledged, showed, refused, and has not answered yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use bytes::Bytes;
use divelog_proto::v1 as pb;

use super::TIMEOUT;

/// An acknowledged action.
#[derive(Clone, Debug)]
pub struct Ack {
    /// What was asked.
    pub request: pb::SubmitActionRequest,
    /// The first answer.
    pub answer: pb::SubmitActionResponse,
}

/// What was answered about one game.
#[derive(Clone, Debug, Default)]
pub struct GameHistory {
    /// Acknowledged actions by revision.
    pub acks: BTreeMap<u64, Ack>,
    /// Record hashes by revision, from whatever has shown them.
    pub shown: BTreeMap<u64, Bytes>,
    /// Request ids that were refused.
    pub refused: BTreeSet<String>,
}

/// An action without an answer.
#[derive(Clone, Debug)]
pub struct Open {
    /// What was asked.
    pub request: pb::SubmitActionRequest,
    /// Nobody else acts in this game, so the rules must still allow it.
    pub alone: bool,
}

/// The whole history of one data folder.
#[derive(Default)]
pub struct HistoryData {
    /// By game id.
    pub games: BTreeMap<String, GameHistory>,
    /// Actions without an answer, by request id.
    pub open: BTreeMap<String, Open>,
    /// Creations by request id, and the game each one made, once known.
    pub creations: BTreeMap<String, (pb::CreateGameRequest, Option<String>)>,
    /// Games about which something was answered since the last check.
    pub touched: BTreeSet<String>,
    /// The games in play, by place.
    pub places: BTreeMap<String, String>,
    ids: u64,
}

/// The history, shared by the players.
#[derive(Clone, Default)]
pub struct History(Arc<Mutex<HistoryData>>);

impl History {
    /// The history itself.
    pub fn lock(&self) -> MutexGuard<'_, HistoryData> {
        // A player who found a fault has panicked while holding it; the others may still look.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A request id that was never used.
    pub fn next_id(&self) -> String {
        let mut data = self.lock();
        data.ids += 1;
        format!("request-{}", data.ids)
    }

    /// An action is about to be sent.
    pub fn asks(&self, request: &pb::SubmitActionRequest, alone: bool) {
        let mut data = self.lock();
        data.touched.insert(request.game_id.clone());
        data.open.insert(request.request_id.clone(), Open { request: request.clone(), alone });
    }

    /// An action was acknowledged. The same answer may come twice, another one may not.
    pub fn acknowledged(&self, request: &pb::SubmitActionRequest, answer: pb::SubmitActionResponse) {
        self.shown(&request.game_id, answer.revision, &answer.record_hash);
        let mut data = self.lock();
        data.open.remove(&request.request_id);
        let game = data.games.entry(request.game_id.clone()).or_default();
        let again = game.acks.values().find(|ack| ack.request.request_id == request.request_id);
        if let Some(first) = again {
            assert_eq!(first.answer, answer, "request {} was answered in two ways", request.request_id);
        }
        assert!(!game.refused.contains(&request.request_id), "{} was refused before", request.request_id);
        let ack = Ack { request: request.clone(), answer };
        if let Some(other) = game.acks.insert(ack.answer.revision, ack) {
            assert_eq!(
                other.request.request_id, request.request_id,
                "two requests were given revision {} of game {}",
                other.answer.revision, request.game_id
            );
        }
    }

    /// An action was refused.
    pub fn refused(&self, request: &pb::SubmitActionRequest) {
        let mut data = self.lock();
        data.open.remove(&request.request_id);
        let game = data.games.entry(request.game_id.clone()).or_default();
        let done = game.acks.values().any(|ack| ack.request.request_id == request.request_id);
        assert!(!done, "request {} was done and refused", request.request_id);
        game.refused.insert(request.request_id.clone());
    }

    /// Somebody was shown a revision with this record hash.
    pub fn shown(&self, game_id: &str, revision: u64, hash: &Bytes) {
        let mut data = self.lock();
        let shown = &mut data.games.entry(game_id.to_owned()).or_default().shown;
        let before = shown.insert(revision, hash.clone());
        if before.is_none() {
            data.touched.insert(game_id.to_owned());
        }
        assert!(
            before.as_ref().is_none_or(|before| before == hash),
            "game {game_id} was shown with two records at revision {revision}"
        );
    }

    /// A game is about to be created.
    pub fn creates(&self, request: &pb::CreateGameRequest) {
        self.lock().creations.insert(request.request_id.clone(), (request.clone(), None));
    }

    /// A game was created; it takes the place it was made for.
    pub fn created(&self, request: &pb::CreateGameRequest, game: &pb::Game) {
        self.shown(&game.game_id, game.revision, &game.head_hash);
        let mut data = self.lock();
        let place = request.labels["place"].clone();
        data.places.insert(place, game.game_id.clone());
        let (_, made) = data.creations.get_mut(&request.request_id).expect("it was noted before it was sent");
        assert!(
            made.as_ref().is_none_or(|made| *made == game.game_id),
            "creation {} made two games",
            request.request_id
        );
        *made = Some(game.game_id.clone());
    }

    /// How many actions were acknowledged.
    pub fn acks(&self) -> usize {
        self.lock().games.values().map(|game| game.acks.len()).sum()
    }

    /// Waits until so many actions were acknowledged: on a busy machine a time says nothing about how much was played.
    pub async fn until_acks(&self, count: usize) {
        let give_up = Instant::now() + TIMEOUT;
        while self.acks() < count {
            assert!(Instant::now() < give_up, "{} actions were acknowledged, not {count}", self.acks());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}
