//! Lists, logs, refused requests, abandonment and repeated requests through the entry point; claims.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use divelog_engine::Kind;
use divelog_ledger::Status;

use super::super::claims::Claims;
use super::*;

fn abandonment(request_id: &str) -> AbandonRequest {
    AbandonRequest {
        reason: "enough".to_owned(),
        expected_revision: None,
        request_id: request_id.to_owned(),
        caller: None,
        never_complete: false,
    }
}

async fn listed(games: &Games, filter: ListFilter) -> Vec<GameId> {
    games.list(None, 100, filter).await.unwrap().entries.into_iter().map(|entry| entry.id).collect()
}

#[tokio::test]
async fn a_list_shows_what_its_filter_wants_newest_first() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let mut ids = Vec::new();
    for labels in [vec![], vec![("table", "1")], vec![("table", "1"), ("night", "2")], vec![("table", "2")]] {
        let labels = labels.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let request = CreateRequest { labels, ..creation(3, "") };
        ids.push(games.create(request).await.unwrap().header().game_id);
    }
    games.abandon(ids[1], abandonment("")).await.unwrap();
    let labels = |wanted: &[(&str, &str)]| ListFilter {
        labels: wanted.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
        ..ListFilter::default()
    };
    let status = |status| ListFilter { status: Some(status), ..ListFilter::default() };
    let kind = |kind| ListFilter { kind: Some(kind), ..ListFilter::default() };
    for (filter, expected) in [
        (ListFilter::default(), vec![ids[3], ids[2], ids[1], ids[0]]),
        (labels(&[("table", "1")]), vec![ids[2], ids[1]]),
        (labels(&[("table", "1"), ("night", "2")]), vec![ids[2]]),
        (labels(&[("table", "3")]), vec![]),
        (status(Status::Abandoned), vec![ids[1]]),
        (status(Status::Running), vec![ids[3], ids[2], ids[0]]),
        (kind(Kind::DeepSeaAdventure), vec![ids[3], ids[2], ids[1], ids[0]]),
        (kind(Kind::KeyLargo), vec![]),
        (ListFilter { status: Some(Status::Running), ..labels(&[("table", "1")]) }, vec![ids[2]]),
    ] {
        assert_eq!(listed(&games, filter.clone()).await, expected, "{filter:?}");
    }
    let page = games.list(None, 3, ListFilter::default()).await.unwrap();
    assert_eq!((page.entries.len(), page.next), (3, Some(ids[1])));
    let rest = games.list(page.next, 3, ListFilter::default()).await.unwrap();
    assert_eq!((rest.entries[0].id, rest.entries.len(), rest.next), (ids[0], 1, None));
}

#[tokio::test]
async fn steps_are_those_that_led_to_the_revisions_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    play(&games, id, 5).await;
    for (from, count, expected) in [(1, 100, 1..=6), (1, 2, 1..=2), (4, 2, 4..=5), (6, 100, 6..=6)] {
        let steps = games.steps(id, Revision::new(from), count).await.unwrap();
        let revisions: Vec<u64> = steps.iter().map(|step| step.position.revision().get()).collect();
        assert_eq!(revisions, expected.collect::<Vec<_>>());
    }
    assert!(games.steps(id, Revision::new(7), 100).await.unwrap().is_empty());
    assert!(matches!(games.step(id, Revision::new(7)).await, Err(Error::NotFound(_))));
    let unknown = GameId([9; 16]);
    assert!(matches!(games.steps(unknown, Revision::BEGUN, 1).await, Err(Error::NotFound(id)) if id == unknown));
    assert!(matches!(games.live(unknown).await, Err(Error::NotFound(_))));
    assert!(matches!(games.stored(unknown).await, Err(Error::NotFound(_))));
    assert!(matches!(games.refusals(unknown).await, Err(Error::NotFound(_))));
}

