//! Where a server is, as people and programs write it: `127.0.0.1:7646`, `localhost:7646`, `[::1]:7646`, `http://host:7646`.

use std::{
    fmt,
    net::{Ipv6Addr, SocketAddr},
    str::FromStr,
};

use http::Uri;
use thiserror::Error;

/// The address of a server, checked before anything is dialled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// As it was written: that is what its owner recognises.
    text: String,
    uri: Uri,
}

/// What is wrong with an address.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EndpointError {
    /// Nothing was given.
    #[error("the address is empty")]
    Empty,
    /// A scheme other than http.
    #[error("{text:?}: this client cannot speak {scheme}, only http")]
    Scheme {
        /// What was given.
        text: String,
        /// Its scheme.
        scheme: String,
    },
    /// No host in front of the port.
    #[error("{0:?} names no host")]
    NoHost(String),
    /// No port, and no scheme that has a default one.
    #[error("{0:?} names no port")]
    NoPort(String),
    /// Not a port.
    #[error("{text:?}: {port:?} is not a port from 1 to 65535")]
    Port {
        /// What was given.
        text: String,
        /// What is written in its place.
        port: String,
    },
    /// Not an IPv6 address, or one without brackets.
    #[error("{0:?}: an IPv6 address is written in brackets, as in [::1]:7646")]
    Ipv6(String),
    /// Not the name or the address of a host.
    #[error("{text:?}: {host:?} is not the name or the address of a host")]
    Host {
        /// What was given.
        text: String,
        /// What is written in its place.
        host: String,
    },
    /// A path or a query after the address.
    #[error("{text:?}: nothing may follow the port, but {rest:?} does")]
    Rest {
        /// What was given.
        text: String,
        /// What follows.
        rest: String,
    },
}

impl Endpoint {
    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let (has_scheme, address) = match text.split_once("://") {
            Some((scheme, address)) if scheme.eq_ignore_ascii_case("http") => (true, address),
            Some((scheme, _)) => {
                return Err(EndpointError::Scheme { text: text.into(), scheme: scheme.into() });
            }
            None if text.is_empty() => return Err(EndpointError::Empty),
            None => (false, text),
        };
        let (authority, rest) = address.split_at(address.find(['/', '?', '#']).unwrap_or(address.len()));
        if !matches!(rest, "" | "/") {
            return Err(EndpointError::Rest { text: text.into(), rest: rest.into() });
        }
        let port = check_host(text, authority)?;
        match port {
            Some(port) if !is_port(port) => {
                return Err(EndpointError::Port { text: text.into(), port: port.into() });
            }
            None if !has_scheme => return Err(EndpointError::NoPort(text.into())),
            _ => {}
        }
        let uri = format!("http://{authority}").parse();
        let uri = uri.map_err(|_| EndpointError::Host { text: text.into(), host: authority.into() })?;
        Ok(Self { text: text.to_owned(), uri })
    }
}

/// Checks the host and returns what follows it in the place of a port.
fn check_host<'a>(text: &str, authority: &'a str) -> Result<Option<&'a str>, EndpointError> {
    if let Some(bracketed) = authority.strip_prefix('[') {
        let (ip, after) = bracketed.split_once(']').ok_or_else(|| EndpointError::Ipv6(text.into()))?;
        ip.parse::<Ipv6Addr>().map_err(|_| EndpointError::Ipv6(text.into()))?;
        return match after.strip_prefix(':') {
            None if !after.is_empty() => Err(EndpointError::Rest { text: text.into(), rest: after.into() }),
            port => Ok(port),
        };
    }
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    if port.is_some_and(|port| port.contains(':')) {
        return Err(EndpointError::Ipv6(text.into()));
    }
    if host.is_empty() {
        return Err(EndpointError::NoHost(text.into()));
    }
    // A name of the DNS, or of a hosts file that is less strict about the underscore.
    if !host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)) {
        return Err(EndpointError::Host { text: text.into(), host: host.into() });
    }
    Ok(port)
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok_and(|port| port > 0)
}

impl From<SocketAddr> for Endpoint {
    fn from(address: SocketAddr) -> Self {
        let uri = Uri::builder().scheme("http").authority(address.to_string()).path_and_query("/").build();
        Self { text: address.to_string(), uri: uri.expect("a socket's address is an authority") }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_a_scheme_and_without() {
        let cases = [
            ("127.0.0.1:7646", "http://127.0.0.1:7646/"),
            ("localhost:7646", "http://localhost:7646/"),
            ("[::1]:7646", "http://[::1]:7646/"),
            ("game_server-2.example.org:1", "http://game_server-2.example.org:1/"),
            ("http://127.0.0.1:7646", "http://127.0.0.1:7646/"),
            ("HTTP://127.0.0.1:65535/", "http://127.0.0.1:65535/"),
            ("http://[::1]:7646", "http://[::1]:7646/"),
            // The scheme has a default port.
            ("http://example.org", "http://example.org/"),
            ("http://[::1]", "http://[::1]/"),
        ];
        for (text, uri) in cases {
            let endpoint: Endpoint = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(endpoint.uri().to_string(), uri, "{text}");
            assert_eq!(endpoint.to_string(), text);
        }
    }

    #[test]
    fn an_invalid_address_says_why() {
        let cases = [
            ("", "the address is empty"),
            ("localhost", "\"localhost\" names no port"),
            ("[::1]", "\"[::1]\" names no port"),
            (":7646", "\":7646\" names no host"),
            ("http://", "\"http://\" names no host"),
            ("http://:1", "\"http://:1\" names no host"),
            ("https://h:1", "\"https://h:1\": this client cannot speak https, only http"),
            ("unix:///run/divelog", "\"unix:///run/divelog\": this client cannot speak unix, only http"),
            ("h:", "\"h:\": \"\" is not a port from 1 to 65535"),
            ("h:0", "\"h:0\": \"0\" is not a port from 1 to 65535"),
            ("h:+1", "\"h:+1\": \"+1\" is not a port from 1 to 65535"),
            ("h:65536", "\"h:65536\": \"65536\" is not a port from 1 to 65535"),
            ("http://h:http", "\"http://h:http\": \"http\" is not a port from 1 to 65535"),
            ("[::1]:x", "\"[::1]:x\": \"x\" is not a port from 1 to 65535"),
            ("::1:7646", "\"::1:7646\": an IPv6 address is written in brackets, as in [::1]:7646"),
            ("[::1:7646", "\"[::1:7646\": an IPv6 address is written in brackets, as in [::1]:7646"),
            ("[1.2.3.4]:1", "\"[1.2.3.4]:1\": an IPv6 address is written in brackets, as in [::1]:7646"),
            ("[::1]7646", "\"[::1]7646\": nothing may follow the port, but \"7646\" does"),
            ("a b:1", "\"a b:1\": \"a b\" is not the name or the address of a host"),
            ("me@h:1", "\"me@h:1\": \"me@h\" is not the name or the address of a host"),
            ("h:1/v1", "\"h:1/v1\": nothing may follow the port, but \"/v1\" does"),
            ("http://h:1/?x", "\"http://h:1/?x\": nothing may follow the port, but \"/?x\" does"),
        ];
        for (text, error) in cases {
            assert_eq!(text.parse::<Endpoint>().unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn a_socket_address_is_one() {
        for text in ["127.0.0.1:7646", "[::1]:7646"] {
            let address: SocketAddr = text.parse().unwrap();
            assert_eq!(Endpoint::from(address), text.parse().unwrap());
        }
    }
}
