//! The caller of a request. Today everybody who can connect may do everything, so a caller is known only by its address.

use std::fmt;
use std::net::SocketAddr;

/// Who sent a request, and from where. The door finds it once per call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Caller {
    /// The other end of the connection; unknown where the transport does not name it.
    address: Option<SocketAddr>,
}

impl Caller {
    /// A caller who is known by where the connection comes from.
    pub fn from_address(address: Option<SocketAddr>) -> Caller {
        Caller { address }
    }
}

/// As it is kept with a refused request; empty if nothing is known.
impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Some(address) => address.fmt(f),
            None => Ok(()),
        }
    }
}
