//! The order in which flows are served: start-time fair queueing.
//!
//! Each flow has a clock that runs while it is served. The flow whose clock is furthest behind is next, so flows that are
//! always ready get equal time however many tasks each has. A flow that was idle does not save up what it has not used: its
//! clock is set to that of the others, but for a small lead, so that whoever uses little is served at once.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use slab::Slab;

/// How far a flow that was idle is ahead of those that are always ready. A call takes a few tenths of this.
const LEAD: Duration = Duration::from_millis(2);
/// How long a flow is served in one turn, give or take one task.
const TURN: Duration = Duration::from_micros(50);

/// The flows, with what each wants to be done.
pub(super) struct Queue<T> {
    flows: Slab<Entry<T>>,
    /// The flows that are ready and not being served, each once: clock, arrival, flow.
    ready: BinaryHeap<Reverse<(Duration, u64, usize)>>,
    /// The clock of the flow that was served last, as far as it was ahead.
    clock: Duration,
    arrivals: u64,
}

struct Entry<T> {
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
        Queue { flows: Slab::new(), ready: BinaryHeap::new(), clock: Duration::ZERO, arrivals: 0 }
    }

    pub fn add_flow(&mut self) -> usize {
        self.flows.insert(Entry { clock: Duration::ZERO, items: VecDeque::new(), queued: false, removed: false })
    }

    /// Forgets a flow of which nothing is queued. It may be its turn.
    pub fn remove_flow(&mut self, flow: usize) {
        let entry = &mut self.flows[flow];
        match entry.queued {
            true => entry.removed = true,
            false => drop(self.flows.remove(flow)),
        }
    }

    pub fn push(&mut self, flow: usize, item: T) {
        let entry = &mut self.flows[flow];
        entry.items.push_back(item);
        if !entry.queued {
            entry.queued = true;
            entry.clock = entry.clock.max(self.clock.saturating_sub(LEAD));
            self.enqueue(flow);
        }
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

    /// More of the same flow after something that took so long, while its turn lasts; otherwise its turn is over.
    pub fn more(&mut self, turn: Turn, used: Duration) -> Option<(T, Turn)> {
        let left = turn.left.saturating_sub(used);
        let entry = &mut self.flows[turn.flow];
        if left > Duration::ZERO
            && let Some(item) = entry.items.pop_front()
        {
            entry.clock += used;
            return Some((item, Turn { flow: turn.flow, left }));
        }
        self.end(turn, used);
        None
    }

    /// Ends a turn after something that took so long.
    pub fn end(&mut self, Turn { flow, .. }: Turn, used: Duration) {
        let entry = &mut self.flows[flow];
        entry.clock += used;
        entry.queued = !entry.items.is_empty();
        if entry.queued {
            self.enqueue(flow);
        } else if entry.removed {
            self.flows.remove(flow);
        }
    }

    #[cfg(test)]
    pub fn flows(&self) -> usize {
        self.flows.len()
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
