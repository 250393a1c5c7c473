//! Bytes of an archive while it is received.

use std::io::{self, Read};

use flate2::read::GzDecoder;
use tokio::sync::mpsc;

use super::invalid;

/// Maximum unpacked size in bytes.
const MAX_UNPACKED: u64 = 400 * 1024 * 1024;
/// Maximum ratio of the unpacked and the packed size.
const MAX_RATIO: u64 = 200;
/// Unpacked size below which any ratio is allowed.
const FREE: u64 = 1024 * 1024;

/// Chunks of a response that another task receives. Reading blocks, and ends when the sender is dropped.
pub(in crate::github) struct Chunks {
    receiver: mpsc::Receiver<Vec<u8>>,
    chunk: io::Cursor<Vec<u8>>,
}

impl Chunks {
    pub(in crate::github) fn new(receiver: mpsc::Receiver<Vec<u8>>) -> Self {
        Self {
            receiver,
            chunk: io::Cursor::default(),
        }
    }
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.chunk.read(buffer)? {
                0 if !buffer.is_empty() => match self.receiver.blocking_recv() {
                    Some(chunk) => self.chunk = io::Cursor::new(chunk),
                    None => return Ok(0),
                },
                read => return Ok(read),
            }
        }
    }
}

/// Unpacked bytes. Reading fails if they are too many for the packed bytes that were read.
pub(super) struct Unpacked<R> {
    decoder: GzDecoder<Counted<R>>,
    unpacked: u64,
}

struct Counted<R> {
    reader: R,
    count: u64,
}

impl<R: Read> Unpacked<R> {
    pub(super) fn new(packed: R) -> Self {
        let counted = Counted {
            reader: packed,
            count: 0,
        };
        Self {
            decoder: GzDecoder::new(counted),
            unpacked: 0,
        }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(buffer)?;
        self.unpacked = self.unpacked.saturating_add(read as u64);
        let packed = self.decoder.get_ref().count;
        let allowed = packed.saturating_mul(MAX_RATIO).clamp(FREE, MAX_UNPACKED);
        if self.unpacked > allowed {
            return Err(invalid("the archive is too large"));
        }
        Ok(read)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.count = self.count.saturating_add(read as u64);
        Ok(read)
    }
}
