//! How many processors there are.

/// So many are left free of what takes long, for the system, the disk and whoever else is on the machine.
const SPARE: usize = 2;

/// How many this process may use; one if the system does not say.
pub fn count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether so many threads that are always busy would leave too few for everything else.
pub fn are_scarce(busy: usize) -> bool {
    count() < busy + SPARE
}
