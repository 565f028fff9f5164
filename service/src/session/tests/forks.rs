//! Forks that are asked for at once, cut short, abandoned, or whose source is gone.

use divelog_ledger::Status;

use super::super::creation::Plan;
use super::*;

pub fn fork(game_id: GameId, at_revision: u64, request_id: &str) -> ForkRequest {
    let at_revision = Some(Revision::new(at_revision)).filter(|revision| *revision != Revision::NONE);
    ForkRequest { game_id, at_revision, same_seed: true, labels: BTreeMap::new(), request_id: request_id.to_owned() }
}

/// Record 0 of a fork of `position`, and nothing of its past: as a crash leaves it.
async fn cut_short(games: &Games, position: &Position, request_id: &str) -> GameId {
    let header = position.header();
    let plan = Plan {
        options: convert::options_from_proto(Some(&header.options)).unwrap(),
        rules_version: header.rules_version,
        players: header.players.clone(),
        labels: header.labels.clone(),
        request_id: request_id.to_owned(),
        fork: Some(position.fork_point(true)),
        request: pb::CreationRequest { at_revision: position.revision().get(), ..Default::default() },
    };
    games.create_new(plan, games.shared.runtime.new_id(), None, None).await.unwrap().header().game_id
}

fn abandonment() -> AbandonRequest {
    AbandonRequest {
        reason: String::new(),
        expected_revision: None,
        request_id: String::new(),
        caller: None,
        never_complete: false,
    }
}

#[tokio::test]
async fn equal_forks_at_once_are_one_fork_also_at_the_newest_revision() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let source = games.create(creation(3, "")).await.unwrap().header().game_id;
    play(&games, source, 10).await;
    // The source goes on between them, so "the newest" is another revision for each.
    let (one, _, two, three) = tokio::join!(
        games.fork(fork(source, 0, "fork")),
        play(&games, source, 5),
        games.fork(fork(source, 0, "fork")),
        games.fork(fork(source, 0, "fork")),
    );
    let (one, two, three) = (one.unwrap(), two.unwrap(), three.unwrap());
    assert_eq!((one.head_hash(), one.head_hash()), (two.head_hash(), three.head_hash()));
    play(&games, source, 1).await;
    assert_eq!(games.fork(fork(source, 0, "fork")).await.unwrap().head_hash(), one.head_hash());
    expect_sound(&games, one.header().game_id, one.revision().next_record().index()).await;
}

#[tokio::test]
async fn another_fork_under_the_same_id_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let source = games.create(creation(3, "")).await.unwrap().header().game_id;
    let newest = play(&games, source, 4).await.revision().get();
    let labelled = |request: ForkRequest| ForkRequest { labels: [("k".into(), "v".into())].into(), ..request };
    for (first, others) in [
        (fork(source, 0, "a"), [fork(source, newest, "a"), labelled(fork(source, 0, "a")), fork(source, 2, "a")]),
        (fork(source, newest, "b"), [fork(source, 0, "b"), labelled(fork(source, newest, "b")), fork(source, 2, "b")]),
        (
            labelled(fork(source, 2, "c")),
            [
                fork(source, 2, "c"),
                fork(source, 0, "c"),
                ForkRequest { same_seed: false, ..labelled(fork(source, 2, "c")) },
            ],
        ),
    ] {
        let made = games.fork(first.clone()).await.unwrap();
        for other in others {
            let answer = games.fork(other).await;
            assert!(matches!(answer, Err(Error::RequestIdReused(_))), "{answer:?}");
        }
        assert_eq!(games.fork(first).await.unwrap().head_hash(), made.head_hash());
    }
}

#[tokio::test]
async fn a_fork_cut_short_takes_nothing_before_it_is_completed() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let source = games.create(creation(3, "")).await.unwrap().header().game_id;
    let position = play(&games, source, 8).await;
    let unfinished = cut_short(&games, &position, "fork").await;
    let at_start = games.live(unfinished).await.unwrap().durable();
    let acted = games.act(unfinished, next_act(&at_start)).await;
    assert!(
        matches!(acted, Err(Error::ForkIncomplete { revision: Revision::BEGUN, wanted }) if wanted.get() == 9),
        "{acted:?}"
    );
    let abandoned = games.abandon(unfinished, abandonment()).await;
    assert!(matches!(abandoned, Err(Error::ForkIncomplete { .. })), "{abandoned:?}");
    let kept = games.refusals(unfinished).await.unwrap().refusals;
    let kept: Vec<_> = kept.iter().map(|kept| (kept.reason.as_str(), kept.abandonment, kept.revision)).collect();
    assert_eq!(kept, [("FORK_INCOMPLETE", true, 1), ("FORK_INCOMPLETE", false, 1)]);
    let complete = in_time(games.fork(fork(source, 9, "fork"))).await.unwrap();
    assert_eq!((complete.header().game_id, complete.revision().get()), (unfinished, 9));
    games.abandon(unfinished, abandonment()).await.unwrap();
    // What was answered once is answered again.
    assert_eq!(games.fork(fork(source, 9, "fork")).await.unwrap().head_hash(), complete.head_hash());
}

