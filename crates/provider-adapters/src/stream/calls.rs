//! Assignment of chunks to calls in the streams of `OpenAI`-compatible providers, and the arguments of streamed calls.

use serde_json::{Value, json};

use super::{DeltaSink, PushError};
use crate::Object;
use crate::decoded::read;

/// Chunk of a call. Blank members count as missing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallChunk<'e> {
    index: Option<u64>,
    id: &'e str,
    name: &'e str,
    arguments: Option<&'e Value>,
    is_custom: bool,
}

/// Streamed calls of one choice.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    calls: Vec<Call>,
    event: u64,
}

#[derive(Debug)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: ArgumentBuffer,
    is_custom: bool,
    is_closed: bool,
    /// Number of the event with the latest chunk.
    event: u64,
}

impl<'e> CallChunk<'e> {
    pub(crate) fn read(chunk: &'e Object) -> Self {
        let custom = read::object(chunk, "custom");
        let function = read::object(chunk, "function");
        let (called, key) = match custom {
            // The arguments of a custom tool are free text.
            Some(custom) => (custom, "input"),
            None => (function.unwrap_or(chunk), "arguments"),
        };
        let id = read::text(chunk, "id");
        // Mistral sends the word `null` for a missing id.
        let is_id = !id.trim().is_empty() && id != "null";
        Self {
            index: read::number(chunk, "index"),
            id: if is_id { id } else { "" },
            name: read::text(called, "name").trim(),
            arguments: called.get(key).filter(|value| !value.is_null()),
            is_custom: custom.is_some(),
        }
    }

    /// Returns the chunk with another index.
    pub(crate) fn at(self, index: Option<u64>) -> Self {
        Self { index, ..self }
    }

    fn has_arguments(&self) -> bool {
        match self.arguments {
            Some(Value::String(text)) => !text.trim().is_empty(),
            other => other.is_some(),
        }
    }

    /// Returns `true` if the chunk begins a new call, although its index is that of `newest`.
    fn starts_new_call(&self, newest: &mut Call, event: u64) -> bool {
        if self.name.is_empty() {
            return false;
        }
        if !self.id.is_empty() && !newest.id.is_empty() {
            // Some servers send index 0 for every call, so a new id decides.
            return self.id != newest.id;
        }
        let has_other_name = !newest.name.is_empty()
            && newest.name != self.name
            // If calls have an index and an id, a name without an id does not replace an incomplete
            // call.
            && (self.index.is_none() || newest.id.is_empty() || newest.arguments.is_complete());
        let repeats_call = match self.index {
            // Servers that send an index may repeat the name in every chunk.
            Some(_) => self.has_arguments() && newest.arguments.is_complete(),
            None => newest.event == event || newest.arguments.is_complete(),
        };
        has_other_name || repeats_call
    }
}

impl Calls {
    /// Starts the next event. Chunks without an index in the same event belong to separate calls.
    pub(crate) fn next_event(&mut self) {
        self.event += 1;
    }

    /// Adds a chunk.
    pub(crate) fn push(
        &mut self,
        choice: u64,
        chunk: CallChunk<'_>,
        sink: &mut DeltaSink<'_>,
    ) -> Result<(), PushError> {
        let at = match self.find(chunk) {
            Some(at) => at,
            None => self.begin(chunk, sink)?,
        };
        let event = self.event;
        let Some(call) = self.calls.get_mut(at) else {
            return Ok(());
        };
        call.event = event;
        // The first id counts. Servers repeat it in later chunks, so appending would double it.
        if call.id.is_empty() {
            chunk.id.clone_into(&mut call.id);
        }
        if call.name.is_empty() && !chunk.name.is_empty() {
            chunk.name.clone_into(&mut call.name);
            sink.call(choice, at, &call.id, &call.name);
        }
        // Some servers send the name in growing prefixes.
        if chunk.name.len() > call.name.len() && chunk.name.starts_with(&call.name) {
            chunk.name.clone_into(&mut call.name);
        }
        match chunk.arguments {
            None => {}
            Some(Value::String(text)) => {
                sink.arguments(choice, at, text);
                call.arguments.push(text);
            }
            Some(value) => {
                sink.arguments(choice, at, &value.to_string());
                call.arguments.push_value(value);
            }
        }
        Ok(())
    }

    /// Marks the newest call with this index as complete.
    pub(crate) fn close(&mut self, index: Option<u64>) {
        let at = self.newest(|call| index.is_none() || call.index == index);
        if let Some(call) = at.and_then(|at| self.calls.get_mut(at)) {
            call.is_closed = true;
        }
    }

    fn begin(
        &mut self,
        chunk: CallChunk<'_>,
        sink: &mut DeltaSink<'_>,
    ) -> Result<usize, PushError> {
        sink.count_part()?;
        self.calls.push(Call {
            index: chunk.index,
            id: String::new(),
            name: String::new(),
            arguments: ArgumentBuffer::default(),
            is_custom: chunk.is_custom,
            is_closed: false,
            event: self.event,
        });
        Ok(self.calls.len() - 1)
    }

    /// Finds the call of a chunk by its id, then by its index. Without both, it is the newest call.
    fn find(&mut self, chunk: CallChunk<'_>) -> Option<usize> {
        let by_index = chunk
            .index
            .and_then(|index| self.newest(|call| call.index == Some(index)));
        if !chunk.id.is_empty() {
            let fits = |call: &Call| {
                call.index == chunk.index || call.index.is_none() || chunk.index.is_none()
            };
            let at_this_index = self.newest(|call| call.id == chunk.id && fits(call));
            // The id of another index identifies that call if this index is in use. Otherwise it is
            // a duplicate.
            let at_other_index = by_index.and_then(|_| self.newest(|call| call.id == chunk.id));
            if at_this_index.or(at_other_index).is_some() {
                return at_this_index.or(at_other_index);
            }
        }
        let newest = match chunk.index {
            Some(_) => by_index?,
            None => self.calls.len().checked_sub(1)?,
        };
        let event = self.event;
        let call = self.calls.get_mut(newest)?;
        (!chunk.starts_new_call(call, event)).then_some(newest)
    }

    fn newest(&self, predicate: impl Fn(&Call) -> bool) -> Option<usize> {
        self.calls.iter().rposition(predicate)
    }

    /// Returns the calls as in a complete response, sorted by index if all have one, and the positions of
    /// those that are still open, in the only choice.
    pub(crate) fn into_wire(mut self) -> (Vec<Value>, Vec<(usize, usize)>) {
        if self.calls.iter().all(|call| call.index.is_some()) {
            self.calls.sort_by_key(|call| call.index);
        }
        let open = (0..).zip(&self.calls).filter(|(_, call)| !call.is_closed);
        let open = open.map(|(position, _)| (0, position)).collect();
        (self.calls.into_iter().map(Call::into_wire).collect(), open)
    }
}

impl Call {
    fn into_wire(self) -> Value {
        let arguments = self.arguments.into_value();
        let id = Some(self.id).filter(|id| !id.is_empty());
        let (kind, key) = if self.is_custom {
            ("custom", "input")
        } else {
            ("function", "arguments")
        };
        json!({"id": id, "type": kind, (kind): {"name": self.name, (key): arguments}})
    }
}

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
    fn is_complete(&mut self) -> bool {
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
