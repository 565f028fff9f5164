//! What `transport/budget` counts with, in one place, because its models (`service/models`) put loom's here instead.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicUsize};
pub(crate) use std::sync::{Arc, Mutex, Weak};