#[tokio::test]
async fn a_repeated_request_has_its_first_answer_from_memory_from_the_log_and_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let position = games.live(id).await.unwrap().durable();
    let request = || ActRequest { request_id: "one".into(), ..next_act(&position) };
    let first = games.act(id, request()).await.unwrap();
    play(&games, id, 3).await;
    let again = games.act(id, request()).await.unwrap();
    assert_eq!((again.revision().get(), again.record_hash()), (2, first.record_hash()));
    let other = games.act(id, ActRequest { seat: request().seat + 1, ..request() }).await;
    assert!(matches!(other, Err(Error::RequestIdReused(_))), "{other:?}");
    let gone = games.abandon(id, abandonment("bye")).await.unwrap();
    assert_eq!(games.abandon(id, abandonment("bye")).await.unwrap().position.head_hash(), gone.position.head_hash());
    let other = games.abandon(id, AbandonRequest { reason: "other".into(), ..abandonment("bye") }).await;
    assert!(matches!(other, Err(Error::RequestIdReused(_))), "{other:?}");
    games.close();
    let games = open(dir.path());
    assert_eq!(games.act(id, request()).await.unwrap().response(), first.response());
    assert_eq!(games.abandon(id, abandonment("bye")).await.unwrap().position.head_hash(), gone.position.head_hash());
    expect_sound(&games, id, 6).await;
}

/// The newest is in memory, and the first one that is not costs one replay, which finds all others.
#[tokio::test]
async fn a_repeated_request_costs_its_game_one_replay_at_most() {
    const ACTIONS: usize = 30;
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "created")).await.unwrap().header().game_id;
    let (mut requests, mut first) = (Vec::new(), Vec::new());
    for at in 0..ACTIONS {
        let position = games.live(id).await.unwrap().durable();
        let request = ActRequest { request_id: format!("act-{at}"), ..next_act(&position) };
        requests.push((request.seat, request.action.clone(), request.request_id.clone()));
        first.push(games.act(id, request).await.unwrap().response());
    }
    let request = |at: usize| {
        let (seat, action, request_id) = requests[at].clone();
        ActRequest { seat, action, expected_revision: None, request_id, caller: None, copies: false }
    };
    let records = ACTIONS + 1;
    let expect = async |games: &Games, replayed: [usize; 2]| {
        step::replayed::take(id);
        games.live(id).await.unwrap();
        let newest = games.act(id, request(ACTIONS - 1)).await.unwrap();
        assert_eq!(newest.response(), first[ACTIONS - 1]);
        // The creation's own id, which no action can have.
        let created = ActRequest { request_id: "created".into(), ..request(0) };
        assert!(matches!(games.act(id, created).await, Err(Error::RequestIdReused(_))));
        assert_eq!(step::replayed::take(id), replayed[0], "in memory");
        for _ in 0..3 {
            for (at, first) in first.iter().enumerate() {
                assert_eq!(games.act(id, request(at)).await.unwrap().response(), *first);
                let other = ActRequest { seat: request(at).seat + 1, ..request(at) };
                assert!(matches!(games.act(id, other).await, Err(Error::RequestIdReused(_))));
                let other = ActRequest { action: None, ..request(at) };
                assert!(matches!(games.act(id, other).await, Err(Error::RequestIdReused(_))));
            }
            // Of an action it is known without a look at the log.
            assert!(matches!(games.abandon(id, abandonment("act-0")).await, Err(Error::RequestIdReused(_))));
        }
        assert_eq!(step::replayed::take(id), replayed[1], "from the log");
    };
    expect(&games, [0, records]).await;
    expect(&games, [0, 0]).await;
    let gone = games.abandon(id, abandonment("gone")).await.unwrap();
    let again = games.abandon(id, abandonment("gone")).await.unwrap();
    assert_eq!((again.position.head_hash(), step::replayed::take(id)), (gone.position.head_hash(), 0));
    games.close();
    // A load replays the game, and has its last record in memory.
    let games = open(dir.path());
    step::replayed::take(id);
    let again = games.abandon(id, abandonment("gone")).await.unwrap();
    assert_eq!((again.position.head_hash(), step::replayed::take(id)), (gone.position.head_hash(), records + 1));
    assert_eq!(games.act(id, request(7)).await.unwrap().response(), first[7]);
    assert_eq!(step::replayed::take(id), records + 1);
    games.close();
}

