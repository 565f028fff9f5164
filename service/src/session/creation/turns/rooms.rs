//! How many creations are under way or wait for their turn. They go on when their callers have gone, so calls do not bound them.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use crate::access::{Caller, Origin};
use crate::lock::lock;
use crate::session::Error;

/// In all. A request has passed the limits of its fields, at most some 16 KiB, so these are some 64 MiB.
const MAX_CREATIONS: usize = 4_096;
/// Of one origin: the rest is for others.
const MAX_OF_ORIGIN: usize = 3_072;
/// Of one caller.
const MAX_OF_CALLER: usize = 512;

/// The rooms, and who has them.
#[derive(Clone, Default)]
pub(super) struct Rooms(Arc<Mutex<Taken>>);

#[derive(Default)]
struct Taken {
    all: usize,
    by_origin: HashMap<Origin, usize>,
    by_caller: HashMap<Caller, usize>,
}

/// Room for one creation, until it is dropped.
pub(super) struct Room {
    rooms: Rooms,
    caller: Caller,
}

impl Rooms {
    pub fn take(&self, caller: Caller) -> Result<Room, Error> {
        let mut taken = lock(&self.0);
        let of = |count: Option<&usize>| count.copied().unwrap_or(0);
        if taken.all >= MAX_CREATIONS {
            return Err(Error::Busy("as many creations are under way as this server takes"));
        }
        if of(taken.by_origin.get(&caller.origin())) >= MAX_OF_ORIGIN {
            return Err(Error::Busy("as many creations are under way as this server takes from one address"));
        }
        if of(taken.by_caller.get(&caller)) >= MAX_OF_CALLER {
            return Err(Error::Busy("as many creations are under way as this server takes from one connection"));
        }
        taken.all += 1;
        *taken.by_origin.entry(caller.origin()).or_default() += 1;
        *taken.by_caller.entry(caller).or_default() += 1;
        Ok(Room { rooms: self.clone(), caller })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut taken = lock(&self.rooms.0);
        taken.all -= 1;
        give_back(&mut taken.by_origin, self.caller.origin());
        give_back(&mut taken.by_caller, self.caller);
    }
}

fn give_back<K: Eq + Hash>(counts: &mut HashMap<K, usize>, of: K) {
    if let Some(count) = counts.get_mut(&of) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&of);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(address: u8, port: u16) -> Caller {
        Caller::from_address(Some(([10, 0, 0, address], port).into()))
    }

    /// However many of them have gone away: rooms are taken until the creations are answered.
    #[test]
    fn no_caller_and_no_origin_takes_all_rooms() {
        let rooms = Rooms::default();
        let mut taken = Vec::new();
        let mut take_all = |caller| {
            let before = taken.len();
            taken.extend(std::iter::from_fn(|| rooms.take(caller).ok()));
            taken.len() - before
        };
        assert_eq!(take_all(caller(1, 1)), MAX_OF_CALLER);
        let of_others: usize = (2..100).map(|port| take_all(caller(1, port))).sum();
        assert_eq!(of_others, MAX_OF_ORIGIN - MAX_OF_CALLER);
        let of_other_addresses: usize = (2..100).map(|address| take_all(caller(address, 1))).sum();
        assert_eq!(of_other_addresses, MAX_CREATIONS - MAX_OF_ORIGIN);
        drop(taken);
        let empty = lock(&rooms.0);
        assert!(empty.all == 0 && empty.by_origin.is_empty() && empty.by_caller.is_empty());
    }
}
