//! Where blocks, secrets and the index are kept: sled's trees, and sled's file.

pub(super) mod blocks;
pub(super) mod clean_shutdown;
pub(super) mod leaves;
pub(super) mod sled_file;