/// What lies behind a record is no matter to whoever asks for it again.
#[tokio::test]
async fn damage_behind_a_record_does_not_keep_its_first_answer_back() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let mut first = Vec::new();
    for at in 0..4 {
        let position = games.live(id).await.unwrap().durable();
        let request = ActRequest { request_id: format!("act-{at}"), ..next_act(&position) };
        first.push(games.act(id, request).await.unwrap().response());
    }
    let mut stored = games.stored(id).await.unwrap();
    let mut bytes = stored.records[4].bytes.to_vec();
    *bytes.last_mut().unwrap() ^= 1;
    stored.records[4].bytes = bytes.into();
    let answers = super::super::accepted::FirstAnswers::default();
    for (sequence, wanted) in [(2, Some(1)), (4, None), (0, None)] {
        let found = answers.find(id, &stored, divelog_ledger::Sequence::new(sequence));
        assert_eq!(found.is_ok(), wanted.is_some(), "{sequence}: {found:?}");
        if let (Ok(found), Some(wanted)) = (found, wanted) {
            assert_eq!(Accepted::Before(found).response(), first[wanted]);
        }
    }
    games.close();
}

#[tokio::test]
async fn refused_requests_are_kept_with_what_they_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let position = games.live(id).await.unwrap().durable();
    let act = || next_act(&position);
    let stale = ActRequest { expected_revision: Some(Revision::new(7)), request_id: "stale".into(), ..act() };
    let refused = games.act(id, stale).await;
    assert!(matches!(refused, Err(Error::Stale { expected, actual: Revision::BEGUN }) if expected.get() == 7));
    // Another seat of the three, whoever begins.
    let wrong_seat = ActRequest { seat: (act().seat + 1) % 3, request_id: "seat".into(), ..act() };
    assert!(matches!(games.act(id, wrong_seat).await, Err(Error::Refused(_))));
    let gone = AbandonRequest { expected_revision: Some(Revision::new(3)), ..abandonment("gone") };
    assert!(matches!(games.abandon(id, gone).await, Err(Error::Stale { .. })));
    let pb::ListRefusalsResponse { refusals: kept, dropped, .. } = games.refusals(id).await.unwrap();
    let ids: Vec<&str> = kept.iter().map(|refusal| refusal.request_id.as_str()).collect();
    assert_eq!((ids, dropped), (vec!["gone", "seat", "stale"], 0), "newest first");
    assert_eq!((kept[2].reason.as_str(), kept[2].revision), ("STALE_REVISION", 1));
    assert!(kept[1].action.is_some() && kept[0].action.is_none());
    assert_eq!(kept.iter().map(|kept| kept.abandonment).collect::<Vec<_>>(), [true, false, false]);
}

/// Whether the first use is in memory or in the log only, and whatever asks for it again.
#[tokio::test]
async fn a_request_id_that_was_used_for_another_request_is_kept_as_refused() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "made")).await.unwrap().header().game_id;
    for at in 0..3 {
        let position = games.live(id).await.unwrap().durable();
        games.act(id, ActRequest { request_id: format!("act-{at}"), ..next_act(&position) }).await.unwrap();
    }
    let position = games.live(id).await.unwrap().durable();
    let other = |request_id: &str| ActRequest { request_id: request_id.into(), seat: 77, ..next_act(&position) };
    for used in ["act-2", "act-0", "made"] {
        assert!(matches!(games.act(id, other(used)).await, Err(Error::RequestIdReused(_))), "{used}");
        // The same answer, and not kept, by the server's own copying.
        let copying = ActRequest { copies: true, ..other(used) };
        assert!(matches!(games.act(id, copying).await, Err(Error::RequestIdReused(_))), "{used}");
    }
    assert!(matches!(games.abandon(id, abandonment("act-1")).await, Err(Error::RequestIdReused(_))));
    let kept = games.refusals(id).await.unwrap().refusals;
    let shown: Vec<_> = kept.iter().map(|kept| (kept.request_id.as_str(), kept.seat, kept.abandonment)).collect();
    assert_eq!(shown, [("act-1", 0, true), ("made", 77, false), ("act-0", 77, false), ("act-2", 77, false)]);
    for kept in &kept {
        assert_eq!((kept.rule.as_str(), kept.reason.as_str(), kept.revision), ("", "REQUEST_ID_REUSED", 4));
        assert!(kept.sentence.contains("was used for another request"), "{kept:?}");
    }
}

