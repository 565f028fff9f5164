//! divelog's wire format: the messages, clients and servers generated from `proto/`.
//!
//! The modules mirror the proto packages; their comments are the API's reference.
#![allow(missing_docs, clippy::all, clippy::unwrap_used)]

/// Package `divelog.v1`: the services and what they share.
pub mod v1 {
    tonic::include_proto!("divelog.v1");
}

/// Packages `divelog.games.<game>.v1`: one per kind of game.
pub mod games {
    pub mod captain_carcass {
        pub mod v1 {
            tonic::include_proto!("divelog.games.captain_carcass.v1");
        }
    }
    pub mod deep_sea_adventure {
        pub mod v1 {
            tonic::include_proto!("divelog.games.deep_sea_adventure.v1");
        }
    }
    pub mod key_largo {
        pub mod v1 {
            tonic::include_proto!("divelog.games.key_largo.v1");
        }
    }
    pub mod veiled_isles {
        pub mod v1 {
            tonic::include_proto!("divelog.games.veiled_isles.v1");
        }
    }
}

/// The descriptor set of everything above, for reflection and for JSON.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptor.bin"));
