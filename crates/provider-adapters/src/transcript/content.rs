//! Content of messages, and its blocks.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{ContentBlock, ResourceContents};

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
    /// Returns the text of the content, with blocks joined by newlines. Images and audio are omitted.
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => {
                let texts: Vec<String> = blocks.iter().filter_map(Block::to_text).collect();
                texts.join("\n")
            }
        }
    }

    pub(crate) fn images(&self) -> usize {
        match self {
            Self::Text(_) => 0,
            Self::Blocks(blocks) => blocks.iter().filter(|block| block.is_image()).count(),
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

/// Media type of PDF documents.
pub(crate) const PDF: &str = "application/pdf";

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
    /// A sound.
    Audio {
        /// Media type, such as `audio/wav`.
        media_type: String,
        /// Bytes in base64.
        data: String,
    },
    /// A resource with its contents.
    Resource {
        /// URI of the resource.
        uri: String,
        /// Media type, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
        /// Contents of the resource: the member `text` or `blob` in JSON.
        #[serde(flatten)]
        contents: ResourceContents,
    },
    /// A JSON value.
    Json {
        /// The value.
        value: Value,
    },
}

impl Block {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// Creates a PDF document with the name of a file and its bytes in base64.
    ///
    /// # Examples
    /// ```
    /// use provider_adapters::{Block, Content, Message};
    ///
    /// let document = Block::pdf("plan.pdf", "JVBERi0xLjcK");
    /// let message = Message::user(Content::from(vec![Block::text("Summarize this."), document]));
    /// ```
    pub fn pdf(name: impl Into<String>, data: impl Into<String>) -> Self {
        Self::Resource {
            uri: name.into(),
            media_type: Some(PDF.to_owned()),
            contents: ResourceContents::Blob(data.into()),
        }
    }

    /// Returns the text, the JSON of a value, or the URI and text of a resource. Returns `None` for an image or audio.
    pub fn to_text(&self) -> Option<String> {
        (!self.is_media()).then(|| self.to_plain_text())
    }

    /// Returns the text that replaces the block for a provider that does not accept it.
    pub(crate) fn to_plain_text(&self) -> String {
        self.as_output().to_text().into_owned()
    }

    /// Returns the block of a tool's output with this content.
    fn as_output(&self) -> ContentBlock {
        match self.clone() {
            Self::Text { text } => ContentBlock::Text { text },
            Self::Json { value } => ContentBlock::text(value.to_string()),
            Self::Image { media_type, data } => ContentBlock::Image { media_type, data },
            Self::Audio { media_type, data } => ContentBlock::Audio { media_type, data },
            Self::Resource {
                uri,
                media_type,
                contents,
            } => ContentBlock::Resource {
                uri,
                media_type,
                contents,
            },
        }
    }

    /// Returns the name and the base64 bytes of a PDF document.
    pub(crate) fn as_pdf(&self) -> Option<(&str, &str)> {
        let Self::Resource {
            uri,
            media_type: Some(kind),
            contents: ResourceContents::Blob(data),
        } = self
        else {
            return None;
        };
        let name = uri.rsplit('/').find(|part| !part.is_empty());
        (kind == PDF).then_some((name.unwrap_or("document.pdf"), data))
    }

    /// Returns `true` for content that Chat Completions and Responses send as a separate part.
    pub(crate) fn is_part(&self) -> bool {
        self.is_image() || self.as_pdf().is_some()
    }

    pub(crate) fn is_image(&self) -> bool {
        matches!(self, Self::Image { .. })
    }

    /// Returns `true` for content that is sent as bytes.
    pub(crate) fn is_media(&self) -> bool {
        matches!(self, Self::Image { .. } | Self::Audio { .. })
    }

    /// Returns the kind of a block that some providers do not accept, for recorded losses.
    pub(crate) fn restricted_kind(&self) -> Option<&'static str> {
        match self {
            Self::Image { .. } => Some("image"),
            Self::Audio { .. } => Some("audio"),
            Self::Resource { .. } => Some("resource"),
            Self::Text { .. } | Self::Json { .. } => None,
        }
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
            ContentBlock::Audio { media_type, data } => Self::Audio {
                media_type: media_type.clone(),
                data: data.clone(),
            },
            ContentBlock::Resource {
                uri,
                media_type,
                contents,
            } => Self::Resource {
                uri: uri.clone(),
                media_type: media_type.clone(),
                contents: contents.clone(),
            },
            // A link has no contents, and no provider follows it.
            ContentBlock::ResourceLink { .. } => Self::text(block.to_text()),
            // Send unknown kinds of blocks to the model as JSON.
            other => Self::Json {
                value: serde_json::to_value(other).unwrap_or_default(),
            },
        }
    }
}
