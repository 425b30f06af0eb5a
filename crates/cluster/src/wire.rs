//! Connections that are watched: how many bytes go over them, whether a message is larger than any that we send, and who was lost.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use timely::communication::allocator::zero_copy::stream::Stream;

/// Bytes of a message at the most: several parcels.
const MOST_BYTES: u64 = 4 * search::members::MOST_BYTES as u64;
/// Bytes before a message: six numbers, of which the fifth is its length.
const HEAD: usize = 48;
const LENGTH_AT: usize = 32;

/// What connections have seen.
#[derive(Debug, Default)]
pub struct Losses {
    lost: Mutex<Vec<(usize, String)>>,
    bytes: AtomicU64,
}

impl Losses {
    /// The first process that was lost, and why.
    pub fn first(&self) -> Option<(usize, String)> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).first().cloned()
    }

    /// Bytes that went out.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn note(&self, peer: usize, why: String) {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).push((peer, why));
    }
}

/// Watches the connections to all others.
pub fn watched(sockets: Vec<Option<TcpStream>>, losses: &Arc<Losses>) -> Vec<Option<Wire>> {
    let watch = |(peer, socket): (usize, Option<TcpStream>)| {
        socket.map(|stream| Wire { stream, peer, losses: Arc::clone(losses), frame: Frame::default() })
    };
    sockets.into_iter().enumerate().map(watch).collect()
}

/// Whether a panic is what timely does where a connection breaks: it is said by whoever watches the connections.
pub fn is_about_a_connection(panic: &PanicHookInfo<'_>) -> bool {
    let is_timelys = |text: &str| {
        text.starts_with("timely communication error") || text.starts_with("MergeQueue poisoned")
    };
    panic.payload_as_str().is_some_and(is_timelys)
}

/// A connection.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    peer: usize,
    losses: Arc<Losses>,
    frame: Frame,
}

/// Where in a message the reader is.
#[derive(Debug, Default)]
struct Frame {
    head: Vec<u8>,
    /// Bytes of the message that are still to come.
    left: u64,
    /// The last message said that no other follows.
    is_last: bool,
}

impl Frame {
    /// Goes over bytes that were read; the length of a message that is too large.
    fn advance(&mut self, mut bytes: &[u8]) -> Result<(), u64> {
        while !bytes.is_empty() {
            let skipped = (bytes.len() as u64).min(self.left);
            bytes = &bytes[skipped as usize..];
            self.left -= skipped;
            if self.left > 0 || bytes.is_empty() {
                break;
            }
            let (head, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
            self.head.extend(head);
            bytes = rest;
            if self.head.len() == HEAD {
                let mut length = [0; 8];
                length.copy_from_slice(&self.head[LENGTH_AT..LENGTH_AT + 8]);
                self.left = u64::from_be_bytes(length);
                self.is_last = self.left == 0;
                self.head.clear();
                if self.left > MOST_BYTES {
                    return Err(self.left);
                }
            }
        }
        Ok(())
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer);
        match &read {
            Ok(0) if !self.frame.is_last => {
                self.losses.note(self.peer, "it has closed the connection".to_string());
            }
            Ok(count) => {
                if let Err(length) = self.frame.advance(&buffer[..*count]) {
                    let why = format!("it announces a message of {length} bytes, which nobody sends");
                    self.losses.note(self.peer, why.clone());
                    return Err(io::Error::new(io::ErrorKind::InvalidData, why));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.losses.note(self.peer, error.to_string()),
        }
        read
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes);
        match &written {
            Ok(count) => {
                self.losses.bytes.fetch_add(*count as u64, Ordering::Relaxed);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.losses.note(self.peer, error.to_string()),
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Stream for Wire {
    fn try_clone(&self) -> io::Result<Wire> {
        let (peer, losses, frame) = (self.peer, Arc::clone(&self.losses), Frame::default());
        Ok(Wire { stream: self.stream.try_clone()?, peer, losses, frame })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.stream.shutdown(how)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(length: u64, bytes: u64) -> Vec<u8> {
        let mut message = vec![0; HEAD];
        message[LENGTH_AT..LENGTH_AT + 8].copy_from_slice(&length.to_be_bytes());
        message.resize(HEAD + bytes as usize, 7);
        message
    }

    #[test]
    fn messages_are_measured_however_they_are_cut() {
        let mut bytes = message(100, 100);
        bytes.extend(message(3, 3));
        bytes.extend(message(0, 0));
        for size in 1..bytes.len() {
            let mut frame = Frame::default();
            for part in bytes.chunks(size) {
                assert!(!frame.is_last);
                assert_eq!(frame.advance(part), Ok(()));
            }
            assert!(frame.is_last && frame.left == 0);
        }
    }

    #[test]
    fn a_message_that_is_too_large_is_noticed_by_its_head() {
        let mut frame = Frame::default();
        assert_eq!(frame.advance(&message(5, 5)), Ok(()));
        assert_eq!(frame.advance(&message(MOST_BYTES + 1, 0)), Err(MOST_BYTES + 1));
    }
}
