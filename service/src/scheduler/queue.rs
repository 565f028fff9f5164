//! The order in which flows are served: start-time fair queueing.
//!
//! Each flow has a clock that runs while it is served. The flow whose clock is furthest behind is next, so flows that are
//! always ready get equal time however many tasks each has. A flow that was idle does not save up what it has not used: its
//! clock is set to that of the others, but for a small lead, so that whoever uses little is served at once.
//!
//! A flow belongs to an origin, and its clock runs faster the more flows of the same origin are ready: time is divided among
//! origins first, so that nobody gets more of it by opening more connections. The connections of an origin that have just
//! begun are one flow together, which outlives them: otherwise whoever opens one connection after another would begin each
//! time with a clock on which nothing stands.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use slab::Slab;

use crate::access::Origin;

/// How far a flow that was idle is ahead of those that are always ready. A call takes a few tenths of this.
const LEAD: Duration = Duration::from_millis(2);
/// How long a flow is served in one turn, give or take one task.
const TURN: Duration = Duration::from_micros(50);
/// How long a flow counts as new.
const NEW_FOR: Duration = Duration::from_secs(1);
/// What an origin has used before it is served for the first time. So the others' clock goes on also where everybody is new.
const FIRST_CHARGE: Duration = Duration::from_micros(100);
/// Of so many origins it is known what their new flows have used. All others together are like one.
pub(super) const MAX_ORIGINS: usize = 4_096;

/// The flows, with what each wants to be done. Times are counted from any moment on.
pub(super) struct Queue<T> {
    flows: Slab<Entry<T>>,
    origins: HashMap<Origin, OriginEntry>,
    /// The flows that are ready and not being served, each once: clock, arrival, flow.
    ready: BinaryHeap<Reverse<(Duration, u64, usize)>>,
    /// The clock of the flow that was served last, as far as it was ahead.
    clock: Duration,
    arrivals: u64,
}

/// What is known of an origin.
#[derive(Default)]
struct OriginEntry {
    /// How many of its flows are ready or being served.
    ready: u32,
    /// Its flow of new connections, if it has one.
    new: Option<usize>,
}

