//! Fields of an event. Reads each key only once.

use serde_json::{Map, Value};

use crate::decoded::read;

/// Fields of an event.
#[derive(Debug, Default)]
pub(super) struct Told<'e> {
    pub(super) choices: Option<&'e Value>,
    pub(super) usage: Option<&'e Value>,
    pub(super) error: Option<&'e Value>,
}

impl<'e> Told<'e> {
    pub(super) fn read(event: &'e Map<String, Value>) -> Self {
        let mut told = Self::default();
        for (key, value) in read::told(event) {
            match key {
                "choices" => told.choices = Some(value),
                "usage" => told.usage = Some(value),
                "error" => told.error = Some(value),
                _ => {}
            }
        }
        told
    }
}

/// Fields of one choice in an event.
#[derive(Debug, Default)]
pub(super) struct ToldChoice<'e> {
    pub(super) index: Option<u64>,
    pub(super) delta: Option<&'e Map<String, Value>>,
    pub(super) message: Option<&'e Map<String, Value>>,
    pub(super) finish_reason: Option<&'e str>,
    pub(super) error: Option<&'e Value>,
}

impl<'e> ToldChoice<'e> {
    pub(super) fn read(choice: &'e Map<String, Value>) -> Self {
        let mut told = Self::default();
        for (key, value) in read::told(choice) {
            match key {
                "index" => told.index = value.as_u64(),
                "delta" => told.delta = value.as_object(),
                "message" => told.message = value.as_object(),
                "finish_reason" => told.finish_reason = value.as_str(),
                "error" => told.error = Some(value),
                _ => {}
            }
        }
        told
    }
}

/// Fields of a message delta.
#[derive(Debug, Default)]
pub(super) struct ToldMessage<'e> {
    pub(super) calls: Option<&'e Value>,
    pub(super) function: Option<&'e Map<String, Value>>,
    /// Whether the delta has other members.
    pub(super) has_words: bool,
}

impl<'e> ToldMessage<'e> {
    pub(super) fn read(delta: &'e Map<String, Value>) -> Self {
        let mut told = Self::default();
        for (key, value) in read::told(delta) {
            match key {
                "tool_calls" => told.calls = Some(value),
                "function_call" => told.function = value.as_object(),
                _ => told.has_words = true,
            }
        }
        told
    }
}
