//! divelog's wire format: the messages generated from `proto/`, and with the feature `services` clients and servers too.
//!
//! The modules mirror the proto packages; their comments are the API's reference.
#![allow(missing_docs, clippy::all, clippy::unwrap_used)]

mod packages {
    include!(concat!(env!("OUT_DIR"), "/packages.rs"));
}

/// Packages `divelog.games.<game>.v1`: one per kind of game.
pub use packages::divelog::games;
/// Package `divelog.v1`: the services and what they share.
pub mod v1 {
    pub use super::packages::divelog::v1::*;

    #[cfg(feature = "services")]
    include!(concat!(env!("OUT_DIR"), "/servers/divelog.v1.rs"));
}

#[cfg(feature = "services")]
pub mod encoded;

/// The descriptor set of everything above, for reflection and for JSON.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptor.bin"));
