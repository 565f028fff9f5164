//! Sessions on a store with its log in memory and its database in a temporary folder. Races are forced, not hoped for: each test brings about the one order of
//! events that it is named after.

mod copies;
mod creations;
mod forks;
mod live;
mod reads;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use divelog_engine::{AnyOptions, deep_sea_adventure};
use divelog_ledger::{GameId, Position, Revision, convert};
use divelog_proto::v1 as pb;
use tokio::sync::oneshot;

use super::live::ActionResult;
use super::*;
use crate::store::{self, Disk};

/// Longer than anything takes on a busy machine: what is not there by then hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

fn open(dir: &Path) -> Games {
    open_with(dir, 100)
}

fn open_with(dir: &Path, cache_games: usize) -> Games {
    let store = store::Options {
        dir: dir.to_path_buf(),
        describe,
        queue: 1_000,
        cache_bytes: 1 << 20,
        journal_bytes: 0,
        accept_loss: false,
    };
    Games::open_in_memory(&GamesOptions { store, cache_games }, &Disk::default()).unwrap()
}

fn creation(seats: usize, request_id: &str) -> CreateRequest {
    CreateRequest {
        options: AnyOptions::DeepSeaAdventure(deep_sea_adventure::Options),
        rules_version: None,
        players: vec![pb::Player::default(); seats],
        labels: BTreeMap::new(),
        request_id: request_id.to_owned(),
        prepared: None,
    }
}

/// Some legal action at a position.
fn next_act(position: &Position) -> ActRequest {
    let seat = position.to_act().iter().next().expect("somebody is to act");
    let legal = position.game().legal_actions(seat);
    let action = legal.first().expect("something can be done").nth(0);
    ActRequest {
        seat: seat.0.into(),
        action: Some(convert::action_to_proto(&action)),
        expected_revision: None,
        request_id: String::new(),
        caller: None,
        copies: false,
    }
}

/// Plays so many actions of a game.
async fn play(games: &Games, id: GameId, actions: usize) -> Position {
    for _ in 0..actions {
        let position = games.live(id).await.unwrap().durable();
        games.act(id, next_act(&position)).await.unwrap();
    }
    games.live(id).await.unwrap().durable()
}

/// Submits an action to one copy of a game.
fn submit(games: &Games, live: &Arc<LiveGame>, request: ActRequest) -> oneshot::Receiver<ActionResult> {
    let (reply, answer) = super::games::reply_once();
    assert!(matches!(games.submit_to(live, request, reply), Submitted::Taken));
    answer
}

/// The whole log replays, and has so many records.
async fn expect_sound(games: &Games, id: GameId, records: usize) {
    let steps = games.steps(id, Revision::BEGUN, usize::MAX).await.expect("the log replays");
    assert_eq!(steps.len(), records);
}

async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, work).await.expect("it does not hang")
}
