//! A bounded number of places for work of one kind, given out in turn among callers: whoever asks for a thousand waits for
//! as long as a thousand take, and somebody who asks for one waits for one round of the callers. Origins take turns first, so
//! a thousand connections from one address have one turn in each round.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;

use crate::access::{Caller, Origin};
use crate::lock::lock;

/// The places. Clones share them.
#[derive(Clone)]
pub(super) struct FairShare(Arc<Mutex<State>>);

struct State {
    free: usize,
    /// Those who wait, by caller. What a caller has here is bounded by the calls that they may have open.
    waiting: HashMap<Caller, VecDeque<Box<dyn Waiter>>>,
    /// Whose turn it is, each caller who waits once.
    turns: Turns,
    /// How many stand in all queues, and how many of these have gone away.
    queued: usize,
    gone: usize,
}

/// Callers in turn, and their origins before that.
#[derive(Default)]
struct Turns {
    origins: VecDeque<Origin>,
    callers: HashMap<Origin, VecDeque<Caller>>,
}

impl Turns {
    fn push(&mut self, caller: Caller) {
        let origin = caller.origin();
        let callers = self.callers.entry(origin).or_default();
        if callers.is_empty() {
            self.origins.push_back(origin);
        }
        callers.push_back(caller);
    }

    fn pop(&mut self) -> Option<Caller> {
        let origin = self.origins.pop_front()?;
        let callers = self.callers.get_mut(&origin)?;
        let caller = callers.pop_front();
        match callers.is_empty() {
            true => drop(self.callers.remove(&origin)),
            false => self.origins.push_back(origin),
        }
        caller
    }

    fn retain(&mut self, waits: impl Fn(&Caller) -> bool) {
        let Turns { origins, callers } = self;
        callers.retain(|_, callers| {
            callers.retain(&waits);
            !callers.is_empty()
        });
        origins.retain(|origin| callers.contains_key(origin));
    }
}

/// The right to a place, which is free again when this is dropped.
pub(super) struct Permit {
    /// None: nobody is to have it.
    share: Option<FairShare>,
}

/// Somebody who waits for a place.
pub(super) trait Waiter: Send {
    /// Whether nobody waits any more.
    fn has_gone(&self) -> bool;

    /// Takes the place, or gives it back because nobody waits any more.
    fn take(self: Box<Self>, place: Permit) -> Result<(), Permit>;
}

impl Waiter for oneshot::Sender<Permit> {
    fn has_gone(&self) -> bool {
        self.is_closed()
    }

    fn take(self: Box<Self>, place: Permit) -> Result<(), Permit> {
        self.send(place)
    }
}

impl FairShare {
    /// So many places.
    pub fn new(places: usize) -> FairShare {
        let (waiting, turns, queued, gone) = Default::default();
        FairShare(Arc::new(Mutex::new(State { free: places, waiting, turns, queued, gone })))
    }

    /// Waits for a place. Whoever goes away meanwhile is forgotten. Only for what is polled whenever it is woken: a place
    /// that was sent to a call which nobody polls is nobody's, and the answers of a client that does not read are not polled.
    pub async fn place(&self, caller: Caller) -> Permit {
        let (sender, place) = oneshot::channel();
        self.queue(caller, Box::new(sender));
        let mut waiting = Waiting { share: self, place, served: false };
        match (&mut waiting.place).await {
            Ok(place) => {
                waiting.served = true;
                place
            }
            Err(_) => unreachable!("who waits is in the queue until a place is sent"),
        }
    }

    /// Gives whoever it is a place, at once or in their turn.
    pub fn queue(&self, caller: Caller, waiter: Box<dyn Waiter>) {
        {
            let mut state = lock(&self.0);
            if state.free == 0 {
                return state.wait(caller, waiter);
            }
            state.free -= 1;
        }
        if let Err(place) = waiter.take(self.taken()) {
            drop(place);
        }
    }

    /// Notes that somebody in the queue has gone away.
    pub fn note_gone(&self) {
        lock(&self.0).note_gone();
    }

    fn taken(&self) -> Permit {
        Permit { share: Some(self.clone()) }
    }

    /// Gives a place to whoever's turn it is, or keeps it.
    fn give_back(&self) {
        loop {
            let next = {
                let mut state = lock(&self.0);
                let Some(next) = state.next() else {
                    state.free += 1;
                    return;
                };
                next
            };
            match next.take(self.taken()) {
                Ok(()) => return,
                // They have gone away.
                Err(mut back) => back.share = None,
            }
        }
    }
}

impl State {
    fn wait(&mut self, caller: Caller, waiter: Box<dyn Waiter>) {
        let queue = self.waiting.entry(caller).or_default();
        if queue.is_empty() {
            self.turns.push(caller);
        }
        queue.push_back(waiter);
        self.queued += 1;
    }

