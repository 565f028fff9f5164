//! After a fault: repeats what has no answer, and compares the log with everything that was answered before.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use divelog_ledger::{Expectation, GameId, Revision, Secret, hash_record, verify};
use divelog_proto::v1 as pb;
use divelog_proto::v1::audit_service_client::AuditServiceClient;
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_tests::Server;
use prost::Message;
use tonic::Code;
use tonic::transport::Channel;

use super::history::{GameHistory, Open};
use super::{History, reason};

/// How many acknowledged actions of a game are asked for again.
const REPEATS: usize = 2;

/// What was found, for the test's last line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Actions that had no answer at the fault.
    pub open: usize,
    /// How many of those were in the log all the same.
    pub open_but_done: usize,
    /// How many of those the rules refuse by now, because another player was faster.
    pub open_and_refused: usize,
    /// Acknowledged actions that were asked for again.
    pub repeated: usize,
    /// Logs that were read and verified.
    pub logs: usize,
}

impl std::ops::AddAssign for Totals {
    fn add_assign(&mut self, more: Totals) {
        self.open += more.open;
        self.open_but_done += more.open_but_done;
        self.open_and_refused += more.open_and_refused;
        self.repeated += more.repeated;
        self.logs += more.logs;
    }
}

/// One game's log as the server gives it.
pub struct Log {
    /// The hash of each record.
    pub hashes: Vec<Bytes>,
    /// The records.
    pub records: Vec<pb::Record>,
}

/// Brings a server that has come back to a state where everything is answered, and checks all games of which something
/// was answered since the last time.
pub async fn reconcile(server: &Server, history: &History) -> Totals {
    let mut found = Totals::default();
    let open = history.lock().open.clone();
    found.open = open.len();
    // Before anything is asked of it: this is what has survived.
    let touched = history.lock().touched.clone();
    let mut audit = server.audit().await;
    for game_id in &touched {
        let seen = history.lock().games.get(game_id).cloned().unwrap_or_default();
        let log = check(&mut audit, game_id, &seen).await;
        found.open_but_done += log.records.iter().filter(|record| open.contains_key(&record.request_id)).count();
    }
    let mut games = server.games().await;
    repeat_creations(&mut games, history).await;
    for open in open.values() {
        found.open_and_refused += usize::from(!repeat_open(&mut games, history, open).await);
    }
    let touched = std::mem::take(&mut history.lock().touched);
    for game_id in &touched {
        let seen = history.lock().games[game_id].clone();
        found.repeated += repeat_acknowledged(&mut games, &seen).await;
        check(&mut audit, game_id, &seen).await;
        found.logs += 1;
    }
    found
}

/// Checks every game there is, and that no creation has made two.
pub async fn check_all(server: &Server, history: &History) -> Totals {
    let listed = list_all(&mut server.games().await).await;
    let mut made: HashMap<String, Vec<String>> = HashMap::new();
    for game in &listed {
        made.entry(game.labels["creation"].clone()).or_default().push(game.game_id.clone());
    }
    let (creations, games) = {
        let data = history.lock();
        (data.creations.clone(), data.games.clone())
    };
    for (request_id, (_, game_id)) in &creations {
        let game_id = game_id.as_ref().expect("every creation has an answer by now");
        assert_eq!(made.remove(request_id).as_deref(), Some(&[game_id.clone()][..]), "creation {request_id}");
    }
    assert!(made.is_empty(), "games that nobody asked for: {made:?}");
    let mut audit = server.audit().await;
    for (game_id, seen) in &games {
        check(&mut audit, game_id, seen).await;
        let request = pb::VerifyGameRequest { game_id: game_id.clone() };
        let verdict = audit.verify_game(request).await.unwrap().into_inner();
        assert!(verdict.verified, "{verdict:?}");
    }
    Totals { logs: games.len(), ..Totals::default() }
}

async fn list_all(games: &mut GameServiceClient<Channel>) -> Vec<pb::GameSummary> {
    let mut all = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = pb::ListGamesRequest { page_size: 100, page_token, ..Default::default() };
        let page = games.list_games(request).await.unwrap().into_inner();
        all.extend(page.games);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return all;
        }
    }
}

/// A creation without an answer makes one game, however often it is repeated.
async fn repeat_creations(games: &mut GameServiceClient<Channel>, history: &History) {
    let creations = history.lock().creations.clone();
    for (request, _) in creations.values().filter(|(_, made)| made.is_none()) {
        let mut twin = games.clone();
        let (one, two) = tokio::join!(games.create_game(request.clone()), twin.create_game(request.clone()));
        for answer in [one, two] {
            // The history notices if the two differ.
            history.created(request, &answer.unwrap().into_inner().game.unwrap());
        }
    }
}

