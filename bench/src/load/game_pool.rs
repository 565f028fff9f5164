//! New games for the load: all of them before it begins, and during it one for each that ends.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use divelog_proto::v1::{self, game_service_client::GameServiceClient};
use tokio::task::JoinSet;
use tonic::{Status, transport::Channel};

use super::{
    table::{SEATS, Table},
    tally::Tally,
};
use crate::lock::lock;

/// One spare game for so many in flight: enough that a place is hardly ever empty while a new game is created.
const GAMES_PER_SPARE: usize = 8;
/// The fewest spare games.
const MIN_SPARES: usize = 2;
/// How many games are created at a time before the load begins.
const CREATE_AT_ONCE: usize = 64;

/// Creates games and keeps some ready.
pub struct GamePool {
    clients: Vec<GameServiceClient<Channel>>,
    next_client: AtomicUsize,
    spares: Mutex<Vec<Table>>,
    tally: Arc<Tally>,
}

impl GamePool {
    /// Opens `games` games, and the spares besides.
    pub async fn open(
        clients: Vec<GameServiceClient<Channel>>,
        games: usize,
        tally: Arc<Tally>,
    ) -> Result<(Arc<Self>, Vec<Table>), Status> {
        let pool = Arc::new(Self { clients, next_client: AtomicUsize::new(0), spares: Mutex::new(Vec::new()), tally });
        let spares = (games / GAMES_PER_SPARE).max(MIN_SPARES);
        let wanted = games + spares;
        let mut tables = Vec::with_capacity(wanted);
        let mut creating = JoinSet::new();
        let mut asked = 0;
        while tables.len() < wanted {
            while asked < wanted && creating.len() < CREATE_AT_ONCE {
                let pool = pool.clone();
                creating.spawn(async move { pool.create().await });
                asked += 1;
            }
            match creating.join_next().await {
                Some(Ok(table)) => tables.push(table?),
                Some(Err(error)) => return Err(Status::internal(error.to_string())),
                None => break,
            }
        }
        *pool.lock() = tables.split_off(games.min(tables.len()));
        Ok((pool, tables))
    }

    /// Takes a spare game, and has another created in its place.
    pub fn take(self: &Arc<Self>) -> Option<Table> {
        let table = self.lock().pop()?;
        let pool = self.clone();
        tokio::spawn(async move {
            match pool.create().await {
                Ok(table) => pool.lock().push(table),
                Err(status) => pool.tally.failed_call(&status),
            }
        });
        Some(table)
    }

    /// Creates a game.
    pub async fn create(&self) -> Result<Table, Status> {
        let turn = self.next_client.fetch_add(1, Ordering::Relaxed);
        let Some(client) = self.clients.get(turn % self.clients.len().max(1)) else {
            return Err(Status::internal("no connection"));
        };
        let request = v1::CreateGameRequest {
            options: Some(v1::GameOptions {
                options: Some(v1::game_options::Options::DeepSeaAdventure(Default::default())),
            }),
            players: vec![v1::NewPlayer::default(); SEATS as usize],
            ..Default::default()
        };
        let answer = client.clone().create_game(request).await?.into_inner();
        let game = answer.game.ok_or_else(|| Status::internal("CreateGame answered without a game"))?;
        let seat = game.to_act.first().copied();
        let seat = seat.ok_or_else(|| Status::internal("in a new game it is nobody's turn"))?;
        self.tally.game_created();
        Ok(Table::new(game.game_id, seat))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Table>> {
        lock(&self.spares)
    }
}
