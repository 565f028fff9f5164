//! The log: where a group of records is made durable before anybody is answered.

pub(super) mod files;
