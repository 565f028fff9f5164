//! The checker itself: it finds nothing in a history in which everything agrees, and each broken promise in one that was
//! changed. A checker that cannot fail is worth nothing.

mod clean;
mod injected_defects;
mod sample;
