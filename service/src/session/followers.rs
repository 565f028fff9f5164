//! Who follows a game, and how they learn that it has gone on.
//!
//! A game may have ten thousand followers. All of them in one go would keep the thread that serves calls from everybody else
//! for as long as ten thousand answers take, so they are woken a few at a time, with everything else that is ready in
//! between; several games take turns. What a follower is woken by is a number that has changed, not a message: whoever is
//! woken late, or once for three changes, finds everything in the game.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use tokio::sync::Notify;

use crate::lock::lock;

/// How many followers are woken before others have their turn. Fewer in tests, so that the simulation has several turns.
const PORTION: usize = if cfg!(test) { 2 } else { 8 };

/// The followers of one game.
#[derive(Default)]
pub(super) struct Followers {
    /// Changes with everything that followers should look at.
    version: AtomicU64,
    list: Mutex<FollowerList>,
}

/// Each follower at its place, and how far they have been woken.
#[derive(Default)]
struct FollowerList {
    states: Vec<FollowerState>,
    free: Vec<usize>,
    /// The next place to be woken, and how many are left of this round.
    next: usize,
    left: usize,
}

enum FollowerState {
    Free,
    /// Its follower runs, or will.
    Awake,
    Asleep(Waker),
}

impl Followers {
    fn list(&self) -> MutexGuard<'_, FollowerList> {
        lock(&self.list)
    }

    /// Whether anybody follows.
    pub fn any(&self) -> bool {
        let list = self.list();
        list.free.len() < list.states.len()
    }

    /// Says that there is something new to everybody who follows: at once to a few, else in turn with everything else.
    pub fn notify(self: &Arc<Self>, fan_out: &FanOut) {
        let wakers = {
            let mut list = self.list();
            // Under the lock: a follower who falls asleep looks at it once more there.
            self.version.fetch_add(1, Ordering::Release);
            let underway = list.left > 0;
            list.left = list.states.len();
            if underway {
                return;
            }
            list.take_portion()
        };
        self.wake(wakers, fan_out);
    }

    /// Wakes the next few.
    fn go_on(self: &Arc<Self>, fan_out: &FanOut) {
        let wakers = self.list().take_portion();
        self.wake(wakers, fan_out);
    }

    fn wake(self: &Arc<Self>, (wakers, more): (Vec<Waker>, bool), fan_out: &FanOut) {
        for waker in wakers {
            waker.wake();
        }
        if more {
            fan_out.add(Arc::clone(self));
        }
    }
}

impl FollowerList {
    /// Those to be woken next, and whether there are more.
    fn take_portion(&mut self) -> (Vec<Waker>, bool) {
        let mut portion = Vec::new();
        while self.left > 0 && portion.len() < PORTION {
            self.left -= 1;
            self.next = if self.next + 1 < self.states.len() { self.next + 1 } else { 0 };
            let Some(place) = self.states.get_mut(self.next) else { continue };
            if let FollowerState::Asleep(_) = place
                && let FollowerState::Asleep(waker) = std::mem::replace(place, FollowerState::Awake)
            {
                portion.push(waker);
            }
        }
        (portion, self.left > 0)
    }
}

/// One follower.
pub struct Follower {
    followers: Arc<Followers>,
    place: usize,
    seen: u64,
}

impl Follower {
    /// Follows from now on.
    pub(super) fn new(followers: &Arc<Followers>) -> Follower {
        let mut list = followers.list();
        let place = match list.free.pop() {
            Some(place) => {
                list.states[place] = FollowerState::Awake;
                place
            }
            None => {
                list.states.push(FollowerState::Awake);
                // The ring of a round that is under way has grown: without this the round would end one place too early.
                list.left += usize::from(list.left > 0);
                list.states.len() - 1
            }
        };
        let seen = followers.version.load(Ordering::Acquire);
        Follower { followers: Arc::clone(followers), place, seen }
    }

    /// Everything up to now is known: what comes from here on ends [`Follower::changed`].
    pub fn mark_unchanged(&mut self) {
        self.seen = self.followers.version.load(Ordering::Acquire);
    }

    #[cfg(test)]
    pub(super) fn has_changed(&self) -> bool {
        self.followers.version.load(Ordering::Acquire) != self.seen
    }

    /// Waits until there is something new.
    pub async fn changed(&mut self) {
        poll_fn(|context| self.poll_changed(context)).await;
    }

    fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut list = self.followers.list();
        let version = self.followers.version.load(Ordering::Acquire);
        if version != self.seen {
            self.seen = version;
            list.states[self.place] = FollowerState::Awake;
            return Poll::Ready(());
        }
        match &mut list.states[self.place] {
            FollowerState::Asleep(waker) => waker.clone_from(context.waker()),
            place => *place = FollowerState::Asleep(context.waker().clone()),
        }
        Poll::Pending
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let mut list = self.followers.list();
        list.states[self.place] = FollowerState::Free;
        if list.free.len() + 1 == list.states.len() {
            // Nobody is left: a game that many have followed once keeps no room for them.
            *list = FollowerList::default();
        } else {
            list.free.push(self.place);
        }
    }
}

