//! Memory for what is read from the disk, where that is quick.

use std::io::{self, BufRead, Read};
use std::ops::{Deref, DerefMut};

/// The size of a page of memory, or a part of one where they are larger.
const PAGE: usize = 4096;

/// Where in a page a large buffer begins.
const MIDDLE: usize = 2048;

/// A buffer of less than this begins anywhere.
const LARGE: usize = 32 * 1024;

/// How much is read before it is looked at: it is near the processor then.
const PIECE: usize = 256 * 1024;

/// Bytes that begin in the middle of a page of memory, if they are many.
///
/// Files begin with a page, and some processors copy nine times slower to a place that stands 1 to 31 bytes further on in
/// its page than what is copied stands in its own. That is just where allocators put what is large: 16 bytes further on.
/// The middle is as far away from there as can be, so that it is not slow either to write from there with some bytes more
/// or less in front.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    /// How many of them are there only for the others to stand where they do.
    start: usize,
    /// Whether they were seen to be ASCII alone when they were read.
    is_ascii: bool,
}

impl Buffer {
    /// An empty buffer that takes so many bytes before it is moved.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        if capacity < LARGE {
            return Vec::with_capacity(capacity).into();
        }
        let mut bytes = Vec::with_capacity(capacity.saturating_add(PAGE));
        let start = before_the_middle(&bytes);
        bytes.resize(start, 0);
        Self {
            bytes,
            start,
            is_ascii: true,
        }
    }

    /// A buffer full of zeros.
    pub(crate) fn of_zeros(len: usize) -> Self {
        if len < LARGE {
            return vec![0; len].into();
        }
        let mut bytes = vec![0; len.saturating_add(PAGE)];
        let start = before_the_middle(&bytes);
        bytes.truncate(start + len);
        Self {
            bytes,
            start,
            is_ascii: false,
        }
    }

    /// Adds zeros, or takes bytes away. What is moved for that begins anywhere.
    #[cfg(feature = "search")]
    pub(crate) fn resize(&mut self, len: usize) {
        self.bytes.resize(self.start + len, 0);
    }

    /// Adds all that is left of `source`.
    pub(crate) fn read_to_end(&mut self, source: &mut impl Read) -> io::Result<usize> {
        let before = self.bytes.len();
        loop {
            let from = self.bytes.len();
            let mut piece = source.by_ref().take(PIECE as u64);
            let count = piece.read_to_end(&mut self.bytes)?;
            self.is_ascii &= self.bytes.get(from..).is_some_and(<[u8]>::is_ascii);
            if count < PIECE {
                return Ok(self.bytes.len() - before);
            }
        }
    }

    /// Whether all bytes were seen to be ASCII when they were read; `false` also where nobody looked.
    pub(crate) fn was_ascii(&self) -> bool {
        self.is_ascii
    }

    /// The bytes alone.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.drain(..self.start);
        self.bytes
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            start: 0,
            is_ascii: false,
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.is_ascii = false;
        self.bytes.get_mut(self.start..).unwrap_or_default()
    }
}

/// How far behind the beginning the middle of the next page stands.
fn before_the_middle(bytes: &[u8]) -> usize {
    (PAGE + MIDDLE - bytes.as_ptr().addr() % PAGE) % PAGE
}

/// Reads a file piece by piece, as [`BufReader`](io::BufReader) does, into such a buffer.
#[derive(Debug)]
pub(crate) struct BufferReader<R> {
    source: R,
    piece: Buffer,
    /// What was read and not taken.
    start: usize,
    end: usize,
}

impl<R> BufferReader<R> {
    /// Reads at most so many bytes at once.
    pub(crate) fn with_capacity(capacity: usize, source: R) -> Self {
        Self {
            source,
            piece: Buffer::of_zeros(capacity),
            start: 0,
            end: 0,
        }
    }

    /// What is read from; it stands behind what was read already.
    #[cfg(feature = "docx")]
    pub(crate) fn source(&mut self) -> &mut R {
        &mut self.source
    }

    /// Begins at the beginning again.
    #[cfg(feature = "docx")]
    pub(crate) fn rewind(&mut self) -> io::Result<()>
    where
        R: io::Seek,
    {
        (self.start, self.end) = (0, 0);
        self.source.rewind()
    }
}

impl<R: Read> BufRead for BufferReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            self.end = self.source.read(&mut self.piece)?;
        }
        Ok(self.piece.get(self.start..self.end).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        self.start = self.end.min(self.start + amount);
    }
}

impl<R: Read> Read for BufferReader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let size = self.fill_buf()?.read(to)?;
        self.consume(size);
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_large_buffer_begins_in_the_middle_of_a_page() {
        for len in [LARGE, LARGE + 1, 10 * LARGE, 200 * LARGE] {
            for mut buffer in [Buffer::of_zeros(len), Buffer::with_capacity(len)] {
                buffer
                    .read_to_end(&mut io::repeat(1).take((len - buffer.len()) as u64))
                    .unwrap();

                assert_eq!((buffer.len(), buffer.as_ptr().addr() % PAGE), (len, MIDDLE));
            }
        }
    }

    #[test]
    fn a_buffer_holds_what_was_read_and_nothing_else() {
        for len in [0, 1, LARGE - 1, LARGE, LARGE + 1] {
            let text = vec![b'x'; len];
            for capacity in [0, len, 2 * LARGE] {
                let mut buffer = Buffer::with_capacity(capacity);
                assert!(buffer.is_empty());

                buffer.read_to_end(&mut text.as_slice()).unwrap();

                assert!(*buffer == *text, "{len} {capacity}");
                assert!(buffer.into_bytes() == text, "{len} {capacity}");
            }
            assert!(*Buffer::of_zeros(len) == *vec![0; len], "{len}");
        }
    }

    #[test]
    fn what_is_read_is_known_to_be_ascii_only_where_it_is() {
        let text = vec![b'x'; 2 * PIECE + 5];
        let mut buffer = Buffer::with_capacity(text.len());
        buffer.read_to_end(&mut text.as_slice()).unwrap();
        assert!(buffer.was_ascii() && *buffer == *text);
        for place in [0, PIECE - 1, PIECE, 2 * PIECE + 4] {
            let mut other = text.clone();
            other[place] = 0x80;
            let mut buffer = Buffer::with_capacity(text.len());

            buffer.read_to_end(&mut other.as_slice()).unwrap();

            assert!(!buffer.was_ascii() && *buffer == *other, "{place}");
        }
        buffer[0] = 0x80;
        assert!(!buffer.was_ascii());
    }

    #[test]
    fn pieces_are_what_the_source_holds() {
        let text: Vec<u8> = (0..=255).cycle().take(LARGE + 5).collect();
        for capacity in [1, 7, LARGE, 2 * LARGE] {
            let mut reader = BufferReader::with_capacity(capacity, Cursor::new(&text));
            let mut read = Vec::new();

            assert_eq!(
                reader.fill_buf().unwrap(),
                &text[..capacity.min(text.len())]
            );
            reader.consume(1);
            reader.read_to_end(&mut read).unwrap();

            assert!(read == text[1..], "{capacity}");
        }
    }
}
