//! Splitting of bytes into lines.

use super::PushError;

/// Line splitter for bytes in arbitrary chunks. Lines end in CR, LF or CRLF.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    line: Vec<u8>,
    after_return: bool,
    begun: bool,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Lines {
    /// Passes each line that ends in `bytes` to `take`, without its line ending.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        limit: usize,
        mut take: impl FnMut(&[u8]) -> Result<(), PushError>,
    ) -> Result<(), PushError> {
        let mut chunks = bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r'));
        chunks.try_for_each(|chunk| {
            let after_return = std::mem::take(&mut self.after_return);
            let (text, end) = match chunk.split_last() {
                Some((end @ (b'\n' | b'\r'), text)) => (text, Some(*end)),
                _ => (chunk, None),
            };
            // A CRLF may be split over two chunks, so this is the rest of the last line ending.
            if after_return && chunk == b"\n" {
                return Ok(());
            }
            if self.line.len().saturating_add(text.len()) > limit {
                return Err(PushError::EventTooLong { limit });
            }
            self.line.extend_from_slice(text);
            let Some(end) = end else { return Ok(()) };
            self.after_return = end == b'\r';
            let line = std::mem::take(&mut self.line);
            let taken = take(self.unmarked(&line));
            // Reuse the buffer for the next line.
            self.line = line;
            self.line.clear();
            taken
        })
    }

    /// Returns the last line if it has no line ending.
    pub(crate) fn take_rest(&mut self) -> Vec<u8> {
        let line = std::mem::take(&mut self.line);
        self.unmarked(&line).to_vec()
    }

    /// Removes the byte order mark from the first line.
    fn unmarked<'l>(&mut self, line: &'l [u8]) -> &'l [u8] {
        if std::mem::replace(&mut self.begun, true) {
            return line;
        }
        line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for chunk in chunks {
            let taken = lines.push(chunk, 100, |line| {
                found.push(String::from_utf8(line.to_vec()).unwrap());
                Ok(())
            });
            assert_eq!(taken, Ok(()));
        }
        found
    }

    #[test]
    fn splits_at_every_line_ending_in_any_chunks() {
        let text = "\u{feff}a\r\nb\rc\n\n\r\n\rd\n".as_bytes();

        for cut in 0..=text.len() {
            let (head, tail) = text.split_at(cut);

            assert_eq!(
                lines(&[head, tail]),
                ["a", "b", "c", "", "", "", "d"],
                "{cut}"
            );
        }
    }

    #[test]
    fn rejects_unterminated_line_over_limit() {
        let mut lines = Lines::default();

        let first = lines.push(b"12345", 8, |_| Ok(()));
        let second = lines.push(b"6789", 8, |_| Ok(()));

        assert_eq!(first, Ok(()));
        assert_eq!(second, Err(PushError::EventTooLong { limit: 8 }));
        assert_eq!(lines.take_rest(), b"12345");
    }
}
