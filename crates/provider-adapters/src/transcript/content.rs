//! What messages are made of.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{ContentBlock, ToolResult};

/// What a message says: a text, or several blocks.
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
    /// A text.
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
    /// What can be said in words, blocks joined by line breaks.
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

    /// The content as blocks, blank texts left out.
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

/// One piece of a message.
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
    /// A value.
    Json {
        /// The value itself.
        value: Value,
    },
}

impl Block {
    /// Creates a block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// What can be said in words: the text, or the JSON of a value; nothing for an image.
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
            // A kind of block that this version does not know still reaches the model as what it is.
            other => Self::Json {
                value: serde_json::to_value(other).unwrap_or_default(),
            },
        }
    }
}

/// One piece of what a model thought.
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
    /// The words, where these are told.
    #[serde(default)]
    pub text: String,
    /// What the provider wants back unchanged, such as a signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_data: Option<Value>,
}

impl Reasoning {
    /// Creates a piece without provider data.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            provider_data: None,
        }
    }

    /// Keeps what the provider wants back.
    #[must_use]
    pub fn with_provider_data(mut self, data: Option<Value>) -> Self {
        self.provider_data = data;
        self
    }
}

/// What a tool answered to one call.
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
    /// The id of the call.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// What the model reads.
    #[serde(default)]
    pub content: Content,
}

impl ToolAnswer {
    /// Creates the answer to a call that went well.
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

    /// Says whether the call failed.
    #[must_use]
    pub fn with_error(mut self, is_error: bool) -> Self {
        self.is_error = is_error;
        self
    }
}

/// What the tool warns of comes after what it says.
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
