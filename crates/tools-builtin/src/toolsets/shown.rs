//! An output with its text for the model.

use schemars::JsonSchema;
use serde::Serialize;

/// Data of an engine with the text for the model, for a text that depends on the arguments.
///
/// Serialized as the data alone, so the data and their schema are those of the engine.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Shown<T> {
    data: T,
    #[serde(skip)]
    text: String,
}

impl<T> Shown<T> {
    pub(super) fn new(data: T, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { data, text }
    }

    pub(super) fn text(&self) -> String {
        self.text.clone()
    }
}
