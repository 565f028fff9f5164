//! What a store held before it was damaged, found out without the code under test.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;

use bytes::Bytes;
use divelog_ledger::{Expectation, GameId, Secret, verify};
use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};

/// The files of a data folder that hold blocks.
pub const BLOCK_FILES: [&str; 3] = ["db", "journal-0", "journal-1"];

/// One game as it was.
pub struct Game {
    pub secret: [u8; 32],
    pub records: Vec<Bytes>,
    /// The blocks that hold them.
    blocks: BTreeSet<u64>,
}

/// Where copies of something lie: a file and the bytes in it.
type Copies = Vec<(usize, Range<usize>)>;

/// A store as it was, and every place in its files where something of it lies.
pub struct ExpectedGames {
    pub games: BTreeMap<GameId, Game>,
    pub files: Vec<(&'static str, Vec<u8>)>,
    blocks: HashMap<u64, Copies>,
    secrets: HashMap<GameId, Copies>,
}

/// Plays games on a real server, in two runs, and stops it.
pub async fn play(data: &Path, games: u64, actions: usize) -> BTreeMap<GameId, Game> {
    let server = Server::start(data);
    let client = server.games().await;
    let playing: Vec<_> = (0..games)
        .map(|seed| {
            let client = client.clone();
            tokio::spawn(async move {
                let mut player = Player::create(client, 2 + seed as usize % 4, seed).await;
                // Some end, some have just begun.
                player
                    .play(if seed.is_multiple_of(5) { usize::MAX } else { actions * (1 + seed as usize % 3) / 2 })
                    .await;
                player.game_id
            })
        })
        .collect();
    let mut ids = Vec::new();
    for player in playing {
        ids.push(player.await.unwrap());
    }
    server.stop();
    let server = Server::start(data);
    let mut expected_games = BTreeMap::new();
    for game_id in ids {
        let mut player = Player::of(server.games().await, game_id.clone(), 3);
        player.play(2).await;
        expected_games.insert(game_id.parse().unwrap(), read(&server, &game_id).await);
    }
    server.stop();
    expected_games
}

/// A game as the server gives it to an auditor, verified.
pub async fn read(server: &Server, game_id: &str) -> Game {
    let request = pb::ReadLogRequest { game_id: game_id.to_owned(), include_secret: true };
    let mut messages = server.audit().await.read_log(request).await.unwrap().into_inner();
    let (mut secret, mut records) = ([0; 32], Vec::new());
    while let Some(message) = messages.message().await.unwrap() {
        match message.message.unwrap() {
            pb::read_log_response::Message::Header(header) => secret.copy_from_slice(&header.secret),
            pb::read_log_response::Message::Record(record) => records.push(record.record),
        }
    }
    verify(game_id.parse().unwrap(), &Secret(secret), &records, Expectation::default()).unwrap();
    Game { secret, records, blocks: BTreeSet::new() }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Every place where `needle` begins.
fn places<'a>(bytes: &'a [u8], needle: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let first = needle[0];
    (0..bytes.len().saturating_sub(needle.len()))
        .filter(move |at| bytes[*at] == first && bytes[*at..].starts_with(needle))
}

impl ExpectedGames {
    pub fn new(data: &Path, games: BTreeMap<GameId, Game>) -> ExpectedGames {
        let read = |name: &'static str| {
            let mut bytes = std::fs::read(data.join(name)).ok()?;
            // Without the room that was never used, which is most of a journal.
            bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
            Some((name, bytes))
        };
        let files = BLOCK_FILES.into_iter().filter_map(read).collect();
        let mut expected_games = ExpectedGames { games, files, blocks: HashMap::new(), secrets: HashMap::new() };
        for file in 0..expected_games.files.len() {
            expected_games.find_blocks(file);
            expected_games.find_secrets(file);
        }
        for game in expected_games.games.values() {
            assert!(!game.blocks.is_empty(), "the test does not find the blocks of a game");
        }
        expected_games
    }

    /// The form of a block is written out here once more, from `docs/log-format.md`.
    fn find_blocks(&mut self, file: usize) {
        let bytes = &self.files[file].1;
        for at in places(bytes, b"DLB1") {
            let count = number(&bytes[at + 12..at + 16]) as usize;
            let header = 16 + 37 * count + 4;
            if count > 512 || at + header > bytes.len() {
                continue;
            }
            let items: Vec<&[u8]> = bytes[at + 16..at + header - 4].chunks(37).collect();
            let length = header + items.iter().map(|item| number(&item[28..32]) as usize).sum::<usize>();
            // A copy counts if every record in it is the true one.
            let mut start = at + header;
            let whole = items.iter().all(|item| {
                let from = start;
                start += number(&item[28..32]) as usize;
                let game = self.games.get(&GameId(item[..16].try_into().unwrap()));
                let record = game.and_then(|game| game.records.get(number(&item[24..28]) as usize));
                record.is_some() && bytes.get(from..start) == record.map(|record| &record[..])
            });
            if !whole || items.is_empty() {
                continue;
            }
            let block = number(&bytes[at + 4..at + 12]);
            for item in items {
                let game = self.games.get_mut(&GameId(item[..16].try_into().unwrap())).unwrap();
                game.blocks.insert(block);
            }
            self.blocks.entry(block).or_default().push((file, at..at + length));
        }
    }

    fn find_secrets(&mut self, file: usize) {
        for (id, game) in &self.games {
            let pair = [&id.0[..], &game.secret[..]].concat();
            // From the rarest byte on: ids begin alike.
            let found = places(&self.files[file].1, &pair[12..]).map(|at| at - 12);
            let copies = self.secrets.entry(*id).or_default();
            copies
                .extend(found.filter(|at| self.files[file].1[*at..].starts_with(&pair)).map(|at| (file, at..at + 48)));
        }
    }

    /// Whether a copy of everything of the game is left in these files.
    pub fn is_intact(&self, id: &GameId, damaged: &[Vec<u8>]) -> bool {
        let left = |copies: &Copies| {
            copies
                .iter()
                .any(|(file, range)| damaged[*file].get(range.clone()) == Some(&self.files[*file].1[range.clone()]))
        };
        left(&self.secrets[id]) && self.games[id].blocks.iter().all(|block| left(&self.blocks[block]))
    }
}
