//! A game is in memory once; and if it ever were not, the log would take one history only.

use super::super::cache::{Cache, Slot};
use super::super::runtime::{LastPlay, TokioRuntime};
use super::*;

/// A copy of a game as a load makes it.
fn load(games: &Games, id: GameId) -> Arc<LiveGame> {
    Arc::new(super::super::loading::load(&games.shared.reader, games.shared.fan_out.clone(), id).unwrap())
}

/// The order that destroyed logs: the newer copy writes record 1, an older one sends 1 and 2 in one go. The first of them
/// is refused by its number; the second has the right number, and continues a record that is not in the log.
#[tokio::test]
async fn of_two_copies_the_older_one_is_refused_and_the_log_stays_sound() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let newer = games.live(id).await.unwrap();
    let older = load(&games, id);
    let named = ActRequest { request_id: "another record".to_owned(), ..next_act(&newer.durable()) };
    let done = submit(&games, &newer, named);
    let first = submit(&games, &older, next_act(&older.durable()));
    let second = {
        let tip = older.tip();
        assert_eq!(tip.revision().get(), 2, "the second is computed on top of the first");
        submit(&games, &older, next_act(&tip))
    };
    assert_eq!(in_time(done).await.unwrap().unwrap().revision().get(), 2);
    for refused in [first, second] {
        let answer = in_time(refused).await.unwrap();
        assert!(matches!(answer, Err(Error::Conflict(game)) if game == id), "{answer:?}");
    }
    assert!(older.is_retired() && !newer.is_retired());
    assert!(Arc::ptr_eq(&games.live(id).await.unwrap(), &newer));
    expect_sound(&games, id, 2).await;
    play(&games, id, 3).await;
    expect_sound(&games, id, 5).await;
}

/// If both copies write the same bytes, the older one's next record continues the log: then it is not called refused.
#[tokio::test]
async fn what_is_in_the_log_is_not_answered_as_refused() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let (newer, older) = (games.live(id).await.unwrap(), load(&games, id));
    let same = |live: &Arc<LiveGame>| {
        let (reply, answer) = super::super::games::reply_once();
        // The same time, too.
        assert!(matches!(live.act(next_act(&live.tip()), 1, &games.shared.appends, reply), Submitted::Taken));
        answer
    };
    let (done, first, second) = (same(&newer), same(&older), same(&older));
    assert_eq!(in_time(done).await.unwrap().unwrap().revision().get(), 2);
    assert!(matches!(in_time(first).await.unwrap(), Err(Error::Conflict(_))));
    assert_eq!(in_time(second).await.unwrap().unwrap().revision().get(), 3);
    expect_sound(&games, id, 3).await;
}

/// A copy that the log went on without is not asked again.
#[tokio::test]
async fn a_superseded_copy_is_replaced_by_what_the_log_says() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let cached = games.live(id).await.unwrap();
    let foreign = load(&games, id);
    let mut news = cached.follow();
    news.mark_unchanged();
    in_time(submit(&games, &foreign, next_act(&foreign.durable()))).await.unwrap().unwrap();
    let refused = in_time(submit(&games, &cached, next_act(&cached.durable()))).await.unwrap();
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    in_time(news.changed()).await;
    assert_eq!(games.live(id).await.unwrap().durable().revision().get(), 2);
    play(&games, id, 2).await;
    expect_sound(&games, id, 4).await;
}

/// Whoever loads a game between its record's sync and the answer to its creation keeps the copy that they have.
#[tokio::test]
async fn a_creation_fills_the_place_that_a_load_has_filled() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let cache = Cache::new(10);
    let (loaded, created) = (load(&games, id), load(&games, id));
    assert!(cache.slot(id).set(Arc::clone(&loaded)).is_ok());
    cache.created(created);
    assert!(Arc::ptr_eq(&cache.get(id).unwrap(), &loaded));
}

/// The same, while the load is still under way: what it brings is not used, and there is one copy.
#[tokio::test]
async fn a_creation_comes_before_a_load_that_is_under_way() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let cache = Cache::new(10);
    let (loaded, created) = (load(&games, id), load(&games, id));
    let slot = cache.slot(id);
    cache.created(Arc::clone(&created));
    assert!(slot.set(loaded).is_err());
    assert!(Arc::ptr_eq(&cache.get(id).unwrap(), &created));
}

/// With room for one, a game that somebody holds stays where it is found; one that nobody holds goes.
#[tokio::test]
async fn a_game_that_somebody_holds_is_not_evicted() {
    let dir = tempfile::tempdir().unwrap();
    let games = open_with(dir.path(), 1);
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(games.create(creation(3, "")).await.unwrap().header().game_id);
    }
    let held = games.live(ids[0]).await.unwrap();
    let loose = Arc::downgrade(&games.live(ids[1]).await.unwrap());
    for id in &ids[2..] {
        games.live(*id).await.unwrap();
    }
    assert!(Arc::ptr_eq(&held, &games.live(ids[0]).await.unwrap()));
    assert!(loose.upgrade().is_none(), "the cache is bounded");
}

/// Two wait for one place; the load of the first fails. The second one's copy must be the one that others find.
#[tokio::test]
async fn a_failed_load_does_not_take_the_place_from_somebody_who_waits_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let cache = Cache::new(10);
    let (one, other) = (cache.slot(id), cache.slot(id));
    cache.forget(id, &one);
    let copy = load(&games, id);
    assert!(other.set(Arc::clone(&copy)).is_ok());
    assert!(cache.get(id).is_some_and(|found| Arc::ptr_eq(&found, &copy)));
    drop((one, other));
    // And a place that nobody waits for goes.
    let unknown = GameId([9; 16]);
    let slot: Arc<Slot> = cache.slot(unknown);
    cache.forget(unknown, &slot);
    assert!(!Arc::ptr_eq(&slot, &cache.slot(unknown)));
}

