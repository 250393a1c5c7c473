//! Content of messages.

use serde::{Deserialize, Serialize};

use super::Block;

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
