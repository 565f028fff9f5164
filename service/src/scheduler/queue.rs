//! The order in which flows are served: start-time fair queueing, twice.
//!
//! Each flow has a clock that runs while it is served. The flow whose clock is furthest behind is next, so flows that are
//! always ready get equal time however many tasks each has. A flow that was idle does not save up what it has not used: its
//! clock is set to that of the others, but for a small lead, so that whoever uses little is served at once.
//!
//! A flow belongs to an origin, and origins have clocks in the same way: time is divided among origins first, and what each
//! has among its flows, so that nobody gets more by opening more connections. The connections of an origin that have just
//! begun are one flow together, which outlives them: otherwise whoever opens one connection after another would begin each
//! time with a clock on which nothing stands.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use slab::Slab;

use crate::access::Origin;

/// How far whoever was idle is ahead of those that are always ready. A call takes a few tenths of this.
const LEAD: Duration = Duration::from_millis(2);
/// How long a flow is served in one turn, give or take one task.
const TURN: Duration = Duration::from_micros(50);
/// How long a flow counts as new.
const NEW_FOR: Duration = Duration::from_secs(1);
/// What an origin has used before it is served for the first time. So the others' clock goes on also where everybody is new.
const FIRST_CHARGE: Duration = Duration::from_micros(100);
/// Whoever is ready for so long without a break asks for more than there is for them.
const BACKLOG: Duration = Duration::from_millis(5);
/// Where more flows are ready than this, none of them asks for much: there is little for each, and less would only make them
/// wait for longer.
const FEW: usize = 32;
/// Of so many origins it is remembered what they have used. Beyond that those without connections are forgotten.
pub(super) const MAX_ORIGINS: usize = 4_096;

/// The flows, with what each wants to be done. Times are counted from any moment on.
pub(super) struct Queue<T> {
    flows: Slab<Flow<T>>,
    origins: Slab<OriginEntry>,
    by_origin: HashMap<Origin, usize>,
    /// With so many origins it is time to see which of them can be forgotten.
    look_at: usize,
    ready: ReadyQueue,
}

/// Those who are ready, by their clocks.
#[derive(Default)]
struct ReadyQueue {
    /// Clock, arrival, number.
    ready: BinaryHeap<Reverse<(Duration, u64, usize)>>,
    /// The clock of whoever was served last, as far as it was ahead.
    clock: Duration,
    arrivals: u64,
}

impl ReadyQueue {
    /// The clock of somebody who becomes ready.
    fn enter(&self, clock: Duration) -> Duration {
        clock.max(self.clock.saturating_sub(LEAD))
    }

    fn push(&mut self, clock: Duration, number: usize) {
        self.arrivals += 1;
        self.ready.push(Reverse((clock, self.arrivals, number)));
    }

    fn first(&self) -> Option<(Duration, usize)> {
        self.ready.peek().map(|Reverse((clock, _, number))| (*clock, *number))
    }

    fn pop(&mut self) -> Option<usize> {
        let Reverse((clock, _, number)) = self.ready.pop()?;
        self.clock = self.clock.max(clock);
        Some(number)
    }

    /// Whether a clock is far behind the others: whoever has it has lately asked for little.
    fn is_behind(&self, clock: Duration) -> bool {
        clock + LEAD / 2 < self.clock
    }
}

struct OriginEntry {
    origin: Origin,
    clock: Duration,
    /// Its flows that are ready and not being served, each once.
    ready: ReadyQueue,
    /// Whether it stands among the origins that are ready.
    queued: bool,
    /// How many connections it has.
    flows: usize,
    /// The flow of those that are new.
    new: usize,
}

struct Flow<T> {
    origin: usize,
    /// Until when its tasks belong to the flow of all that is new of its origin.
    new_until: Duration,
    clock: Duration,
    items: VecDeque<T>,
    /// Whether it is ready, or being served.
    queued: bool,
    /// Since when, if it is.
    since: Duration,
    /// Whether it is forgotten when its turn ends.
    removed: bool,
}

/// How much somebody asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// Less than the others: an origin that is far behind them, or a flow that is among those of its origin.
    Little,
    /// No more than it gets.
    Some,
    /// More than it gets: it is always ready, and there are few like it.
    Much,
}

/// A flow's turn.
pub(super) struct Turn {
    flow: usize,
    left: Duration,
}

impl<T> Queue<T> {
    pub fn new() -> Queue<T> {
        Queue {
            flows: Slab::new(),
            origins: Slab::new(),
            by_origin: HashMap::new(),
            look_at: MAX_ORIGINS,
            ready: ReadyQueue::default(),
        }
    }

    pub fn add_flow(&mut self, origin: Origin, now: Duration) -> usize {
        let origin = self.origin(origin);
        self.origins[origin].flows += 1;
        self.insert(origin, now + NEW_FOR)
    }

    fn insert(&mut self, origin: usize, new_until: Duration) -> usize {
        let clock = self.origins[origin].ready.clock;
        let (items, queued, since, removed) = Default::default();
        self.flows.insert(Flow { origin, new_until, clock, items, queued, since, removed })
    }

