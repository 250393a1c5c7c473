//! Arguments of a streamed call.

use serde_json::Value;

/// Concatenated argument chunks of one call.
#[derive(Debug, Default)]
pub(crate) struct ArgumentBuffer {
    text: String,
    /// Arguments received as a JSON value instead of text.
    value: Option<Value>,
    progress: Progress,
}

/// State of the search for the end of the JSON text.
#[derive(Debug, Default)]
struct Progress {
    at: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    complete: bool,
}

impl ArgumentBuffer {
    pub(crate) fn push(&mut self, chunk: &str) {
        if chunk.is_empty() {
            return;
        }
        // Text after a complete value makes the arguments invalid, so keep all of it as text.
        if let Some(value) = self.value.take() {
            self.text = value.to_string();
        }
        self.text.push_str(chunk);
    }

    /// Adds arguments received as a JSON value.
    pub(crate) fn push_value(&mut self, value: &Value) {
        if self.is_blank() {
            self.value = Some(value.clone());
        } else {
            self.push(&value.to_string());
        }
    }

    /// Replaces the arguments with `text`.
    pub(crate) fn replace(&mut self, text: &str) {
        *self = Self {
            text: text.to_owned(),
            ..Self::default()
        };
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.value.is_none() && self.text.trim().is_empty()
    }

    /// Returns `true` if an object or array is complete. Repeated calls scan each byte only once.
    pub(crate) fn is_complete(&mut self) -> bool {
        self.progress.advance(self.text.as_bytes());
        self.value.is_some() || self.progress.complete
    }

    /// Returns the received value, or the concatenated text as a string.
    pub(crate) fn into_value(self) -> Value {
        self.value.unwrap_or(Value::String(self.text))
    }
}

impl Progress {
    fn advance(&mut self, text: &[u8]) {
        for byte in text.get(self.at..).unwrap_or_default() {
            self.step(*byte);
        }
        self.at = text.len();
    }

    fn step(&mut self, byte: u8) {
        // Only strings and brackets count: this tells a new call from a continuation, and the text is parsed later.
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.complete |= self.depth == 0;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn completes_object_at_matching_brace() {
        for (chunks, complete) in [
            (["", ""], false),
            (["{\"a\":", "1}"], true),
            (["{\"a\":\"}", "\""], false),
            (["{\"a\":\"\\", "\"}\""], false),
            (["{}", ""], true),
            (["{\"a\":{}", ""], false),
            (["12", "3"], false),
        ] {
            let mut joined = ArgumentBuffer::default();
            let mut seen = false;

            for chunk in chunks {
                joined.push(chunk);
                seen = joined.is_complete();
            }

            assert_eq!(seen, complete, "{chunks:?}");
        }
    }

    #[test]
    fn keeps_value_unless_text_follows() {
        let mut alone = ArgumentBuffer::default();
        alone.push_value(&json!({"a": 1}));
        alone.push("");
        let mut more = ArgumentBuffer::default();
        more.push_value(&json!({"a": 1}));
        more.push("{}");

        assert_eq!(alone.into_value(), json!({"a": 1}));
        assert_eq!(more.into_value(), json!("{\"a\":1}{}"));
    }
}
