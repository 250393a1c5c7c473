//! Content of messages.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{ContentBlock, ToolResult};

/// Content of a message: text or several blocks.
///
/// # Examples
/// ```
/// use provider_adapters::{Block, Content};
///
/// let content = Content::from(vec![Block::text("one"), Block::text("two")]);
/// assert_eq!(content.to_text(), "one\ntwo");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    /// Text.
    Text(String),
    /// Several blocks.
    Blocks(Vec<Block>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Content {
    /// Returns the text of the content, with blocks joined by newlines. Images are omitted.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => {
                let texts: Vec<String> = blocks.iter().filter_map(Block::to_text).collect();
                texts.join("\n")
            }
        }
    }

    /// Returns the content as blocks, without blank text.
    pub(crate) fn to_blocks(&self) -> Vec<Block> {
        let blocks = match self {
            Self::Text(text) => vec![Block::text(text)],
            Self::Blocks(blocks) => blocks.clone(),
        };
        blocks
            .into_iter()
            .filter(|block| !block.is_blank())
            .collect()
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Vec<Block>> for Content {
    fn from(blocks: Vec<Block>) -> Self {
        Self::Blocks(blocks)
    }
}

/// Block of a message.
///
/// # Examples
/// ```
/// use provider_adapters::Block;
/// use serde_json::json;
///
/// let block: Block = serde_json::from_value(json!({"type": "json", "value": [1, 2]}))?;
/// assert_eq!(block.to_text().as_deref(), Some("[1,2]"));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// Media type, such as `image/png`.
        media_type: String,
        /// Bytes in base64.
        data: String,
    },
    /// A JSON value.
    Json {
        /// The value.
        value: Value,
    },
}

impl Block {
    /// Creates a text block.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// Returns the text, or the JSON of a value. Returns `None` for an image.
    #[must_use]
    pub fn to_text(&self) -> Option<String> {
        match self {
            Self::Text { text } => Some(text.clone()),
            Self::Json { value } => Some(value.to_string()),
            Self::Image { .. } => None,
        }
    }

    pub(crate) fn is_image(&self) -> bool {
        matches!(self, Self::Image { .. })
    }

    pub(crate) fn is_blank(&self) -> bool {
        matches!(self, Self::Text { text } if text.trim().is_empty())
    }
}

impl From<&ContentBlock> for Block {
    fn from(block: &ContentBlock) -> Self {
        match block {
            ContentBlock::Text { text } => Self::text(text),
            ContentBlock::Image { media_type, data } => Self::Image {
                media_type: media_type.clone(),
                data: data.clone(),
            },
            ContentBlock::ResourceLink { uri, name, .. } => Self::text(format!("{name}: {uri}")),
            // Send unknown kinds of blocks to the model as JSON.
            other => Self::Json {
                value: serde_json::to_value(other).unwrap_or_default(),
            },
        }
    }
}

/// Block of a model's reasoning.
///
/// # Examples
/// ```
/// use provider_adapters::Reasoning;
///
/// let reasoning = Reasoning::new("The path is missing.");
/// assert_eq!(reasoning.provider_data, None);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reasoning {
    /// Text, if the provider sends it.
    #[serde(default)]
    pub text: String,
    /// Data that must be sent back to the provider unchanged, such as a signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_data: Option<Value>,
}

impl Reasoning {
    /// Creates a block without provider data.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            provider_data: None,
        }
    }

    /// Sets the data that must be sent back to the provider.
    #[must_use]
    pub fn with_provider_data(mut self, data: Option<Value>) -> Self {
        self.provider_data = data;
        self
    }
}

/// Result of one call, as the model receives it.
///
/// # Examples
/// ```
/// use provider_adapters::ToolAnswer;
///
/// let answer = ToolAnswer::new("call_1", "list_files", "a.txt");
/// assert!(!answer.is_error);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolAnswer {
    /// Id of the call.
    pub call_id: String,
    /// Name of the tool.
    pub name: String,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// Content for the model.
    #[serde(default)]
    pub content: Content,
}

impl ToolAnswer {
    /// Creates the result of a successful call.
    #[must_use]
    pub fn new(
        call_id: impl Into<String>,
        name: impl Into<String>,
        content: impl Into<Content>,
    ) -> Self {
        Self {
            call_id: call_id.into(),
            name: name.into(),
            is_error: false,
            content: content.into(),
        }
    }

    /// Sets whether the call failed.
    #[must_use]
    pub fn with_error(mut self, is_error: bool) -> Self {
        self.is_error = is_error;
        self
    }
}

/// Appends the warnings after the content.
impl From<&ToolResult> for ToolAnswer {
    fn from(result: &ToolResult) -> Self {
        let content = result.content.iter().map(Block::from);
        let warnings = result
            .warnings
            .iter()
            .map(|warning| Block::text(format!("Warning: {warning}")));
        let blocks: Vec<Block> = content.chain(warnings).collect();
        Self::new(result.id.clone(), result.name.clone(), blocks).with_error(!result.success)
    }
}

impl From<ToolResult> for ToolAnswer {
    fn from(result: ToolResult) -> Self {
        Self::from(&result)
    }
}
