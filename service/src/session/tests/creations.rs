//! Creations under a request id: one at a time, whoever goes away.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use super::*;

/// Begins something, and gives it up at its first wait, as a caller does whose deadline is over.
async fn begin_and_drop<T>(work: impl Future<Output = T>) {
    let mut work = pin!(work);
    poll_fn(|context| {
        assert!(work.as_mut().poll(context).is_pending(), "it was done at once");
        Poll::Ready(())
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_creation_leaves_its_request_id_usable() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    begin_and_drop(games.create(creation(3, "one"))).await;
    let game = in_time(games.create(creation(3, "one"))).await.unwrap();
    let again = in_time(games.create(creation(3, "one"))).await.unwrap();
    assert_eq!(again.head_hash(), game.head_hash());
    assert_eq!(games.list(None, 100, ListFilter::default()).await.unwrap().entries.len(), 1, "and made one game");
}

#[tokio::test]
async fn a_cancelled_fork_leaves_its_request_id_usable() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let source = games.create(creation(3, "")).await.unwrap().header().game_id;
    play(&games, source, 6).await;
    let request = super::forks::fork(source, 0, "fork");
    begin_and_drop(games.fork(request.clone())).await;
    let fork = in_time(games.fork(request.clone())).await.unwrap();
    assert_eq!(fork.revision().get(), 7);
    assert_eq!(in_time(games.fork(request)).await.unwrap().head_hash(), fork.head_hash());
    assert_eq!(games.list(None, 100, ListFilter::default()).await.unwrap().entries.len(), 2, "and made one fork");
}

#[tokio::test]
async fn a_cancelled_creation_of_a_promised_game_leaves_the_promise_usable() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let prepared = games.prepare();
    let refused = CreateRequest { prepared: Some(prepared), ..creation(1, "") };
    assert!(matches!(games.create(refused).await, Err(Error::Refused(_))));
    let request = CreateRequest { prepared: Some(prepared), ..creation(3, "promised") };
    begin_and_drop(games.create(request.clone())).await;
    assert_eq!(in_time(games.create(request)).await.unwrap().header().game_id, prepared.game_id);
}

#[tokio::test]
async fn of_different_creations_under_one_id_each_gets_its_own_answer() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    // The wrong one comes first: it is refused by the rules, and the right one is done.
    let (wrong, right, same) = tokio::join!(
        games.create(creation(1, "one")),
        games.create(creation(3, "one")),
        games.create(creation(3, "one")),
    );
    let refused = |answer: &Result<Position, Error>| matches!(answer, Err(Error::Refused(refused)) if refused.violation.reason == "SEAT_COUNT");
    assert!(refused(&wrong), "{wrong:?}");
    let right = right.unwrap();
    assert_eq!(same.unwrap().head_hash(), right.head_hash());
    // And when it was done long ago: the wrong one is refused, the right one gets its game.
    let (wrong, again) = tokio::join!(games.create(creation(4, "one")), games.create(creation(3, "one")));
    assert!(matches!(wrong, Err(Error::RequestIdReused(_))), "{wrong:?}");
    assert_eq!(again.unwrap().head_hash(), right.head_hash());
    assert_eq!(games.list(None, 100, ListFilter::default()).await.unwrap().entries.len(), 1);
}

#[tokio::test]
async fn a_creation_without_the_promise_is_not_the_one_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let promised = CreateRequest { prepared: Some(games.prepare()), ..creation(3, "one") };
    let game = games.create(promised.clone()).await.unwrap();
    for other in [
        creation(3, "one"),
        CreateRequest { prepared: Some(games.prepare()), ..creation(3, "one") },
        CreateRequest { rules_version: Some(1), ..promised.clone() },
    ] {
        let answer = games.create(other).await;
        assert!(matches!(answer, Err(Error::RequestIdReused(_))), "{answer:?}");
    }
    assert_eq!(games.create(promised).await.unwrap().head_hash(), game.head_hash());
    // The newest version then and the newest version now are the same request, whatever it is called today.
    let plain = games.create(creation(3, "two")).await.unwrap();
    assert_eq!(plain.header().request.as_ref().unwrap().rules_version, 0);
    assert_eq!(games.create(creation(3, "two")).await.unwrap().head_hash(), plain.head_hash());
}

