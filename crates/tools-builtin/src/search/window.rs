//! The part of a file that is in memory.

use std::io::{self, Read};

use memchr::memrchr;

use crate::buffer::Buffer;

/// How much of a file is in memory at first: most files whole.
const FIRST_BYTES: usize = 128 * 1024;

/// How far a window grows for one long line.
pub(super) const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The part of a file that is in memory. The buffer is used again for the next file.
#[derive(Debug)]
pub(super) struct Window {
    buffer: Buffer,
    /// How large the buffer is when a file is opened.
    first_bytes: usize,
    filled: usize,
    /// How much of the file was read, this and what was before.
    read: u64,
    /// The size of the file, where the disk tells one.
    size: u64,
    is_at_end: bool,
}

impl Default for Window {
    fn default() -> Self {
        Self::of(FIRST_BYTES)
    }
}

impl Window {
    /// A window that begins with so many bytes.
    pub(super) fn of(first_bytes: usize) -> Self {
        Self {
            buffer: Buffer::default(),
            first_bytes,
            filled: 0,
            read: 0,
            size: 0,
            is_at_end: false,
        }
    }

    /// Begins with a file of `size` bytes.
    pub(super) fn open(&mut self, file: &mut impl Read, size: u64) -> io::Result<()> {
        // A buffer that one long line has stretched is not kept for the files behind it.
        if self.buffer.len() != self.first_bytes {
            self.buffer = Buffer::of_zeros(self.first_bytes);
        }
        (self.filled, self.read, self.size) = (0, 0, size);
        self.is_at_end = false;
        self.fill(file)
    }

    /// What is in memory now.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }

    /// Whether this is the last part.
    pub(super) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Up to where whole lines stand that have `lines` whole lines behind them.
    pub(super) fn end_of_lines(&self, lines: usize) -> usize {
        if self.is_at_end {
            return self.filled;
        }
        let mut end = self.filled;
        for _ in 0..=lines {
            let before = self.bytes().get(..end).unwrap_or_default();
            let Some(line_break) = memrchr(b'\n', before) else {
                return 0;
            };
            end = line_break;
        }
        end + 1
    }

    /// Where the `lines` lines before `at`, which begins a line, have their line break in front.
    pub(super) fn start_of_lines(&self, at: usize, lines: usize) -> usize {
        let mut start = at;
        for _ in 0..=lines {
            let before = self.bytes().get(..start).unwrap_or_default();
            let Some(line_break) = memrchr(b'\n', before) else {
                return 0;
            };
            start = line_break;
        }
        start
    }

    /// Lets go of the first bytes.
    pub(super) fn discard(&mut self, bytes: usize) {
        self.buffer.copy_within(bytes..self.filled, 0);
        self.filled -= bytes;
    }

    /// Reads on. A window that is full grows; `false` when it may not.
    pub(super) fn read_on(&mut self, file: &mut impl Read) -> io::Result<bool> {
        if self.filled == self.buffer.len() {
            if self.filled >= MAX_BYTES {
                return Ok(false);
            }
            self.buffer.resize(self.filled * 2);
        }
        self.fill(file).map(|()| true)
    }

    fn fill(&mut self, file: &mut impl Read) -> io::Result<()> {
        while let Some(room) = self.buffer.get_mut(self.filled..)
            && !room.is_empty()
            && !self.is_at_end
        {
            match file.read(room) {
                Ok(count) => {
                    self.filled += count;
                    self.read += count as u64;
                    // The size spares asking for an end that is known; some files have none and text all the same.
                    self.is_at_end = count == 0 || self.read == self.size;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
