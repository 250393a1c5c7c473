//! The id of a message that is too long to keep.

/// Maximum length of an id in bytes.
const MAX_ID: usize = 256;

/// Scanner for the `id` of a message, which does not keep its other members.
#[derive(Debug, Default)]
pub(super) struct IdScanner {
    depth: usize,
    is_string: bool,
    is_escaped: bool,
    /// Whether the next string at the top is a name.
    expects_name: bool,
    /// Name or value that is being read.
    kept: Vec<u8>,
    keeps: Keeps,
    id: Option<Vec<u8>>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Keeps {
    #[default]
    Nothing,
    Name,
    /// After the name `id`.
    Value,
}

impl IdScanner {
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// Returns the JSON of the id.
    pub(super) fn into_id(self) -> Option<Vec<u8>> {
        self.id
    }

    fn step(&mut self, byte: u8) {
        if self.is_string {
            self.in_string(byte);
            return;
        }
        match byte {
            b'"' => self.open_string(),
            b'{' | b'[' => {
                self.depth += 1;
                self.expects_name = byte == b'{' && self.depth == 1;
                self.keeps = Keeps::Nothing;
            }
            b'}' | b']' => {
                self.close_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => {
                self.close_value();
                self.expects_name = self.depth == 1;
            }
            _ if self.keeps == Keeps::Value && !byte.is_ascii_whitespace() && byte != b':' => {
                self.keep(byte);
            }
            _ => {}
        }
    }

    fn open_string(&mut self) {
        self.is_string = true;
        if self.depth == 1 && self.expects_name {
            self.expects_name = false;
            self.keeps = Keeps::Name;
            self.kept.clear();
        } else if self.keeps == Keeps::Value {
            self.keep(b'"');
        }
    }

    fn in_string(&mut self, byte: u8) {
        let ends = byte == b'"' && !self.is_escaped;
        self.is_escaped = byte == b'\\' && !self.is_escaped;
        self.is_string = !ends;
        match self.keeps {
            Keeps::Name if ends => {
                let is_id = self.kept == b"id";
                self.keeps = if is_id { Keeps::Value } else { Keeps::Nothing };
                self.kept.clear();
            }
            Keeps::Name | Keeps::Value => self.keep(byte),
            Keeps::Nothing => {}
        }
    }

    fn close_value(&mut self) {
        if self.keeps == Keeps::Value && self.depth == 1 && !self.kept.is_empty() {
            self.id = Some(std::mem::take(&mut self.kept));
        }
        self.keeps = Keeps::Nothing;
    }

    fn keep(&mut self, byte: u8) {
        if self.kept.len() < MAX_ID {
            self.kept.push(byte);
        } else {
            self.keeps = Keeps::Nothing;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_id_of_message() {
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"id":8}}"#, Some("7")),
            (
                r#"{"result":{"content":[{"id":1}]},"jsonrpc":"2.0","id":"a-1"}"#,
                Some("\"a-1\""),
            ),
            (r#"{ "id" : "\"}" , "result": {}}"#, Some(r#""\"}""#)),
            (r#"{"result":{"text":"\",\"id\":9"},"id":3}"#, Some("3")),
            (r#"{"result":"id","id":3}"#, Some("3")),
            (r#"{"id":5,"result":"cut"#, Some("5")),
            (r#"{"method":"x","params":{"id":4}}"#, None),
            (r#"[{"id":4}]"#, None),
            (r#"{"id":{"a":1}}"#, None),
            ("no json", None),
            ("", None),
        ] {
            for size in [1, 3, 1000] {
                let mut scanner = IdScanner::default();
                line.as_bytes()
                    .chunks(size)
                    .for_each(|bytes| scanner.feed(bytes));
                let found = scanner.into_id().map(|id| String::from_utf8(id).unwrap());

                assert_eq!(found.as_deref(), id, "{line} by {size}");
            }
        }
    }
}
