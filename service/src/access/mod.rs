//! The caller of a request. Today everybody who can connect may do everything, so a caller is known only by its address.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

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

    /// Where the caller comes from.
    pub fn origin(&self) -> Origin {
        Origin::of(self.address)
    }
}

/// Where callers are taken for one when what there is is divided: an address, or what one customer of a provider has of
/// IPv6, a network of 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin(Option<IpAddr>);

impl Origin {
    /// Where a connection comes from; unknown where the transport does not name it.
    pub fn of(address: Option<SocketAddr>) -> Origin {
        Origin(address.map(|address| match address.ip().to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            address => address,
        }))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_an_address_or_a_network() {
        let of = |address: &str| Origin::of(Some(address.parse().unwrap()));
        assert_eq!(of("10.0.0.1:1"), of("10.0.0.1:2"));
        assert_ne!(of("10.0.0.1:1"), of("10.0.0.2:1"));
        assert_eq!(of("[2001:db8:0:7::1]:1"), of("[2001:db8:0:7:ffff::2]:2"));
        assert_ne!(of("[2001:db8:0:7::1]:1"), of("[2001:db8:0:8::1]:1"));
        assert_eq!(of("[::ffff:10.0.0.1]:1"), of("10.0.0.1:1"), "one address in two forms");
        assert_ne!(of("10.0.0.1:1"), Origin::of(None));
    }
}
