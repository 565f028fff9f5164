//! Simulation.
use std::cell::Cell;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    LostWakeUp,
}

thread_local! { static PLANTED: Cell<Option<Defect>> = const { Cell::new(None) }; }

pub fn planted(defect: Defect) -> bool {
    PLANTED.get() == Some(defect)
}
