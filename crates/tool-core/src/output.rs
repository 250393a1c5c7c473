//! What a tool returns.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Notes;

/// One piece of what the model is shown.
///
/// # Examples
/// ```
/// use tool_core::ContentBlock;
///
/// let block = ContentBlock::text("hello");
/// assert_eq!(block.as_text(), Some("hello"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text {
        /// The text itself.
        text: String,
    },
    /// An image.
    Image {
        /// Its media type, such as `image/png`.
        media_type: String,
        /// Its bytes in base64.
        data: String,
    },
    /// Something that the host can fetch.
    ResourceLink {
        /// Where it is.
        uri: String,
        /// What to call it.
        name: String,
        /// Its media type, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
    },
}

impl ContentBlock {
    /// Creates a block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The text, for a block of text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }

    /// Bytes of what the block says, its frame not counted.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text { text } => text.len(),
            Self::Image { media_type, data } => media_type.len() + data.len(),
            Self::ResourceLink { uri, name, .. } => uri.len() + name.len(),
        }
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

/// What a tool returns when it succeeds.
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
    /// What the model reads.
    pub content: Vec<ContentBlock>,
    /// The same as data, for programs.
    pub data: Option<Value>,
    /// Paths that were written, relative to the workspace.
    #[serde(default)]
    pub files_affected: Vec<String>,
    /// What the reader should know although the call succeeded.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What the tool adds to the result's metadata.
    #[serde(default)]
    pub metadata: Notes,
}

impl ToolOutput {
    /// Creates an output of one text.
    #[must_use]
    #[inline]
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(text.into(), None)
    }

    /// Field by field: what is left of another output would be moved once more.
    #[inline]
    pub(crate) fn of(text: String, data: Option<Value>) -> Self {
        Self {
            content: vec![ContentBlock::Text { text }],
            data,
            files_affected: Vec::new(),
            warnings: Vec::new(),
            metadata: Notes::default(),
        }
    }

    /// Creates an output from data; the model reads its JSON, or the text itself for a string.
    #[must_use]
    #[inline]
    pub fn json(data: Value) -> Self {
        Self::of(Self::text_of(&data), Some(data))
    }

    /// Data as the model reads it.
    #[inline]
    pub(crate) fn text_of(data: &Value) -> String {
        match (data, data.as_i64()) {
            (Value::String(text), _) => text.clone(),
            (_, Some(integer)) => integer.to_string(),
            // Faster than `to_string`, which goes through a formatter; a value can always be written.
            (other, None) => serde_json::to_string(other).unwrap_or_default(),
        }
    }

    /// Adds the structured form.
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