    fn origin(&mut self, origin: Origin) -> usize {
        if let Some(known) = self.by_origin.get(&origin) {
            return *known;
        }
        if self.origins.len() >= self.look_at {
            self.forget_origins();
            // A thousand new ones cost one look, not a thousand.
            self.look_at = MAX_ORIGINS.max(2 * self.origins.len());
        }
        let clock = self.ready.clock + FIRST_CHARGE;
        let entry =
            OriginEntry { origin, clock, ready: ReadyQueue::default(), queued: false, flows: 0, new: usize::MAX };
        let number = self.origins.insert(entry);
        self.by_origin.insert(origin, number);
        self.origins[number].new = self.insert(number, Duration::ZERO);
        number
    }

    /// Forgets the origins of which there is nothing any more.
    fn forget_origins(&mut self) {
        let Queue { flows, origins, by_origin, .. } = self;
        origins.retain(|_, entry| {
            let is_there = entry.flows > 0 || entry.queued || flows[entry.new].queued;
            if !is_there {
                flows.remove(entry.new);
                by_origin.remove(&entry.origin);
            }
            is_there
        });
    }

    /// Forgets a flow of which nothing is queued. It may be its turn.
    pub fn remove_flow(&mut self, flow: usize) {
        let entry = &mut self.flows[flow];
        match entry.queued {
            true => entry.removed = true,
            false => self.forget_flow(flow),
        }
    }

    fn forget_flow(&mut self, flow: usize) {
        let entry = self.flows.remove(flow);
        self.origins[entry.origin].flows -= 1;
    }

    pub fn push(&mut self, flow: usize, item: T, now: Duration) {
        let Flow { origin, new_until, .. } = self.flows[flow];
        let flow = if now < new_until { self.origins[origin].new } else { flow };
        let entry = &mut self.flows[flow];
        entry.items.push_back(item);
        if !entry.queued {
            (entry.queued, entry.since) = (true, now);
            entry.clock = self.origins[origin].ready.enter(entry.clock);
            self.enqueue(flow);
        }
    }

    fn enqueue(&mut self, flow: usize) {
        let Flow { origin: number, clock, .. } = self.flows[flow];
        let origin = &mut self.origins[number];
        origin.ready.push(clock, flow);
        if !origin.queued {
            origin.queued = true;
            origin.clock = self.ready.enter(origin.clock);
            self.ready.push(origin.clock, number);
        }
    }

    /// How much whoever is next asks for; none if nothing is to be done.
    pub fn next_demand(&mut self, now: Duration) -> Option<Demand> {
        loop {
            let (clock, number) = self.ready.first()?;
            let origin = &self.origins[number];
            if origin.clock > clock {
                // It was served since it was put there.
                self.ready.ready.pop();
                self.ready.push(origin.clock, number);
                continue;
            }
            let (flow_clock, flow) = origin.ready.first()?;
            return Some(match self.ready.is_behind(clock) || origin.ready.is_behind(flow_clock) {
                true => Demand::Little,
                false if origin.ready.ready.len() > FEW => Demand::Some,
                false if now.saturating_sub(self.flows[flow].since) < BACKLOG => Demand::Some,
                false => Demand::Much,
            });
        }
    }

    /// What is to be done next.
    pub fn next(&mut self) -> Option<(T, Turn)> {
        self.next_demand(Duration::ZERO)?;
        let number = self.ready.pop()?;
        let origin = &mut self.origins[number];
        let flow = origin.ready.pop()?;
        // Another worker may serve another one of its flows meanwhile.
        origin.queued = origin.ready.first().is_some();
        if origin.queued {
            self.ready.push(origin.clock, number);
        }
        let item = self.flows[flow].items.pop_front()?;
        Some((item, Turn { flow, left: TURN }))
    }

    /// More of the same flow after something that took so long, while its turn lasts; otherwise its turn is over.
    pub fn more(&mut self, turn: Turn, used: Duration) -> Option<(T, Turn)> {
        let left = turn.left.saturating_sub(used);
        if left > Duration::ZERO
            && let Some(item) = self.flows[turn.flow].items.pop_front()
        {
            self.charge(turn.flow, used);
            return Some((item, Turn { flow: turn.flow, left }));
        }
        self.end(turn, used);
        None
    }

    /// Ends a turn after something that took so long.
    pub fn end(&mut self, Turn { flow, .. }: Turn, used: Duration) {
        self.charge(flow, used);
        let entry = &mut self.flows[flow];
        entry.queued = !entry.items.is_empty();
        if entry.queued {
            self.enqueue(flow);
        } else if entry.removed {
            self.forget_flow(flow);
        }
    }

    fn charge(&mut self, flow: usize, used: Duration) {
        let entry = &mut self.flows[flow];
        entry.clock += used;
        self.origins[entry.origin].clock += used;
    }

    /// How many there are, without those of new flows.
    #[cfg(test)]
    pub fn flows(&self) -> usize {
        self.flows.len() - self.origins.len()
    }

    /// Of how many origins anything is known.
    #[cfg(test)]
    pub fn origins(&self) -> usize {
        self.origins.len()
    }

    /// Whether nothing is to be done but what is in a turn.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.ready.ready.is_empty()
    }

    /// Takes everything out. Nothing is served after that.
    pub fn drain(&mut self) -> Vec<T> {
        self.ready.ready.clear();
        let mut items = Vec::new();
        for (_, entry) in &mut self.flows {
            entry.queued = false;
            items.extend(entry.items.drain(..));
        }
        items
    }
}
