//! One live game: the order of answers, repeated requests, what is on its way, those who watch.

use divelog_ledger::Status;

use super::super::commit::AppendHandle;
use super::*;

/// A game whose records go nowhere until the test says so.
struct Held {
    live: Arc<LiveGame>,
    silent: super::copies::Silent,
    answers: std::sync::mpsc::Receiver<(&'static str, ActionResult)>,
    sender: std::sync::mpsc::Sender<(&'static str, ActionResult)>,
    _dirs: [tempfile::TempDir; 2],
}

impl Held {
    async fn new() -> Held {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let games = open(dirs[0].path());
        let id = games.create(creation(3, "")).await.unwrap().header().game_id;
        let live =
            Arc::new(super::super::loading::load(&games.shared.reader, games.shared.fan_out.clone(), id).unwrap());
        let (sender, answers) = std::sync::mpsc::channel();
        Held { live, silent: super::copies::Silent::open(dirs[1].path()), answers, sender, _dirs: dirs }
    }

    fn appends(&self) -> &AppendHandle {
        &self.silent.appends
    }

    fn reply(&self, name: &'static str) -> Reply {
        let sender = self.sender.clone();
        Box::new(move |answer| sender.send((name, answer)).unwrap())
    }

    fn act(&self, name: &'static str, request: ActRequest) {
        let submitted = self.live.act(request, 0, self.appends(), self.reply(name));
        assert!(matches!(submitted, Submitted::Taken));
    }

    fn next(&self, request_id: &str) -> ActRequest {
        ActRequest { request_id: request_id.to_owned(), ..next_act(&self.live.tip()) }
    }

    fn abandon(&self, name: &'static str, request_id: &str) {
        let request = AbandonRequest {
            reason: "enough".into(),
            expected_revision: None,
            request_id: request_id.into(),
            caller: None,
            never_complete: false,
        };
        self.live.abandon(request, 0, self.appends(), self.reply(name));
    }

    /// The oldest record on its way is on disk.
    fn written(&self) {
        let step = self.live.pending_steps().remove(0);
        self.live.advanced(&step);
    }

    fn answered(&self) -> Vec<&'static str> {
        self.answers.try_iter().map(|(name, _)| name).collect()
    }
}

/// The same request again, as a caller sends it who has not heard.
fn again(request: &ActRequest) -> ActRequest {
    ActRequest {
        seat: request.seat,
        action: request.action.clone(),
        expected_revision: request.expected_revision,
        request_id: request.request_id.clone(),
        caller: None,
        copies: false,
    }
}

#[tokio::test]
async fn answers_come_in_the_order_of_the_requests_whatever_they_are() {
    let held = Held::new().await;
    let first = held.next("first");
    let repeated = again(&first);
    held.act("first", first);
    held.act("refused", ActRequest { seat: 99, ..held.next("") });
    held.act("repeated", repeated);
    held.act("second", held.next(""));
    held.act("stale", ActRequest { expected_revision: Some(Revision::BEGUN), ..held.next("") });
    assert!(held.answered().is_empty(), "nothing is on disk");
    held.written();
    assert_eq!(held.answered(), ["first", "refused", "repeated"]);
    held.written();
    assert_eq!(held.answered(), ["second", "stale"]);
    held.act("at once", ActRequest { seat: 99, ..held.next("") });
    assert_eq!(held.answered(), ["at once"], "nothing is on its way");
}

#[tokio::test]
async fn nobody_is_shown_what_is_on_its_way() {
    let held = Held::new().await;
    let mut news = held.live.follow();
    news.mark_unchanged();
    held.act("one", held.next(""));
    assert_eq!((held.live.durable().revision().get(), held.live.tip().revision().get()), (1, 2));
    assert!(!news.has_changed());
    assert!(matches!(held.live.after(Revision::new(1)), WatchNext::UpToDate { over: false }));
    held.written();
    assert_eq!(held.live.durable().revision().get(), 2);
    assert!(news.has_changed());
}

#[tokio::test]
async fn a_request_is_repeated_from_memory_while_it_is_on_its_way_and_from_the_log_later() {
    let held = Held::new().await;
    let request = held.next("id");
    let (same, later) = (again(&request), again(&request));
    held.act("first", request);
    held.act("other", ActRequest { seat: same.seat + 1, ..again(&same) });
    held.act("same", same);
    held.written();
    let answers: Vec<_> = held.answers.try_iter().collect();
    let [
        ("first", Ok(Accepted::Done(first))),
        ("other", Err(Error::RequestIdReused(id))),
        ("same", Ok(Accepted::Done(same))),
    ] = &answers[..]
    else {
        panic!("{answers:?}")
    };
    assert!(Arc::ptr_eq(first, same));
    assert_eq!(id, "id");
    held.act("newest", again(&later));
    let newest = held.answers.try_recv().unwrap();
    assert!(matches!(&newest, ("newest", Ok(Accepted::Done(step))) if Arc::ptr_eq(first, step)), "{newest:?}");
    held.act("next", held.next(""));
    held.written();
    let submitted = held.live.act(later, 0, held.appends(), held.reply("later"));
    assert!(
        matches!(submitted, Submitted::Repeated { sequence, .. } if sequence.get() == 1),
        "its record is in the log"
    );
}

#[tokio::test]
async fn an_abandoned_game_takes_nothing_and_its_abandonment_is_repeated() {
    let held = Held::new().await;
    held.act("act", held.next(""));
    let late = held.next("");
    held.abandon("abandon", "bye");
    held.act("late", late);
    held.abandon("again", "bye");
    held.abandon("other", "");
    held.written();
    held.written();
    let answers: Vec<_> = held.answers.try_iter().collect();
    let names: Vec<_> = answers.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["act", "abandon", "late", "again", "other"]);
    let over =
        |answer: &ActionResult| matches!(answer, Err(Error::Refused(refused)) if refused.violation.rule == "OVER");
    let Ok(Accepted::Done(abandoned)) = &answers[1].1 else { panic!("{answers:?}") };
    assert_eq!(abandoned.position.status(), Status::Abandoned);
    assert!(over(&answers[2].1) && over(&answers[4].1), "{answers:?}");
    assert_eq!(answers[3].1.as_ref().unwrap().revision().get(), 3);
    assert!(matches!(held.live.after(Revision::new(3)), WatchNext::UpToDate { over: true }));
}

