//! Outputs of tools.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ContentBlock;

/// The output of a successful tool.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::ToolOutput;
///
/// let output = ToolOutput::text("3 files").with_data(json!({"files": 3}));
/// assert_eq!(output.content.len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolOutput {
    /// Content for the model.
    pub content: Vec<ContentBlock>,
    /// The output as data, for programs.
    pub data: Option<Value>,
    /// Written paths, relative to the workspace.
    #[serde(default)]
    pub files_affected: Vec<String>,
    /// Warnings for the reader of a successful call.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The tool's additions to the result's metadata.
    #[serde(default)]
    pub metadata: BTreeMap<String, Value>,
}

impl ToolOutput {
    /// Creates an output with one text block.
    #[inline]
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(text.into(), None)
    }

    /// Sets every field: struct update syntax would cost another move.
    #[inline]
    pub(crate) fn of(text: String, data: Option<Value>) -> Self {
        Self {
            content: vec![ContentBlock::Text { text }],
            data,
            files_affected: Vec::new(),
            warnings: Vec::new(),
            metadata: BTreeMap::new(),
        }
    }

    /// Creates an output from data. The model reads its JSON, or the plain text of a string.
    #[inline]
    pub fn json(data: Value) -> Self {
        Self::of(Self::text_of(&data), Some(data))
    }

    /// Returns data in the form that the model reads.
    #[inline]
    pub(crate) fn text_of(data: &Value) -> String {
        match (data, data.as_i64()) {
            (Value::String(text), _) => text.clone(),
            (_, Some(integer)) => itoa::Buffer::new().format(integer).to_owned(),
            // Faster than `to_string`, which uses a formatter. Serialization of a value cannot
            // fail.
            (other, None) => serde_json::to_string(other).unwrap_or_default(),
        }
    }

    /// Sets the output as data.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for ToolOutput {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<Value> for ToolOutput {
    fn from(data: Value) -> Self {
        Self::json(data)
    }
}
