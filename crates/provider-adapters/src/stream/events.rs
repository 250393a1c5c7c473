//! Splitting of bytes into events: server-sent events or JSON Lines.

use super::PushError;
use crate::wire::Framing;

/// Event splitter for bytes in arbitrary chunks.
#[derive(Debug)]
pub(crate) struct Events {
    framing: Framing,
    lines: Lines,
    data: Data,
}

/// `data` field of the current event.
#[derive(Debug, Default)]
struct Data {
    text: Vec<u8>,
    has_any: bool,
}

impl Events {
    pub(crate) fn new(framing: Framing) -> Self {
        Self {
            framing,
            lines: Lines::default(),
            data: Data::default(),
        }
    }

    /// Passes the payload of each event that ends in `bytes` to `take`.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), PushError>,
    ) -> Result<(), PushError> {
        let data = &mut self.data;
        match self.framing {
            Framing::Binary => Err(PushError::NoText),
            Framing::Lines => self.lines.push(bytes, take),
            Framing::Events => self.lines.push(bytes, |line| data.line(line, &mut take)),
        }
    }

    /// Returns the payload of the last event if it is not terminated.
    pub(crate) fn take_rest(&mut self) -> Vec<u8> {
        let line = self.lines.take_rest();
        if self.framing != Framing::Events {
            return line;
        }
        // The standard discards an event without an empty line after it, but some servers omit the last one.
        self.data.add(&line);
        std::mem::take(&mut self.data.text)
    }
}

impl Data {
    fn line(
        &mut self,
        line: &[u8],
        take: &mut impl FnMut(&[u8]) -> Result<(), PushError>,
    ) -> Result<(), PushError> {
        if !line.is_empty() {
            self.add(line);
            return Ok(());
        }
        let taken = if std::mem::take(&mut self.has_any) {
            take(&self.text)
        } else {
            Ok(())
        };
        self.text.clear();
        taken
    }

    /// Adds a line of `data`. Comments and other fields are ignored.
    fn add(&mut self, line: &[u8]) {
        let Some(value) = line.strip_prefix(b"data") else {
            return;
        };
        let value = match value.strip_prefix(b":") {
            Some(value) => value.strip_prefix(b" ").unwrap_or(value),
            // The standard for server-sent events: a field without a colon is empty, and one space after it is removed.
            None if value.is_empty() => value,
            None => return,
        };
        if std::mem::replace(&mut self.has_any, true) {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(value);
    }
}

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
        mut take: impl FnMut(&[u8]) -> Result<(), PushError>,
    ) -> Result<(), PushError> {
        for chunk in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            // A CRLF may be split over two chunks, so this is the rest of the last line ending.
            if std::mem::take(&mut self.after_return) && chunk == b"\n" {
                continue;
            }
            let Some((end @ (b'\n' | b'\r'), text)) = chunk.split_last() else {
                self.line.extend_from_slice(chunk);
                continue;
            };
            self.line.extend_from_slice(text);
            self.after_return = *end == b'\r';
            let mut line = std::mem::take(&mut self.line);
            take(self.unmarked(&line))?;
            // Reuse the buffer for the next line.
            line.clear();
            self.line = line;
        }
        Ok(())
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

    fn payloads(framing: Framing, text: &str, cut: usize) -> Vec<String> {
        let mut events = Events::new(framing);
        let mut found = Vec::new();
        let (head, tail) = text.as_bytes().split_at(cut);
        for chunk in [head, tail] {
            let taken = events.push(chunk, |payload| {
                found.push(String::from_utf8(payload.to_vec()).unwrap());
                Ok(())
            });
            assert_eq!(taken, Ok(()));
        }
        found.push(String::from_utf8(events.take_rest()).unwrap());
        found
    }

    #[test]
    fn joins_data_lines_and_ignores_other_fields() {
        let text = ": hi\n\nevent: x\ndata: a\nid: 1\ndata:b\n\ndata\n\ndatabase: c\nretry: 1\n\ndata:  d\r\n\r\ndata: é";

        for cut in 0..=text.len() {
            assert_eq!(
                payloads(Framing::Events, text, cut),
                ["a\nb", "", " d", "é"],
                "{cut}"
            );
        }
    }

    #[test]
    fn treats_each_line_as_event() {
        assert_eq!(
            payloads(Framing::Lines, "{}\r\n\ndata: x\n1", 3),
            ["{}", "", "data: x", "1"]
        );
    }

    #[test]
    fn rejects_bytes_of_binary_streams() {
        let mut events = Events::new(Framing::Binary);

        assert_eq!(events.push(b"x", |_| Ok(())), Err(PushError::NoText));
    }

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for chunk in chunks {
            let taken = lines.push(chunk, |line| {
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
}