#[tokio::test]
async fn a_promise_is_good_for_one_game_also_for_two_who_come_at_once_and_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let promised = || CreateRequest { prepared: Some(games.prepare()), ..creation(3, "") };
    for _ in 0..20 {
        let request = promised();
        let (one, other) = tokio::join!(games.create(request.clone()), games.create(request));
        let (done, refused) = if one.is_ok() { (one, other) } else { (other, one) };
        let id = done.unwrap().header().game_id;
        assert!(matches!(refused, Err(Error::AlreadyPrepared(game)) if game == id), "{refused:?}");
    }
    // Somebody else is at it and makes no game in the end: that is waited for, and not called a game.
    let request = promised();
    let claim = games.shared.promised.try_claim(request.prepared.unwrap().game_id).unwrap();
    let waiting = tokio::spawn({
        let (games, request) = (games.clone(), request.clone());
        async move { games.create(request).await }
    });
    for _ in 0..100 {
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished(), "it waits");
    }
    drop(claim);
    in_time(waiting).await.unwrap().unwrap();
    let unknown = CreateRequest { prepared: Some(games.prepare()), ..creation(3, "") };
    games.close();
    let games = open(dir.path());
    assert!(matches!(games.create(request.clone()).await, Err(Error::AlreadyPrepared(_))));
    assert!(matches!(games.check_creation(request).await, Err(Error::AlreadyPrepared(_))));
    assert!(matches!(games.create(unknown).await, Err(Error::NotPrepared(_))));
}

#[tokio::test]
async fn a_creation_id_is_shared_by_games_and_forks() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let source = games.create(creation(3, "")).await.unwrap().header().game_id;
    play(&games, source, 2).await;
    let (game, fork) = tokio::join!(games.create(creation(3, "one")), games.fork(super::forks::fork(source, 2, "one")));
    assert!(game.is_ok() && matches!(fork, Err(Error::RequestIdReused(_))), "{game:?} {fork:?}");
}

/// What the store shows, the game shows too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_read_the_store_is_not_told_less_by_the_game() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let player = tokio::spawn({
        let games = games.clone();
        async move { play(&games, id, 60).await }
    });
    while !player.is_finished() {
        let seen = games.list(None, 1, ListFilter::default()).await.unwrap().entries[0].revision;
        assert!(games.live(id).await.unwrap().durable().revision() >= seen);
        let seen = games.stored(id).await.unwrap().records.len() as u64;
        assert!(games.live(id).await.unwrap().durable().revision().get() >= seen);
    }
    player.await.unwrap();
}

/// Earlier versions took such names: their games are still played, replayed, forked and found.
#[tokio::test]
async fn names_that_are_not_taken_any_more_stay_readable() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let (name, label) = ("\x1b[31mEve\u{202e}", "line\u{2028}");
    let mut request = creation(2, "old");
    request.players[0].name = name.to_owned();
    request.labels = [(label.to_owned(), label.to_owned())].into();
    let id = games.create(request).await.unwrap().header().game_id;
    play(&games, id, 3).await;
    let steps = games.steps(id, Revision::BEGUN, usize::MAX).await.unwrap();
    assert_eq!((steps.len(), steps[0].position.header().players[0].name.as_str()), (4, name));
    let fork = games.fork(super::forks::fork(id, 2, "fork")).await.unwrap();
    assert_eq!(fork.header().labels[label], label);
    let filter = ListFilter { labels: [(label.to_owned(), label.to_owned())].into(), ..ListFilter::default() };
    assert_eq!(games.list(None, 100, filter).await.unwrap().entries.len(), 2);
}
