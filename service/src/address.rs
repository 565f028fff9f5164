//! The address of a server, taken before anything else is made.
//!
//! A socket that is only bound does not have its address for sure: another server can bind it too, and whichever listens first
//! has it. So the server listens before it opens its store, and a start that is refused for its address has changed nothing.
//!
//! Nobody can be answered before the store is open, which takes a fraction of a second, or minutes if it is repaired. Whoever
//! connects meanwhile waits for it, but for [`PATIENCE`] at most: then the connection is closed, which says to the caller what
//! a refused connection would have said.

use std::io;
use std::net::SocketAddr;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpSocket};

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;
/// How long a start waits for its address: a server that was killed a moment ago still has it until the system has taken its
/// memory back.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(2);
const ADDRESS_RETRY: Duration = Duration::from_millis(20);
/// How long somebody who connects waits for the store.
const PATIENCE: Duration = Duration::from_secs(1);

/// An address that the server listens on, and does not answer on yet.
pub(crate) struct Address {
    listener: std::net::TcpListener,
    /// Dropped when the server answers.
    opened: Sender<()>,
    turning_away: JoinHandle<()>,
}

impl Address {
    /// Takes the address, when it is free.
    pub async fn take(address: SocketAddr) -> io::Result<Address> {
        let give_up = Instant::now() + ADDRESS_TIMEOUT;
        loop {
            match listen(address) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse && Instant::now() < give_up => {
                    tokio::time::sleep(ADDRESS_RETRY).await;
                }
                listening => return Address::of(listening?.into_std()?, PATIENCE),
            }
        }
    }

    fn of(listener: std::net::TcpListener, patience: Duration) -> io::Result<Address> {
        let waiting = listener.try_clone()?;
        let (opened, is_opened) = mpsc::channel::<()>();
        let turn_away = move || {
            while is_opened.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                // Everybody who waits by now, and nobody who comes meanwhile. The listener does not block.
                (0..BACKLOG).take_while(|_| waiting.accept().is_ok()).for_each(drop);
            }
        };
        let turning_away = std::thread::Builder::new().name("turn-away".to_owned()).spawn(turn_away)?;
        Ok(Address { listener, opened, turning_away })
    }

    /// From here on connections are accepted by whoever has the listener.
    pub fn open(self) -> io::Result<TcpListener> {
        let Address { listener, opened, turning_away } = self;
        drop(opened);
        if turning_away.join().is_err() {
            tracing::error!("the thread that turned connections away has panicked");
        }
        TcpListener::from_std(listener)
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // The connections of a server before this one may not be quite gone.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpStream;

    use super::*;

    const LOCAL: &str = "127.0.0.1:0";

    #[tokio::test]
    async fn an_address_is_taken_at_once() {
        let first = Address::take(LOCAL.parse().unwrap()).await.unwrap();
        let address = first.listener.local_addr().unwrap();
        // With the option that lets another server bind it too.
        assert_eq!(listen(address).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        let error = Address::take(address).await.err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    }

    #[tokio::test]
    async fn an_address_that_somebody_is_about_to_leave_is_waited_for() {
        let first = listen(LOCAL.parse().unwrap()).unwrap();
        let address = first.local_addr().unwrap();
        let (taken, ()) = tokio::join!(Address::take(address), async {
            tokio::task::yield_now().await;
            drop(first);
        });
        assert_eq!(taken.unwrap().listener.local_addr().unwrap(), address);
    }

    #[tokio::test]
    async fn who_connects_before_the_store_is_open_waits_a_little_and_not_for_long() {
        let listener = || listen(LOCAL.parse().unwrap()).unwrap().into_std().unwrap();
        // A store that is not opened.
        let address = Address::of(listener(), Duration::from_millis(1)).unwrap();
        let mut early = TcpStream::connect(address.listener.local_addr().unwrap()).unwrap();
        early.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        assert!(matches!(early.read(&mut [0]), Ok(0) | Err(_)), "it is turned away");
        drop(address.open().unwrap());
        // One that is opened in time.
        let address = Address::of(listener(), Duration::from_secs(120)).unwrap();
        let waiting = TcpStream::connect(address.listener.local_addr().unwrap()).unwrap();
        let (_accepted, peer) = address.open().unwrap().accept().await.unwrap();
        assert_eq!(peer, waiting.local_addr().unwrap());
    }
}
