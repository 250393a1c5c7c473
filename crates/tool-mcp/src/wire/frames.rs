//! Messages in a stream of bytes: one per line, or an object over several lines.

/// Number of bytes that are kept of both ends of an oversized message, to find its id.
pub(super) const END: usize = 1024;

/// Text that may be a message.
#[derive(Debug, PartialEq)]
pub(super) enum Frame {
    Message(Vec<u8>),
    /// Beginning and end of a message over the limit.
    TooLarge(Vec<u8>, Vec<u8>),
}

/// Collects the bytes of a message. Some peers print objects over several lines, so a line that begins an object
/// continues until its end.
#[derive(Debug, Default)]
pub(super) struct Frames {
    max_message: usize,
    /// Message that is being read, or its beginning if it is oversized.
    text: Vec<u8>,
    /// Last bytes of an oversized message.
    last: Vec<u8>,
    /// Beginning of the last line in `text`.
    line: usize,
    nesting: Nesting,
}

impl Frames {
    pub(super) fn new(max_message: usize) -> Self {
        Self {
            max_message,
            ..Self::default()
        }
    }

    /// Adds a part of a line. Returns the frame that the part completes.
    pub(super) fn push(&mut self, part: &[u8]) -> Option<Frame> {
        if self.last.is_empty() && self.text.len() + part.len() <= self.max_message {
            self.text.extend_from_slice(part);
            self.nesting.read(part);
        } else {
            self.shorten(part);
        }
        if part.ends_with(b"\n") {
            self.finish_line()
        } else {
            None
        }
    }

    /// Keeps both ends of an oversized message.
    fn shorten(&mut self, part: &[u8]) {
        if self.last.is_empty() {
            let start = self.text.len().saturating_sub(END);
            let end = self.text.get(start..).unwrap_or_default();
            self.last.extend_from_slice(end);
            self.text.truncate(END);
            let missing = END.saturating_sub(self.text.len()).min(part.len());
            self.text
                .extend_from_slice(part.get(..missing).unwrap_or_default());
        }
        self.last.extend_from_slice(part);
        let start = self.last.len().saturating_sub(END);
        self.last.drain(..start);
    }

    fn finish_line(&mut self) -> Option<Frame> {
        if !self.last.is_empty() {
            let ends = std::mem::take(self);
            *self = Self::new(ends.max_message);
            return Some(Frame::TooLarge(ends.text, ends.last));
        }
        let line = self.text.get(self.line..).unwrap_or_default();
        // Output that only looked like the beginning of an object must not swallow the next message.
        if self.line > 0 && line.starts_with(b"{") && is_message(line) {
            self.text.drain(..self.line);
            self.nesting = Nesting::default();
            self.nesting.read(&self.text);
        }
        let is_object = self.text.starts_with(b"{");
        if is_object && self.nesting.is_open() {
            // The transport ends messages with newlines, which mean nothing within an object.
            if let Some(end) = self.text.last_mut() {
                *end = b' ';
            }
            self.line = self.text.len();
            return None;
        }
        (self.line, self.nesting) = (0, Nesting::default());
        let text = std::mem::take(&mut self.text);
        Some(Frame::Message(text))
    }
}

fn is_message(line: &[u8]) -> bool {
    line.windows(b"\"jsonrpc\"".len())
        .any(|part| part == b"\"jsonrpc\"")
}

/// Position in the structure of JSON.
#[derive(Debug, Default)]
struct Nesting {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
}

impl Nesting {
    fn read(&mut self, text: &[u8]) {
        for byte in text {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_in_string => self.is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                _ if self.is_in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Returns whether an object continues on the next line. A string cannot, so it is other output.
    fn is_open(&self) -> bool {
        self.depth > 0 && !self.is_in_string
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(text: &str, size: usize) -> Vec<Frame> {
        let mut frames = Frames::new(2000);
        let mut found = Vec::new();
        for chunk in text.as_bytes().chunks(size) {
            let parts = chunk.split_inclusive(|byte| *byte == b'\n');
            found.extend(parts.filter_map(|part| frames.push(part)));
        }
        found
    }

    #[test]
    fn objects_may_have_several_lines() {
        for (text, expected) in [
            (
                "{\"a\":1}\n{\"b\":2}\n",
                &["{\"a\":1}\n", "{\"b\":2}\n"][..],
            ),
            (
                "{\n  \"a\": [\n    1\n  ]\n}\n{\"b\":2}\n",
                &["{   \"a\": [     1   ] }\n", "{\"b\":2}\n"],
            ),
            ("{\n\"a\":\n{\n}\n}\n", &["{ \"a\": { } }\n"]),
            (
                "{\"a\": \"}\\\"{\",\n\"b\": 1}\n",
                &["{\"a\": \"}\\\"{\", \"b\": 1}\n"],
            ),
            ("noise\n{\"a\":1}\n", &["noise\n", "{\"a\":1}\n"]),
            (
                "{ starting\n{\"jsonrpc\":\"2.0\"}\n",
                &["{\"jsonrpc\":\"2.0\"}\n"],
            ),
            (
                "{ \"starting\n{\"a\":1}\n",
                &["{ \"starting\n", "{\"a\":1}\n"],
            ),
            ("  {\n{\"a\":1}\n", &["  {\n", "{\"a\":1}\n"]),
            ("{\"cut\":", &[]),
        ] {
            let message = |text: &&str| Frame::Message(text.as_bytes().to_vec());
            let expected: Vec<Frame> = expected.iter().map(message).collect();
            for size in [1, 3, 100] {
                assert_eq!(frames(text, size), expected, "{text} {size}");
            }
        }
    }

    #[test]
    fn oversized_message_keeps_both_ends() {
        for size in [1, 100, 1000, 9000] {
            let text = "x".repeat(5000);

            let found = frames(
                &format!("{{\"id\":1,\"r\":\"{text}\"}}\n{{\"a\":1}}\n"),
                size,
            );

            let Frame::TooLarge(first, last) = &found[0] else {
                panic!("{found:?}");
            };
            assert!(first.starts_with(b"{\"id\":1,") && first.len() == END);
            assert!(last.ends_with(b"x\"}\n") && last.len() == END);
            assert_eq!(found[1..], [Frame::Message(b"{\"a\":1}\n".to_vec())]);
        }
    }
}