/// The games whose followers are still to be woken. A game stands here once, but for one that everybody has left and others
/// have begun to follow before its turn came: then its first turn does what there is to do.
#[derive(Clone, Default)]
pub(super) struct FanOut(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Bounded by the games that are followed.
    games: Mutex<VecDeque<Arc<Followers>>>,
    added: Notify,
}

impl FanOut {
    fn add(&self, followers: Arc<Followers>) {
        lock(&self.0.games).push_back(followers);
        self.0.added.notify_one();
    }

    /// Wakes followers, in a task of its own that does not end.
    pub async fn run(self) {
        loop {
            let next = lock(&self.0.games).pop_front();
            match next {
                Some(followers) => {
                    followers.go_on(&self);
                    tokio::task::yield_now().await;
                }
                None => self.0.added.notified().await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_waker::WakeUps;

    struct Rig {
        followers: Arc<Followers>,
        fan_out: FanOut,
        woken: Arc<WakeUps>,
        all: Vec<Follower>,
    }

    impl Rig {
        fn new(count: usize) -> Rig {
            let followers = Arc::default();
            let all = (0..count).map(|_| Follower::new(&followers)).collect();
            let mut rig = Rig { followers, fan_out: FanOut::default(), woken: Arc::default(), all };
            rig.sleep();
            rig
        }

        /// Lets everybody look around; says how many find something new.
        fn sleep(&mut self) -> usize {
            let waker = Waker::from(Arc::clone(&self.woken));
            let mut context = Context::from_waker(&waker);
            let mut found = 0;
            for follower in &mut self.all {
                while follower.poll_changed(&mut context).is_ready() {
                    found += 1;
                }
            }
            found
        }

        fn woken(&self) -> usize {
            self.woken.count()
        }

        /// One turn of the task.
        fn turn(&self) -> bool {
            let next = lock(&self.fan_out.0.games).pop_front();
            next.inspect(|followers| followers.go_on(&self.fan_out)).is_some()
        }
    }

    #[test]
    fn many_are_woken_a_few_at_a_time_and_everybody_is() {
        let mut rig = Rig::new(3 * PORTION + 1);
        rig.followers.notify(&rig.fan_out);
        assert_eq!(rig.woken(), PORTION);
        assert!(rig.turn());
        assert_eq!(rig.woken(), 2 * PORTION);
        while rig.turn() {}
        assert_eq!(rig.woken(), 3 * PORTION + 1);
        assert_eq!(rig.sleep(), 3 * PORTION + 1);
        assert_eq!(rig.sleep(), 0, "each change once");
    }

    #[test]
    fn what_comes_while_others_are_woken_reaches_everybody() {
        let mut rig = Rig::new(2 * PORTION);
        rig.followers.notify(&rig.fan_out);
        // The first half looks around and sleeps again, before the second half is woken.
        assert_eq!(rig.sleep(), 2 * PORTION, "who looks finds it, woken or not");
        rig.followers.notify(&rig.fan_out);
        while rig.turn() {}
        assert_eq!(rig.sleep(), 2 * PORTION);
        assert_eq!(rig.woken(), PORTION + 2 * PORTION);
        assert!(lock(&rig.fan_out.0.games).is_empty());
    }

    #[test]
    fn who_joins_while_others_are_woken_takes_nobodys_turn() {
        for joined in 1..=3 {
            let rig = Rig::new(4 * PORTION + 1);
            rig.followers.notify(&rig.fan_out);
            let newcomers: Vec<Follower> = (0..joined).map(|_| Follower::new(&rig.followers)).collect();
            while rig.turn() {}
            assert_eq!(rig.woken(), 4 * PORTION + 1, "{joined} joined");
            drop(newcomers);
        }
    }

    #[test]
    fn who_stops_following_is_not_woken_and_leaves_no_room_behind() {
        let mut rig = Rig::new(4 * PORTION);
        rig.all.drain(..PORTION);
        rig.followers.notify(&rig.fan_out);
        while rig.turn() {}
        assert_eq!(rig.woken(), 3 * PORTION);
        rig.all.push(Follower::new(&rig.followers));
        assert_eq!(rig.followers.list().states.len(), 4 * PORTION, "a free place is taken first");
        assert!(rig.followers.any());
        rig.all.clear();
        assert!(!rig.followers.any());
        assert!(rig.followers.list().states.is_empty());
        rig.followers.notify(&rig.fan_out);
        assert!(!rig.turn());
    }
}