/// Without a request id nobody can ask for the rest: what a crash has cut short can be abandoned, what is at work cannot.
#[tokio::test]
async fn a_fork_without_a_request_id_that_a_crash_has_cut_short_can_be_abandoned() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let source = games.create(creation(3, "")).await.unwrap().header().game_id;
    let position = play(&games, source, 8).await;
    let unfinished = cut_short(&games, &position, "").await;
    let working = games.shared.forks.try_claim(unfinished);
    let refused = games.abandon(unfinished, abandonment()).await;
    assert!(matches!(refused, Err(Error::ForkIncomplete { .. })), "{refused:?}");
    drop(working);
    games.abandon(unfinished, abandonment()).await.unwrap();
    let acted = games.act(unfinished, next_act(&position)).await;
    assert!(matches!(acted, Err(Error::Refused(refused)) if refused.violation.rule == "OVER"));
}

/// A fork is not abandoned while it is copied, whenever that is tried; and one that is answered is whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_that_is_being_copied_is_not_abandoned() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let source = games.create(creation(3, "")).await.unwrap().header().game_id;
    let revision = play(&games, source, 40).await.revision().get();
    for round in 0..20 {
        let request_id = if round % 2 == 0 { String::new() } else { format!("fork-{round}") };
        let forking = tokio::spawn({
            let (games, request) = (games.clone(), fork(source, 0, &request_id));
            async move { games.fork(request).await }
        });
        let found = loop {
            let newest = games.list(None, 1, ListFilter::default()).await.unwrap().entries.remove(0);
            if newest.fork_of == Some(source) && newest.status == Status::Running {
                break newest.id;
            }
            tokio::task::yield_now().await;
        };
        while let Err(error) = games.abandon(found, abandonment()).await {
            assert!(matches!(error, Error::ForkIncomplete { .. }), "{error:?}");
        }
        let fork = forking.await.unwrap().expect("it was not abandoned before it was complete");
        assert_eq!((fork.revision().get(), fork.status()), (revision, Status::Running));
    }
}

/// A restore has cut the source: the rest of the fork's past is nowhere.
#[tokio::test]
async fn a_fork_whose_source_was_cut_says_so_and_can_be_abandoned() {
    let dir = tempfile::tempdir().unwrap();
    let games = open(dir.path());
    let source = games.create(creation(3, "")).await.unwrap().header().game_id;
    play(&games, source, 3).await;
    // The fork names a revision that the source's log does not have.
    let longer = {
        let mut position = games.live(source).await.unwrap().durable();
        for _ in 0..5 {
            let request = next_act(&position);
            let action = convert::action_from_proto(position.kind(), request.action.as_ref()).unwrap();
            // Later than anything that is played here, so that these records are no others' however fast it is.
            let stamp = divelog_ledger::Stamp { time_ms: position.time_ms() + 3_600_000, request_id: "" };
            let seat = divelog_engine::Seat(u8::try_from(request.seat).unwrap());
            position = position.act(seat, &action, stamp).unwrap().position;
        }
        position
    };
    let unfinished = cut_short(&games, &longer, "fork").await;
    let request = fork(source, longer.revision().get(), "fork");
    let damaged = in_time(games.fork(request.clone())).await;
    assert!(
        matches!(damaged, Err(Error::Damaged { game, sequence: Some(at), .. }) if (game, at.get()) == (source, 4)),
        "{damaged:?}"
    );
    let step = games.abandon(unfinished, abandonment()).await.unwrap();
    assert_eq!(step.position.status(), Status::Abandoned);
    let gone = in_time(games.fork(request)).await;
    assert!(
        matches!(gone, Err(Error::ForkAbandoned { revision: Revision::BEGUN, wanted }) if wanted.get() == 9),
        "{gone:?}"
    );
    // The source has the length, and another record there.
    play(&games, source, 5).await;
    let other = cut_short(&games, &longer, "other").await;
    let damaged = in_time(games.fork(ForkRequest { request_id: "other".into(), ..fork(source, 9, "") })).await;
    assert!(
        matches!(damaged, Err(Error::Damaged { game, sequence: Some(at), .. }) if (game, at.get()) == (source, 8)),
        "{damaged:?}"
    );
    games.abandon(other, abandonment()).await.unwrap();
}
