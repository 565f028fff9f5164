//! divelog's wire format: the messages generated from `proto/`, and with the feature `services` clients and servers too.
//!
//! The modules mirror the proto packages; their comments are the API's reference.
#![allow(missing_docs, clippy::all, clippy::unwrap_used)]

/// Package `divelog.v1`: the services and what they share.
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/divelog.v1.rs"));
}

/// Packages `divelog.games.<game>.v1`: one per kind of game.
pub mod games {
    pub mod captain_carcass {
        pub mod v1 {
            include!(concat!(env!("OUT_DIR"), "/divelog.games.captain_carcass.v1.rs"));
        }
    }
    pub mod deep_sea_adventure {
        pub mod v1 {
            include!(concat!(env!("OUT_DIR"), "/divelog.games.deep_sea_adventure.v1.rs"));
        }
    }
    pub mod key_largo {
        pub mod v1 {
            include!(concat!(env!("OUT_DIR"), "/divelog.games.key_largo.v1.rs"));
        }
    }
    pub mod veiled_isles {
        pub mod v1 {
            include!(concat!(env!("OUT_DIR"), "/divelog.games.veiled_isles.v1.rs"));
        }
    }
}

/// The descriptor set of everything above, for reflection and for JSON.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptor.bin"));