#[tokio::test]
async fn watchers_get_the_newest_steps_from_memory_and_older_ones_from_the_log() {
    let held = Held::new().await;
    held.act("unseen", held.next(""));
    held.written();
    assert!(matches!(held.live.after(Revision::new(1)), WatchNext::ReadLog), "nobody followed when it was written");
    let _follower = held.live.follow();
    for _ in 0..10 {
        held.act("seen", held.next(""));
        held.written();
    }
    assert_eq!(held.live.durable().revision().get(), 12);
    assert!(matches!(held.live.after(Revision::new(3)), WatchNext::ReadLog), "eight are kept");
    for revision in (4..12).map(Revision::new) {
        let WatchNext::Step(step) = held.live.after(revision) else { panic!("{revision} is kept") };
        assert_eq!(step.position.last_record(), revision.next_record());
    }
    assert!(matches!(held.live.after(Revision::new(12)), WatchNext::UpToDate { over: false }));
}

#[tokio::test]
async fn a_retired_copy_wakes_those_who_follow_and_answers_nothing_but_conflict() {
    let held = Held::new().await;
    let mut news = held.live.follow();
    news.mark_unchanged();
    held.act("fails", held.next(""));
    let step = held.live.pending_steps().remove(0);
    assert!(!held.live.is_done());
    held.live.failed(&step, &Error::Conflict(held.live.id()));
    assert!(held.live.is_done() && !held.live.is_retired());
    held.live.retire();
    assert!(held.live.is_retired() && news.has_changed());
    held.act("late", held.next("late"));
    held.abandon("abandon", "");
    let answers: Vec<_> = held.answers.try_iter().collect();
    assert_eq!(answers.len(), 3);
    assert!(answers.iter().all(|(_, answer)| matches!(answer, Err(Error::Conflict(_)))), "{answers:?}");
}

#[tokio::test]
async fn a_check_judges_by_what_is_on_disk_and_changes_nothing() {
    let held = Held::new().await;
    let request = held.next("");
    held.act("act", again(&request));
    assert_eq!(held.live.check(&request).unwrap(), Revision::BEGUN, "the action is not on disk yet");
    assert!(matches!(
        held.live.check(&ActRequest { expected_revision: Some(Revision::new(2)), ..again(&request) }),
        Err(Error::Stale { expected, actual: Revision::BEGUN }) if expected.get() == 2
    ));
    assert!(matches!(
        held.live.check(&ActRequest { seat: 99, ..again(&request) }),
        Err(Error::Refused(refused)) if refused.violation.rule == "TURN"
    ));
    assert_eq!(held.live.pending_steps().len(), 1);
}

/// A dry run in order is judged behind what is on its way, and answered after it.
#[tokio::test]
async fn a_check_in_order_is_judged_and_answered_behind_what_was_asked_before() {
    let held = Held::new().await;
    let request = held.next("");
    held.live.check_in_order(&request, held.reply("before"));
    held.act("act", again(&request));
    let next = held.next("");
    held.live.check_in_order(&next, held.reply("valid"));
    held.live.check_in_order(&ActRequest { seat: 99, ..again(&next) }, held.reply("refused"));
    held.act("last", next);
    let before = held.answers.try_iter().collect::<Vec<_>>();
    assert!(matches!(before[..], [("before", Ok(Accepted::Valid(Revision::BEGUN)))]), "{before:?}");
    held.written();
    let answers = held.answers.try_iter().collect::<Vec<_>>();
    let [("act", Ok(Accepted::Done(_))), ("valid", Ok(Accepted::Valid(at))), ("refused", Err(Error::Refused(refused)))] =
        &answers[..]
    else {
        panic!("{answers:?}")
    };
    assert_eq!((at.get(), refused.revision.get()), (2, 2));
    // What rests on a record that is not written is not valid.
    held.live.check_in_order(&held.next(""), held.reply("lost"));
    let step = held.live.pending_steps().remove(0);
    held.live.failed(&step, &Error::Conflict(held.live.id()));
    held.live.check_in_order(&held.next(""), held.reply("late"));
    let answers = held.answers.try_iter().collect::<Vec<_>>();
    let names: Vec<_> = answers.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["last", "lost", "late"]);
    assert!(answers.iter().all(|(_, answer)| matches!(answer, Err(Error::Conflict(_)))), "{answers:?}");
    // Nothing of it is kept as a refusal, and nothing was written.
    assert_eq!(held.live.durable().revision().get(), 2);
}