    /// Whose turn it is. Those who have gone away take no turn.
    fn next(&mut self) -> Option<Box<dyn Waiter>> {
        loop {
            let caller = self.turns.pop()?;
            let queue = self.waiting.get_mut(&caller)?;
            let before = queue.len();
            let next = std::iter::from_fn(|| queue.pop_front()).find(|waiter| !waiter.has_gone());
            self.queued -= before - queue.len();
            self.gone = self.gone.saturating_sub(before - queue.len() - usize::from(next.is_some()));
            match queue.is_empty() {
                true => drop(self.waiting.remove(&caller)),
                false => self.turns.push(caller),
            }
            if next.is_some() {
                return next;
            }
        }
    }

    /// Notes that somebody has gone away. The queues are cleared of those only when they are half of all who are in them: a
    /// thousand who go at once cost about a thousand steps, not a thousand times a thousand.
    fn note_gone(&mut self) {
        self.gone += 1;
        if self.gone * 2 < self.queued {
            return;
        }
        let State { waiting, turns, queued, gone, .. } = self;
        waiting.retain(|_, queue| {
            queue.retain(|waiter| !waiter.has_gone());
            !queue.is_empty()
        });
        turns.retain(|caller| waiting.contains_key(caller));
        (*queued, *gone) = (waiting.values().map(VecDeque::len).sum(), 0);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(share) = self.share.take() {
            share.give_back();
        }
    }
}

/// Somebody who waits.
struct Waiting<'a> {
    share: &'a FairShare,
    place: oneshot::Receiver<Permit>,
    /// Whether the queue knows nothing of them any more.
    served: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.served {
            return;
        }
        self.place.close();
        self.share.note_gone();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    type Asking<'a> = Pin<Box<dyn Future<Output = Permit> + 'a>>;

    fn caller(port: u16) -> Caller {
        Caller::from_address(Some(([127, 0, 0, 1], port).into()))
    }

    fn poll(asking: &mut Asking<'_>) -> Option<Permit> {
        match asking.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(place) => Some(place),
            Poll::Pending => None,
        }
    }

    fn ask(share: &FairShare, port: u16) -> (u16, Asking<'_>) {
        (port, ask_from(share, caller(port)))
    }

    fn ask_from(share: &FairShare, caller: Caller) -> Asking<'_> {
        let mut asking: Asking<'_> = Box::pin(share.place(caller));
        assert!(poll(&mut asking).is_none(), "every place is taken");
        asking
    }

    #[test]
    fn an_origin_has_one_turn_however_many_connections_it_has() {
        let share = FairShare::new(1);
        let mut first: Asking<'_> = Box::pin(share.place(caller(1)));
        let mut place = poll(&mut first);
        let crowd = (1..=50).map(|port| ask_from(&share, caller(port)));
        let mut asking: Vec<_> = crowd.collect();
        let other = |port: u16| Caller::from_address(Some(([127, 0, 0, 2], port).into()));
        asking.push(ask_from(&share, other(1)));
        asking.push(ask_from(&share, other(2)));
        for expected in [0, 50, 1, 51, 2] {
            place.take();
            place = poll(&mut asking[expected]);
            assert!(place.is_some(), "it is the turn of {expected}");
        }
    }

    #[test]
    fn callers_take_turns_however_many_each_asks_for() {
        let share = FairShare::new(1);
        let mut first: Asking<'_> = Box::pin(share.place(caller(1)));
        let mut place = poll(&mut first);
        assert!(place.is_some());
        let mut asking: Vec<_> = [1, 1, 1, 1, 2, 2, 3].into_iter().map(|port| ask(&share, port)).collect();
        let mut served = Vec::new();
        while !asking.is_empty() {
            place.take();
            let at = asking.iter_mut().position(|(_, asking)| {
                place = poll(asking);
                place.is_some()
            });
            served.push(asking.remove(at.expect("somebody is served")).0);
        }
        assert_eq!(served, [1, 2, 3, 1, 2, 1, 1]);
        drop(place);
        assert_eq!(lock(&share.0).free, 1);
    }

    #[test]
    fn who_goes_away_leaves_nothing_behind_and_takes_no_place_along() {
        let share = FairShare::new(1);
        let mut first: Asking<'_> = Box::pin(share.place(caller(1)));
        let place = poll(&mut first);
        let (gone, mut waits) = (ask(&share, 2), ask(&share, 2));
        let sent = ask(&share, 3);
        drop(gone);
        drop(place);
        let second = poll(&mut waits.1);
        assert!(second.is_some(), "the one behind is served");
        // The place of somebody who goes away after it was sent is the next one's.
        drop(second);
        drop(sent);
        let state = lock(&share.0);
        assert_eq!((state.free, state.waiting.len(), state.turns.origins.len()), (1, 0, 0));
        assert!(state.turns.callers.is_empty());
    }
}
