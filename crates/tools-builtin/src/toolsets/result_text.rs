//! Text of a result, written without joining it first.

use std::fmt;

use serde::{Serialize, Serializer};
use tool_core::{ContentBlock, ToolResult};

/// Text blocks of a content, joined by newlines.
#[derive(Clone, Copy)]
pub(super) struct TextBlocks<'r>(pub(super) &'r [ContentBlock]);

impl<'r> TextBlocks<'r> {
    pub(super) fn iter(self) -> impl Iterator<Item = &'r str> {
        self.0.iter().filter_map(ContentBlock::as_text)
    }
}

impl fmt::Display for TextBlocks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, text) in self.iter().enumerate() {
            let separator = if index > 0 { "\n" } else { "" };
            write!(f, "{separator}{text}")?;
        }
        Ok(())
    }
}

impl Serialize for TextBlocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Warning with the prefix `Warning: `.
pub(super) struct Warning<'r>(pub(super) &'r str);

impl fmt::Display for Warning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_prefix = self.0.starts_with("Warning: ") || self.0.starts_with("Error: ");
        let prefix = if has_prefix { "" } else { "Warning: " };
        write!(f, "{prefix}{}", self.0)
    }
}

/// Returns the tool's output: the content without the error text, which is the first block of a
/// failure.
pub(super) fn output(result: &ToolResult) -> TextBlocks<'_> {
    TextBlocks(match result.error {
        Some(_) => result.content.get(1..).unwrap_or_default(),
        None => &result.content,
    })
}

/// Returns the error text for the model without the prefix `Error: `, or the message if the text
/// has no such prefix.
pub(super) fn error_text(result: &ToolResult) -> Option<&str> {
    let error = result.error.as_ref()?;
    let text = result.content.first().and_then(ContentBlock::as_text);
    let text = text.and_then(|text| text.strip_prefix("Error: "));
    Some(text.unwrap_or(&error.message))
}