/// An action without an answer is done once, however often it is repeated. False if it was refused instead, which only
/// another player's faster action can lead to.
async fn repeat_open(games: &mut GameServiceClient<Channel>, history: &History, open: &Open) -> bool {
    let request = &open.request;
    let mut twin = games.clone();
    let answers = tokio::join!(games.submit_action(request.clone()), twin.submit_action(request.clone()));
    match answers {
        (Ok(one), Ok(two)) => {
            history.acknowledged(request, one.into_inner());
            history.acknowledged(request, two.into_inner());
            true
        }
        (Err(one), Err(two)) => {
            assert!(!open.alone, "an action in a game of one's own was refused when repeated: {one:?}");
            for status in [one, two] {
                let refused = matches!(status.code(), Code::FailedPrecondition | Code::Aborted);
                assert!(refused && reason(&status).is_some(), "{status:?}");
            }
            history.refused(request);
            false
        }
        (one, two) => panic!("one request, two answers: {one:?} and {two:?}"),
    }
}

/// Asks again for the newest acknowledged actions, and expects the first answers, word for word.
async fn repeat_acknowledged(games: &mut GameServiceClient<Channel>, seen: &GameHistory) -> usize {
    let newest: Vec<_> = seen.acks.values().rev().take(REPEATS).collect();
    for ack in &newest {
        let again = games.submit_action(ack.request.clone()).await.unwrap().into_inner();
        assert_eq!(again, ack.answer, "request {} has another answer now", ack.request.request_id);
    }
    newest.len()
}

/// Reads a log and verifies it by itself: chain, commitments, every action's legality, every digest.
pub async fn read_log(audit: &mut AuditServiceClient<Channel>, game_id: &str) -> Log {
    let request = pb::ReadLogRequest { game_id: game_id.to_owned(), include_secret: true };
    let mut messages = audit.read_log(request).await.unwrap().into_inner();
    let mut header = None;
    let (mut bytes, mut hashes) = (Vec::new(), Vec::new());
    while let Some(message) = messages.message().await.unwrap() {
        match message.message.unwrap() {
            pb::read_log_response::Message::Header(first) => header = Some(first),
            pb::read_log_response::Message::Record(record) => {
                assert_eq!(hash_record(&record.record)[..], record.hash, "game {game_id}");
                bytes.push(record.record);
                hashes.push(record.hash);
            }
        }
    }
    let header = header.expect("a header comes first");
    let id: GameId = game_id.parse().unwrap();
    let secret = Secret(header.secret[..].try_into().unwrap());
    let expected = Expectation {
        revision: Some(Revision::new(header.revision)),
        head_hash: Some(header.head_hash[..].try_into().unwrap()),
    };
    if let Err(fault) = verify(id, &secret, &bytes, expected) {
        panic!("the log of game {game_id} does not verify: {fault:?}");
    }
    let records = bytes.iter().map(|bytes| pb::Record::decode(bytes.clone()).unwrap()).collect();
    Log { hashes, records }
}

/// Compares one game's log with what was answered about it.
async fn check(audit: &mut AuditServiceClient<Channel>, game_id: &str, seen: &GameHistory) -> Log {
    let log = read_log(audit, game_id).await;
    for (revision, hash) in &seen.shown {
        let stored = log.hashes.get(*revision as usize - 1);
        assert_eq!(
            stored,
            Some(hash),
            "game {game_id} was shown at revision {revision} with a record it does not have"
        );
    }
    let mut by_request: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (revision, record) in (1..).zip(&log.records) {
        by_request.entry(&record.request_id).or_default().push(revision);
    }
    for (revision, ack) in &seen.acks {
        // Its hash is among those that were shown; that it stands there once, and nowhere else, is to be seen here.
        let found = by_request.get(ack.request.request_id.as_str());
        assert_eq!(found, Some(&vec![*revision]), "request {} of game {game_id}", ack.request.request_id);
    }
    for request_id in &seen.refused {
        assert!(!by_request.contains_key(request_id.as_str()), "{request_id} was refused, and is in the log");
    }
    // Who gives no request id asks for no such promise.
    for (request_id, revisions) in by_request.iter().filter(|(request_id, _)| !request_id.is_empty()) {
        assert_eq!(revisions.len(), 1, "request {request_id} was done more than once in game {game_id}");
    }
    log
}