#[tokio::test]
async fn a_promise_is_of_this_run_and_this_commitment() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let (one, other) = (games.prepare(), games.prepare());
    assert_ne!(one.game_id, other.game_id);
    let mixed = Prepared { game_id: one.game_id, seed_commitment: other.seed_commitment };
    let answer = games.create(CreateRequest { prepared: Some(mixed), ..creation(3, "") }).await;
    assert!(matches!(answer, Err(Error::NotPrepared(id)) if id == one.game_id), "{answer:?}");
    let request = CreateRequest { prepared: Some(one), ..creation(3, "") };
    games.check_creation(request.clone()).await.unwrap();
    assert!(listed(&games, ListFilter::default()).await.is_empty(), "a check creates nothing");
    let game = games.create(request).await.unwrap();
    assert_eq!((game.header().game_id, game.header().seed_commitment), (one.game_id, one.seed_commitment));
}

#[tokio::test]
async fn a_game_that_nobody_holds_is_evicted_and_loaded_again_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let games = open_with(dir.path(), 1);
    let one = games.create(creation(3, "")).await.unwrap().header().game_id;
    let position = play(&games, one, 4).await;
    let other = games.create(creation(3, "")).await.unwrap().header().game_id;
    games.live(other).await.unwrap();
    assert!(games.in_memory(one).is_none() && games.in_memory(other).is_some());
    let again = games.live(one).await.unwrap().durable();
    assert_eq!((again.revision().get(), again.head_hash()), (5, position.head_hash()));
}

#[tokio::test]
async fn a_claim_has_one_holder_and_the_next_one_gets_it_when_it_is_dropped() {
    let (claims, game, other) = (Claims::default(), GameId([1; 16]), GameId([2; 16]));
    let first = claims.try_claim(game).unwrap();
    assert!(claims.try_claim(game).is_none() && claims.clone().try_claim(game).is_none());
    assert!(claims.try_claim(other).is_some());
    let mut second = pin!(claims.claim(game));
    let mut third = Box::pin(claims.claim(game));
    let waits = poll_fn(|context| {
        Poll::Ready((second.as_mut().poll(context).is_pending(), third.as_mut().poll(context).is_pending()))
    });
    assert_eq!(waits.await, (true, true));
    // One who goes away while it waits takes nothing with it.
    drop(third);
    drop(first);
    let held = in_time(second).await;
    assert!(claims.try_claim(game).is_none());
    drop(held);
    assert!(claims.try_claim(game).is_some());
}

#[tokio::test]
async fn a_request_that_is_not_shown_to_its_game_is_refused_after_those_before() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let live = games.live(id).await.unwrap();
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let reply = |name: &'static str| -> Reply {
        let order = Arc::clone(&order);
        Box::new(move |_| order.lock().unwrap().push(name))
    };
    assert!(matches!(games.submit_to(&live, next_act(&live.durable()), reply("act")), Submitted::Taken));
    games.refuse(id, Error::invalid("field", "wrong"), reply("refused"));
    let last = submit(&games, &live, next_act(&live.tip()));
    in_time(last).await.unwrap().unwrap();
    assert_eq!(*order.lock().unwrap(), ["act", "refused"]);
    // Of a game that is not in memory nothing is on its way.
    games.refuse(GameId([9; 16]), Error::invalid("field", "wrong"), reply("unknown"));
    assert_eq!(order.lock().unwrap().last(), Some(&"unknown"));
}