/// Records 1 and 2 are on their way; 1 is not written. What is sent then must not be taken for 2.
#[tokio::test]
async fn a_failed_record_is_answered_alone_and_its_copy_takes_nothing_any_more() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    // What became of these records is said by hand.
    let other = tempfile::tempdir().unwrap();
    let silent = Silent::open(other.path());
    let live = load(&games, id);
    let send = || {
        let (reply, answer) = super::super::games::reply_once();
        assert!(matches!(live.act(next_act(&live.tip()), 0, &silent.appends, reply), Submitted::Taken));
        (answer, live.pending_steps().pop())
    };
    let conflict =
        |answer: &mut oneshot::Receiver<ActionResult>| matches!(answer.try_recv(), Ok(Err(Error::Conflict(_))));
    let ((mut zeroth, step_0), (mut first, step_1), (mut second, step_2)) = (send(), send(), send());
    // A record that fails alone is answered by the writer before the rest of its group.
    live.failed(&step_1.unwrap(), &Error::Conflict(id));
    assert!(first.try_recv().is_err() && second.try_recv().is_err(), "answers come in the order of the requests");
    let (mut late, _) = send();
    assert!(late.try_recv().is_err() && live.pending_steps().len() == 2, "nothing is computed on top of it any more");
    live.advanced(&step_0.unwrap());
    assert_eq!(zeroth.try_recv().unwrap().unwrap().revision().get(), 2);
    assert!(conflict(&mut first) && second.try_recv().is_err() && late.try_recv().is_err());
    live.failed(&step_2.unwrap(), &Error::Conflict(id));
    assert!(conflict(&mut second) && conflict(&mut late));
    assert_eq!((live.durable().revision().get(), live.pending_steps().len()), (2, 0));
}

/// Records 0, 1 and 2 are on their way, and 1's request is repeated: that answer waits behind 2. Then 1 and 2 fail.
#[tokio::test]
async fn a_repeated_request_is_not_answered_by_a_record_that_was_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let other = tempfile::tempdir().unwrap();
    let silent = Silent::open(other.path());
    let live = load(&games, id);
    let send = |request: ActRequest| {
        let (reply, answer) = super::super::games::reply_once();
        assert!(matches!(live.act(request, 0, &silent.appends, reply), Submitted::Taken));
        answer
    };
    send(next_act(&live.tip()));
    let named = || ActRequest { request_id: "named".into(), ..next_act(&live.tip()) };
    let request = named();
    let again = ActRequest { action: request.action.clone(), seat: request.seat, ..named() };
    send(request);
    send(next_act(&live.tip()));
    let mut repeated = send(again);
    let steps = live.pending_steps();
    live.failed(&steps[1], &Error::Conflict(id));
    live.failed(&steps[2], &Error::Conflict(id));
    live.advanced(&steps[0]);
    assert!(matches!(repeated.try_recv(), Ok(Err(Error::Conflict(_)))), "its record is not in the log");
}

/// A request is done. A later record of the same copy is refused alone, another one is still on its way: the copy takes nothing
/// any more, and the request is repeated.
#[tokio::test]
async fn a_copy_that_takes_nothing_any_more_still_knows_what_was_done() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let id = games.create(creation(3, "")).await.unwrap().header().game_id;
    let other = tempfile::tempdir().unwrap();
    let silent = Silent::open(other.path());
    let live = load(&games, id);
    let submit = |request: ActRequest| {
        let (reply, answer) = super::super::games::reply_once();
        (live.act(request, 0, &silent.appends, reply), answer)
    };
    let same = |request: &ActRequest| ActRequest {
        action: request.action.clone(),
        request_id: request.request_id.clone(),
        caller: None,
        ..*request
    };
    let named = ActRequest { request_id: "named".into(), ..next_act(&live.tip()) };
    submit(same(&named));
    let newer = ActRequest { request_id: "newer".into(), ..next_act(&live.tip()) };
    submit(same(&newer));
    let refused = ActRequest { request_id: "refused".into(), ..next_act(&live.tip()) };
    submit(same(&refused));
    submit(next_act(&live.tip()));
    let steps = live.pending_steps();
    live.advanced(&steps[0]);
    live.advanced(&steps[1]);
    live.failed(&steps[2], &Error::Conflict(id));
    assert!(matches!(submit(named).0, Submitted::Repeated { .. }), "it is in the log");
    let (_, mut newest) = submit(newer);
    assert!(newest.try_recv().is_err(), "after those to what was asked before");
    let (submitted, mut answer) = submit(refused);
    assert!(matches!(submitted, Submitted::Taken));
    live.failed(&steps[3], &Error::Conflict(id));
    assert!(matches!(answer.try_recv(), Ok(Err(Error::Conflict(_)))), "its record is not in the log");
    assert!(matches!(newest.try_recv(), Ok(Ok(Accepted::Done(step))) if step.position.revision().get() == 3));
}

/// A way to a writer whose answers nobody hears.
pub struct Silent {
    pub appends: super::super::commit::AppendHandle,
    _store: crate::store::Store,
}

impl Silent {
    pub fn open(dir: &Path) -> Silent {
        let options = store::Options {
            dir: dir.to_path_buf(),
            describe,
            queue: 1_000,
            cache_bytes: 1 << 20,
            journal_bytes: 0,
            accept_loss: false,
        };
        let (store, writer) = store::open(options, |_, _| {}).unwrap();
        Silent {
            appends: super::super::commit::AppendHandle::new(writer, &TokioRuntime::new(&LastPlay::new()).unwrap()),
            _store: store,
        }
    }
}
