//! Source with an adjustable read limit.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

/// Source with a read limit. `ZipArchive::new` itself does not limit the number of bytes that it
/// reads.
#[derive(Debug)]
pub(super) struct LimitedReader<R> {
    source: R,
    left: Rc<Cell<u64>>,
}

impl<R> LimitedReader<R> {
    /// Creates a source that reads at most `left` bytes. `left` can be changed later.
    pub(super) fn new(source: R, left: &Rc<Cell<u64>>) -> Self {
        Self {
            source,
            left: Rc::clone(left),
        }
    }
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.get() == 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        let most = usize::try_from(self.left.get()).unwrap_or(usize::MAX);
        let room = most.min(buffer.len());
        let read = self
            .source
            .read(buffer.get_mut(..room).unwrap_or_default())?;
        self.left.set(self.left.get() - read as u64);
        Ok(read)
    }
}

impl<R: Seek> Seek for LimitedReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.source.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn exceeding_limit_is_error_not_eof() {
        let mut metered = LimitedReader::new(Cursor::new(b"12345"), &Rc::new(Cell::new(3)));
        let mut text = String::new();

        let error = metered.read_to_string(&mut text).unwrap_err();

        assert_eq!(
            (text.as_str(), error.kind()),
            ("123", io::ErrorKind::QuotaExceeded)
        );
    }
}
