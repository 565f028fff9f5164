//! A connection as h2 reads it: the preface first, which was read already, then in turns, and control frames no faster than
//! at a bounded rate.
//!
//! h2 reads and writes for as long as there is something to read or to write. So it is given little at a time, and nothing
//! more when its turn is over, or as long as the socket is full of what the other side has not read.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Sleep;

use super::Peer;
use super::frames::Frames;
use crate::scheduler;

/// What every client sends first.
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// How much is read at once: what is in it is done before the turn can end. About 50 calls.
const READ_BYTES: usize = 4 * 1024;

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
    /// The end of the turn in which something was written last.
    wrote: Option<Instant>,
    /// Who is to be woken when it may be read again.
    reader: Option<Waker>,
    /// Whether one read is due although the socket is full: it was not in between.
    read_once: bool,
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
            wrote: None,
            reader: None,
            read_once: false,
            _place: place,
        }
    }

    /// The other end.
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Waits for the next turn if this one is over, unless nothing was written in it: whoever reads without end writes too.
    fn poll_write_turn(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let turn_end = scheduler::turn_end();
        if turn_end.is_some() && self.wrote == turn_end && scheduler::turn_is_over() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.wrote = turn_end;
        Poll::Ready(())
    }

    /// Notes what came of a write. Whoever waits to read is woken when the socket is full no more.
    fn note_write(&mut self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Ready(Ok(bytes)) => {
                self.read_once |= self.peer.progress.is_blocked();
                self.peer.progress.note_written(*bytes);
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => return self.peer.progress.note_blocked(),
        }
        self.reader.take().into_iter().for_each(Waker::wake);
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
        // Whoever does not read what they are answered asks for no more: heads and ends of answers are counted nowhere. Whoever
        // reads slowly asks for a little each time that the socket has taken something.
        let is_due = std::mem::take(&mut this.read_once);
        if this.peer.progress.is_blocked() && !is_due {
            this.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        if scheduler::turn_is_over() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if this.held_back.is_empty() {
            let mut part = ReadBuf::new(buffer.initialize_unfilled_to(READ_BYTES.min(buffer.remaining())));
            ready!(Pin::new(&mut this.io).poll_read(context, &mut part))?;
            let read = part.filled();
            let (passed, wait) = this.frames.admit(read, Instant::now);
            this.held_back.extend_from_slice(&read[passed..]);
            buffer.advance(passed);
            this.pause = wait.map(|wait| Box::pin(tokio::time::sleep(wait)));
            if passed > 0 || this.held_back.is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
        this.poll_held_back(context, buffer).map(Ok)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Socket<T> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_write_turn(context));
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.note_write(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_write_turn(context));
        let written = Pin::new(&mut self.io).poll_write_vectored(context, slices);
        self.note_write(&written);
        written
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::sync::Semaphore;

    use super::*;
    use crate::test_waker::WakeUps;
    use crate::transport::Budgets;

    fn read(socket: &mut Socket<DuplexStream>, context: &mut Context<'_>) -> Poll<usize> {
        let (mut bytes, mut socket) = ([0; 1_024], Pin::new(socket));
        let mut buffer = ReadBuf::new(&mut bytes);
        socket.as_mut().poll_read(context, &mut buffer).map(|read| read.map(|()| buffer.filled().len()).unwrap())
    }

    #[tokio::test]
    async fn nothing_is_read_of_a_connection_that_takes_nothing() {
        let (io, mut client) = duplex(256);
        let place = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        let mut socket = Socket::new(io, Budgets::new().connection(None), place);
        let wake_ups = Arc::new(WakeUps::default());
        let waker = Waker::from(Arc::clone(&wake_ups));
        let mut context = Context::from_waker(&waker);
        assert_eq!(read(&mut socket, &mut context), Poll::Ready(PREFACE.len()));
        // A frame with no bytes of a kind that nobody knows.
        let frame = [0, 0, 0, 0xff, 0, 0, 0, 0, 0];
        client.write_all(&frame).await.unwrap();
        assert_eq!(read(&mut socket, &mut context), Poll::Ready(frame.len()));

        let write = |context: &mut Context<'_>, socket: &mut Socket<_>| {
            Pin::new(socket).poll_write(context, &[7; 200]).map(Result::unwrap)
        };
        assert_eq!(write(&mut context, &mut socket), Poll::Ready(200));
        assert_eq!(write(&mut context, &mut socket), Poll::Ready(56));
        client.write_all(&frame).await.unwrap();
        assert_eq!(read(&mut socket, &mut context), Poll::Ready(frame.len()), "nothing was refused yet");
        assert_eq!(write(&mut context, &mut socket), Poll::Pending);
        client.write_all(&frame).await.unwrap();
        assert_eq!(read(&mut socket, &mut context), Poll::Pending, "the client reads nothing");
        let before = wake_ups.count();
        client.read_exact(&mut [0; 256]).await.unwrap();
        assert_eq!(write(&mut context, &mut socket), Poll::Ready(200));
        assert!(wake_ups.count() > before + 1, "for the write, and for the read");
        assert_eq!(read(&mut socket, &mut context), Poll::Ready(frame.len()));

        // A client that is slow for long is read now and then.
        assert_eq!(write(&mut context, &mut socket), Poll::Ready(56));
        assert_eq!(write(&mut context, &mut socket), Poll::Pending);
        for _ in 0..3 {
            client.write_all(&frame).await.unwrap();
            client.read_exact(&mut [0; 100]).await.unwrap();
            assert_eq!(write(&mut context, &mut socket), Poll::Ready(100));
            assert_eq!(write(&mut context, &mut socket), Poll::Pending);
            assert_eq!(read(&mut socket, &mut context), Poll::Ready(frame.len()), "it has taken something");
            client.write_all(&frame).await.unwrap();
            assert_eq!(read(&mut socket, &mut context), Poll::Pending, "once");
            client.read_exact(&mut [0; 100]).await.unwrap();
            assert_eq!(write(&mut context, &mut socket), Poll::Ready(100));
            assert_eq!(read(&mut socket, &mut context), Poll::Ready(frame.len()));
            assert_eq!(write(&mut context, &mut socket), Poll::Pending);
            assert_eq!(read(&mut socket, &mut context), Poll::Pending);
        }
    }
}
