//! A connection as h2 reads it: the preface first, which was read already, then in turns, and control frames no faster than
//! at a bounded rate.
//!
//! h2 reads for as long as there is something to read. A connection that always has something would keep the thread from all
//! others, so reading pauses after so many bytes until every task that is ready has had its turn.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use tokio::time::Sleep;
use tonic::transport::server::Connected;

use super::Peer;
use super::frames::Frames;

/// What every client sends first.
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// What one connection hands on before others have their turn, give or take one read. About 200 calls.
const TURN_BYTES: usize = 16 * 1024;

/// A connection that speaks HTTP/2.
pub struct Socket<T> {
    io: T,
    peer: Peer,
    /// What h2 has not read of the preface.
    preface: &'static [u8],
    frames: Frames,
    /// What was read from the socket and is not handed on yet; no more than one read.
    held_back: Vec<u8>,
    /// Until when.
    pause: Option<Pin<Box<Sleep>>>,
    /// What was handed on in this turn.
    turn: usize,
    /// Done when the others have had their turn.
    others: Option<JoinHandle<()>>,
    _place: OwnedSemaphorePermit,
}

impl<T> Socket<T> {
    /// A connection that has sent the preface.
    pub(super) fn new(io: T, peer: Peer, place: OwnedSemaphorePermit) -> Socket<T> {
        Socket {
            io,
            peer,
            preface: PREFACE,
            frames: Frames::new(Instant::now()),
            held_back: Vec::new(),
            pause: None,
            turn: 0,
            others: None,
            _place: place,
        }
    }

    /// Waits for the next turn, if this one is over.
    fn poll_turn(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.turn >= TURN_BYTES && self.others.is_none() {
            // An empty task runs after all that are ready now. Waking oneself is not enough: h2 is asked for calls again and
            // again in one turn, and asks for bytes each time.
            self.others = Some(tokio::spawn(async {}));
        }
        if let Some(others) = &mut self.others {
            // It cannot fail; and if the runtime goes down, nobody reads any more.
            drop(ready!(Pin::new(others).poll(context)));
            (self.others, self.turn) = (None, 0);
        }
        Poll::Ready(())
    }

    /// Hands on what was held back, as far as it may be read now.
    fn poll_held_back(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<()> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(context));
                self.pause = None;
            }
            let length = self.held_back.len().min(buffer.remaining());
            let (passed, wait) = self.frames.admit(&self.held_back[..length], Instant::now);
            self.pause = wait.map(|wait| Box::pin(tokio::time::sleep(wait)));
            if passed > 0 {
                buffer.put_slice(&self.held_back[..passed]);
                self.held_back.drain(..passed);
                if self.held_back.is_empty() {
                    self.held_back = Vec::new();
                }
                self.turn += passed;
                return Poll::Ready(());
            }
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Socket<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        if !this.preface.is_empty() {
            let (now, later) = this.preface.split_at(this.preface.len().min(buffer.remaining()));
            buffer.put_slice(now);
            this.preface = later;
            return Poll::Ready(Ok(()));
        }
        ready!(this.poll_turn(context));
        if this.held_back.is_empty() {
            let before = buffer.filled().len();
            match Pin::new(&mut this.io).poll_read(context, buffer) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    // Nothing is there: whoever is ready has a turn anyway.
                    this.turn = 0;
                    return Poll::Pending;
                }
            }
            let read = &buffer.filled()[before..];
            let (passed, wait) = this.frames.admit(read, Instant::now);
            this.turn += passed;
            if wait.is_none() {
                return Poll::Ready(Ok(()));
            }
            this.held_back.extend_from_slice(&read[passed..]);
            buffer.set_filled(before + passed);
            this.pause = wait.map(|wait| Box::pin(tokio::time::sleep(wait)));
            if passed > 0 {
                return Poll::Ready(Ok(()));
            }
        }
        this.poll_held_back(context, buffer).map(Ok)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Socket<T> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

impl<T> Connected for Socket<T> {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}
