//! Result of a call in a transcript.

use serde::{Deserialize, Serialize};
use tool_core::ToolResult;

use super::{Block, Content};

/// Result of one call, as the model receives it.
///
/// # Examples
/// ```
/// use provider_adapters::ToolMessage;
///
/// let answer = ToolMessage::new("call_1", "list_files", "a.txt");
/// assert!(!answer.is_error);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolMessage {
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

impl ToolMessage {
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

/// Contains the [blocks for the model](ToolResult::model_blocks), including warnings.
impl From<&ToolResult> for ToolMessage {
    fn from(result: &ToolResult) -> Self {
        let blocks: Vec<Block> = result
            .model_blocks()
            .map(|block| Block::from(&*block))
            .collect();
        Self::new(result.id.clone(), result.name.clone(), blocks).with_error(!result.success)
    }
}

impl From<ToolResult> for ToolMessage {
    fn from(result: ToolResult) -> Self {
        Self::from(&result)
    }
}

#[cfg(test)]
mod tests {
    use tool_core::{ContentBlock, ResourceContents, ToolError};

    use super::*;

    #[test]
    fn model_receives_displayed_text_of_result() {
        let mut result = ToolResult::refused("1", "f", ToolError::failed("No"));
        for success in [true, false] {
            result.success = success;
            result.content = vec![
                ContentBlock::text("Error: No."),
                ContentBlock::text(""),
                ContentBlock::ResourceLink {
                    uri: "test://a".into(),
                    name: "a".into(),
                    media_type: None,
                },
                ContentBlock::Resource {
                    uri: "test://b".into(),
                    media_type: None,
                    contents: ResourceContents::Text("inside".into()),
                },
            ];
            result.warnings = vec!["The index is a day old.".into(), "Warning: old".into()];

            let answer = ToolMessage::from(&result);

            assert_eq!(answer.content.to_text(), result.to_string());
            assert_eq!(answer.is_error, !success);
        }
    }
}
