//! Lines out of bytes that are cut anywhere.

use super::PushError;

/// The lines of a text, each without its end, which is CR, LF or both.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    line: Vec<u8>,
    after_return: bool,
    begun: bool,
}

const MARK: &[u8] = b"\xef\xbb\xbf";

impl Lines {
    /// Gives every line that comes to its end in `bytes`.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        limit: usize,
        mut take: impl FnMut(&[u8]) -> Result<(), PushError>,
    ) -> Result<(), PushError> {
        let mut pieces = bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r'));
        pieces.try_for_each(|piece| {
            let after_return = std::mem::take(&mut self.after_return);
            let (text, end) = match piece.split_last() {
                Some((end @ (b'\n' | b'\r'), text)) => (text, Some(*end)),
                _ => (piece, None),
            };
            if after_return && piece == b"\n" {
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
            // The room is kept for the next line.
            self.line = line;
            self.line.clear();
            taken
        })
    }

    /// The last line, where it has no end.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let line = std::mem::take(&mut self.line);
        self.unmarked(&line).to_vec()
    }

    /// The line without the mark of byte order that a text may begin with.
    fn unmarked<'l>(&mut self, line: &'l [u8]) -> &'l [u8] {
        if std::mem::replace(&mut self.begun, true) {
            return line;
        }
        line.strip_prefix(MARK).unwrap_or(line)
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
    fn every_kind_of_line_end_is_one_end_wherever_it_is_cut() {
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
    fn a_line_without_end_is_held_up_to_the_limit() {
        let mut lines = Lines::default();

        let first = lines.push(b"12345", 8, |_| Ok(()));
        let second = lines.push(b"6789", 8, |_| Ok(()));

        assert_eq!(first, Ok(()));
        assert_eq!(second, Err(PushError::EventTooLong { limit: 8 }));
        assert_eq!(lines.rest(), b"12345");
    }
}