struct Entry<T> {
    origin: Origin,
    /// Until when its tasks belong to the flow of all that is new of its origin.
    new_until: Duration,
    clock: Duration,
    items: VecDeque<T>,
    /// Whether it is in `ready`, or being served.
    queued: bool,
    /// Whether it is forgotten when its turn ends.
    removed: bool,
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
            origins: HashMap::new(),
            ready: BinaryHeap::new(),
            clock: Duration::ZERO,
            arrivals: 0,
        }
    }

    pub fn add_flow(&mut self, origin: Origin, now: Duration) -> usize {
        self.insert(origin, now + NEW_FOR, self.clock)
    }

    fn insert(&mut self, origin: Origin, new_until: Duration, clock: Duration) -> usize {
        let (items, queued, removed) = Default::default();
        self.flows.insert(Entry { origin, new_until, clock, items, queued, removed })
    }

    /// Forgets a flow of which nothing is queued. It may be its turn.
    pub fn remove_flow(&mut self, flow: usize) {
        let entry = &mut self.flows[flow];
        match entry.queued {
            true => entry.removed = true,
            false => drop(self.flows.remove(flow)),
        }
    }

    pub fn push(&mut self, flow: usize, item: T, now: Duration) {
        let entry = &self.flows[flow];
        let flow = if now < entry.new_until { self.new_flow_of(entry.origin) } else { flow };
        let entry = &mut self.flows[flow];
        entry.items.push_back(item);
        if !entry.queued {
            entry.queued = true;
            entry.clock = entry.clock.max(self.clock.saturating_sub(LEAD));
            self.origins.entry(entry.origin).or_default().ready += 1;
            self.enqueue(flow);
        }
    }

    /// The flow of all that is new of an origin.
    fn new_flow_of(&mut self, mut origin: Origin) -> usize {
        if let Some(flow) = self.origins.get(&origin).and_then(|known| known.new) {
            return flow;
        }
        if self.origins.len() >= MAX_ORIGINS {
            self.forget_origins();
        }
        if self.origins.len() >= MAX_ORIGINS {
            origin = Origin::default();
            if let Some(flow) = self.origins.get(&origin).and_then(|known| known.new) {
                return flow;
            }
        }
        let flow = self.insert(origin, Duration::ZERO, self.clock + FIRST_CHARGE);
        self.origins.entry(origin).or_default().new = Some(flow);
        flow
    }

    /// Forgets the origins that have nothing ready and whose new flows have used nothing that still counts.
    fn forget_origins(&mut self) {
        let Queue { flows, origins, clock, .. } = self;
        origins.retain(|_, known| {
            let counts = known.ready > 0 || known.new.is_some_and(|flow| flows[flow].clock > *clock);
            if !counts && let Some(flow) = known.new {
                flows.remove(flow);
            }
            counts
        });
    }

    /// Whether what is to be done next is of a flow that has lately asked for little: one that is far behind the others.
    /// None if nothing is to be done.
    pub fn next_is_light(&self) -> Option<bool> {
        let Reverse((clock, ..)) = self.ready.peek()?;
        Some(*clock + LEAD / 2 < self.clock)
    }

    /// What is to be done next.
    pub fn next(&mut self) -> Option<(T, Turn)> {
        let Reverse((clock, _, flow)) = self.ready.pop()?;
        self.clock = self.clock.max(clock);
        let item = self.flows[flow].items.pop_front()?;
        Some((item, Turn { flow, left: TURN }))
    }

    /// More of the same flow after something that took so long and counts so many times, while its turn lasts; otherwise its
    /// turn is over.
    pub fn more(&mut self, turn: Turn, used: Duration, times: u32) -> Option<(T, Turn)> {
        let left = turn.left.saturating_sub(used);
        if left > Duration::ZERO
            && let Some(item) = self.flows[turn.flow].items.pop_front()
        {
            self.charge(turn.flow, used * times);
            return Some((item, Turn { flow: turn.flow, left }));
        }
        self.end(turn, used, times);
        None
    }

    /// Ends a turn after something that took so long and counts so many times.
    pub fn end(&mut self, Turn { flow, .. }: Turn, used: Duration, times: u32) {
        self.charge(flow, used * times);
        let entry = &mut self.flows[flow];
        entry.queued = !entry.items.is_empty();
        if entry.queued {
            return self.enqueue(flow);
        }
        let (origin, removed) = (entry.origin, entry.removed);
        if let Some(known) = self.origins.get_mut(&origin) {
            known.ready -= 1;
            if known.ready == 0 && known.new.is_none() {
                self.origins.remove(&origin);
            }
        }
        if removed {
            self.flows.remove(flow);
        }
    }

    fn charge(&mut self, flow: usize, used: Duration) {
        let entry = &mut self.flows[flow];
        let ready = self.origins.get(&entry.origin).map_or(1, |known| known.ready);
        entry.clock += used * ready;
    }

    /// How many there are, without those of new flows.
    #[cfg(test)]
    pub fn flows(&self) -> usize {
        self.flows.len() - self.origins.values().filter(|known| known.new.is_some()).count()
    }

    /// Of how many origins anything is known.
    #[cfg(test)]
    pub fn origins(&self) -> usize {
        self.origins.len()
    }

    /// Whether nothing is to be done but what is in a turn.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// Takes everything out.
    pub fn drain(&mut self) -> Vec<T> {
        self.ready.clear();
        let mut items = Vec::new();
        for (_, entry) in &mut self.flows {
            entry.queued = false;
            items.extend(entry.items.drain(..));
        }
        items
    }

    fn enqueue(&mut self, flow: usize) {
        self.arrivals += 1;
        self.ready.push(Reverse((self.flows[flow].clock, self.arrivals, flow)));
    }
}
