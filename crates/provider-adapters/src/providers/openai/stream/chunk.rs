//! Fields of an event. Reads each key only once.

use serde_json::Value;

use crate::Object;
use crate::decoded::read;

/// Fields of an event.
#[derive(Debug, Default)]
pub(super) struct Chunk<'e> {
    pub(super) choices: Option<&'e Value>,
    pub(super) usage: Option<&'e Value>,
    pub(super) error: Option<&'e Value>,
}

impl<'e> Chunk<'e> {
    pub(super) fn read(event: &'e Object) -> Self {
        let mut fields = Self::default();
        for (key, value) in read::non_null(event) {
            match key {
                "choices" => fields.choices = Some(value),
                "usage" => fields.usage = Some(value),
                "error" => fields.error = Some(value),
                _ => {}
            }
        }
        fields
    }
}

/// Fields of one choice in an event.
#[derive(Debug, Default)]
pub(super) struct ChunkChoice<'e> {
    pub(super) index: Option<u64>,
    pub(super) delta: Option<&'e Object>,
    pub(super) message: Option<&'e Object>,
    pub(super) finish_reason: Option<&'e str>,
    pub(super) error: Option<&'e Value>,
}

impl<'e> ChunkChoice<'e> {
    pub(super) fn read(choice: &'e Object) -> Self {
        let mut fields = Self::default();
        for (key, value) in read::non_null(choice) {
            match key {
                "index" => fields.index = value.as_u64(),
                "delta" => fields.delta = value.as_object(),
                "message" => fields.message = value.as_object(),
                "finish_reason" => fields.finish_reason = value.as_str(),
                "error" => fields.error = Some(value),
                _ => {}
            }
        }
        fields
    }
}

/// Fields of a message delta.
#[derive(Debug, Default)]
pub(super) struct ChunkDelta<'e> {
    pub(super) calls: Option<&'e Value>,
    pub(super) function: Option<&'e Object>,
    /// Whether the delta has other members.
    pub(super) has_content: bool,
}

impl<'e> ChunkDelta<'e> {
    pub(super) fn read(delta: &'e Object) -> Self {
        let mut fields = Self::default();
        for (key, value) in read::non_null(delta) {
            match key {
                "tool_calls" => fields.calls = Some(value),
                "function_call" => fields.function = value.as_object(),
                _ => fields.has_content = true,
            }
        }
        fields
    }
}
