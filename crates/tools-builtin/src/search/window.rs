//! Part of a file in memory.

use std::io::{self, Read};

use crate::newlines::newline_before;

/// Initial size of the window, which holds most files completely.
// Not the complete file: a search needs 3 MB of memory then, instead of the size of the largest file.
const FIRST_BYTES: usize = 128 * 1024;

/// Maximum size to which a window grows for a long line.
pub(super) const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Part of a file in memory. The buffer is reused for the next file.
#[derive(Debug)]
pub(super) struct FileWindow {
    buffer: Vec<u8>,
    /// Size of the buffer when a file is opened.
    first_bytes: usize,
    filled: usize,
    /// Number of bytes read from the file so far.
    read: u64,
    /// Size of the file, or 0 if unknown.
    size: u64,
    is_at_end: bool,
}

impl Default for FileWindow {
    fn default() -> Self {
        Self::of(FIRST_BYTES)
    }
}

impl FileWindow {
    /// Creates a window of `first_bytes` bytes.
    pub(super) fn of(first_bytes: usize) -> Self {
        Self {
            buffer: Vec::new(),
            first_bytes,
            filled: 0,
            read: 0,
            size: 0,
            is_at_end: false,
        }
    }

    /// Opens a file of `size` bytes.
    pub(super) fn open(&mut self, file: &mut impl Read, size: u64) -> io::Result<()> {
        // Do not keep a buffer that grew for a long line.
        if self.buffer.len() != self.first_bytes {
            self.buffer = vec![0; self.first_bytes];
        }
        (self.filled, self.read, self.size) = (0, 0, size);
        self.is_at_end = false;
        self.fill(file)
    }

    /// Returns the bytes in memory.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }

    /// Returns whether this is the last part of the file.
    pub(super) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Returns the end of the complete lines that are followed by `lines` complete lines.
    pub(super) fn end_of_lines(&self, lines: usize) -> usize {
        if self.is_at_end {
            return self.filled;
        }
        newline_before(self.bytes(), self.filled, lines).map_or(0, |at| at + 1)
    }

    /// Returns the position of the newline before the `lines` lines that precede the line at `at`.
    pub(super) fn start_of_lines(&self, at: usize, lines: usize) -> usize {
        newline_before(self.bytes(), at, lines).unwrap_or_default()
    }

    /// Discards the first bytes.
    pub(super) fn discard(&mut self, bytes: usize) {
        self.buffer.copy_within(bytes..self.filled, 0);
        self.filled -= bytes;
    }

    /// Reads more of the file. A full window grows; returns `false` if it has its maximum size.
    pub(super) fn read_on(&mut self, file: &mut impl Read) -> io::Result<bool> {
        if self.filled == self.buffer.len() {
            if self.filled >= MAX_BYTES {
                return Ok(false);
            }
            self.buffer.resize(self.filled * 2, 0);
        }
        self.fill(file).map(|()| true)
    }

    fn fill(&mut self, file: &mut impl Read) -> io::Result<()> {
        while let Some(free) = self.buffer.get_mut(self.filled..)
            && !free.is_empty()
            && !self.is_at_end
        {
            // Not a memory map, which was 3 to 4 times slower over many files.
            match file.read(free) {
                Ok(count) => {
                    self.filled += count;
                    self.read += count as u64;
                    // A known size saves a read. Special files report size 0 but may have content.
                    self.is_at_end = count == 0 || self.read == self.size;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
