//! Buffers for file contents, aligned for fast copies.

use std::io::{self, BufRead, Read};
use std::ops::{Deref, DerefMut};

/// Page size in bytes. Larger pages are multiples of it.
const PAGE: usize = 4096;

/// Offset in a page at which a large buffer starts.
const MIDDLE: usize = 2048;

/// Minimum size in bytes of an aligned buffer.
const LARGE: usize = 32 * 1024;

/// Chunk size in bytes: a chunk is still in the CPU cache when it is checked for ASCII.
const PIECE: usize = 256 * 1024;

/// Byte buffer that starts in the middle of a page if it is large.
///
/// Files start at a page boundary, and some CPUs copy nine times slower to a destination whose page
/// offset is 1 to 31 bytes larger than the offset of the source. Allocators place large blocks 16
/// bytes into a page. The middle of a page is farthest from this range, so that copies out of the
/// buffer are fast as well, even if a few bytes are added or removed at the front.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    /// Number of padding bytes before the content.
    start: usize,
    /// Whether the content was found to be ASCII while it was read.
    is_ascii: bool,
}

impl Buffer {
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

    /// Truncates the buffer or extends it with zeros. Reallocation may change the alignment.
    pub(crate) fn resize(&mut self, len: usize) {
        self.bytes.resize(self.start + len, 0);
    }

    /// Appends the rest of `source`.
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

    /// Returns whether the content is known to be ASCII; `false` if it was not checked.
    pub(crate) fn was_ascii(&self) -> bool {
        self.is_ascii
    }

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

/// Returns the number of padding bytes up to the middle of a page.
fn before_the_middle(bytes: &[u8]) -> usize {
    (PAGE + MIDDLE - bytes.as_ptr().addr() % PAGE) % PAGE
}

/// Like [`BufReader`](io::BufReader), but reads into a [`Buffer`].
#[derive(Debug)]
pub(crate) struct BufferReader<R> {
    source: R,
    piece: Buffer,
    /// Start of the unread bytes in `piece`.
    start: usize,
    end: usize,
}

impl<R> BufferReader<R> {
    /// Creates a reader that reads at most `capacity` bytes at a time.
    pub(crate) fn with_capacity(capacity: usize, source: R) -> Self {
        Self {
            source,
            piece: Buffer::of_zeros(capacity),
            start: 0,
            end: 0,
        }
    }

    /// Returns the source, positioned after all bytes read so far.
    #[cfg(feature = "office")]
    pub(crate) fn source(&mut self) -> &mut R {
        &mut self.source
    }

    #[cfg(feature = "office")]
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
    fn large_buffer_starts_in_middle_of_page() {
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
    fn buffer_contains_exactly_read_bytes() {
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
    fn detects_ascii_while_reading() {
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
    fn reader_returns_source_bytes() {
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
