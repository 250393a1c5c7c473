//! Results as sent by a server.

use serde_json::{Value, json};
use tool_core::result::ToolResult;
use tool_core::{ContentBlock, ErrorCode};

/// Maximum size of an image, a sound or a binary resource in bytes of base64.
const MAX_MEDIA: usize = 1024 * 1024;

/// Response to a call.
#[derive(Debug, PartialEq)]
pub(crate) enum Reply {
    /// Result of a call that the registry accepted or rejected.
    Result {
        content: Vec<ContentBlock>,
        data: Option<Value>,
        is_error: bool,
    },
    /// The tool does not exist.
    UnknownTool(String),
}

impl Reply {
    /// Converts a result. `has_output_schema` states whether the definition has an output schema.
    pub(crate) fn of(result: ToolResult, has_output_schema: bool) -> Self {
        if let Some(error) = &result.error
            && error.code == ErrorCode::ToolNotFound
        {
            return Self::UnknownTool(
                [
                    error.message.as_str(),
                    error.suggestion.as_deref().unwrap_or_default(),
                ]
                .join(" "),
            );
        }
        let is_error = !result.success;
        let error = result.error.as_deref().map(|error| {
            json!({
                "code": error.code,
                "message": error.message,
                "suggestion": error.suggestion,
                "parameter": error.parameter,
                "faults": error.faults,
                "retryable": error.retryable,
            })
        });
        let data = if is_error {
            error
        } else {
            result.data.filter(|_| has_output_schema)
        };
        let mut content: Vec<ContentBlock> = match &data {
            // Clients without support for data read the text, which must contain the same.
            Some(data) if !is_error => with_text(result.content, data),
            _ => result.content,
        };
        content.iter_mut().for_each(replace_large);
        content.extend(warnings(&result.warnings));
        Self::Result {
            content,
            data,
            is_error,
        }
    }
}

/// Replaces the text by the JSON of the data.
fn with_text(content: Vec<ContentBlock>, data: &Value) -> Vec<ContentBlock> {
    let media = content
        .into_iter()
        .filter(|block| block.as_text().is_none());
    std::iter::once(ContentBlock::text(data.to_string()))
        .chain(media)
        .collect()
}

fn replace_large(block: &mut ContentBlock) {
    let size = match block {
        ContentBlock::Image { data, .. }
        | ContentBlock::Audio { data, .. }
        | ContentBlock::Resource {
            contents: tool_core::ResourceContents::Blob(data),
            ..
        } => data.len(),
        _ => return,
    };
    if size > MAX_MEDIA {
        *block = ContentBlock::text(format!(
            "[media of {size} bytes is not sent; at most {MAX_MEDIA} are allowed]"
        ));
    }
}

fn warnings(warnings: &[String]) -> Option<ContentBlock> {
    let lines: Vec<String> = warnings
        .iter()
        .map(|warning| format!("Warning: {warning}"))
        .collect();
    (!lines.is_empty()).then(|| ContentBlock::text(lines.join("\n")))
}
