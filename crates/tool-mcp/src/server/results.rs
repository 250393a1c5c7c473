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
        /// Error of a failed call, with its code and suggestion.
        error: Option<Value>,
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
        let approval = result.metadata.approval.as_ref();
        let request = approval.and_then(|approval| approval.request.as_deref());
        let error = result.error.as_deref().map(|error| {
            json!({
                "code": error.code,
                "message": error.message,
                "suggestion": error.suggestion,
                "parameter": error.parameter,
                "issues": error.issues,
                "retryable": error.retryable,
                "approval_id": request.map(|request| &request.id),
            })
        });
        // Some clients validate data against the output schema even if the call failed, and then drop the text.
        let data = match &error {
            Some(error) => (!has_output_schema).then(|| error.clone()),
            None => result.data.filter(|_| has_output_schema),
        };
        let mut content: Vec<ContentBlock> = match &data {
            // Clients without support for data read the text, which must contain the same.
            Some(data) if error.is_none() => with_text(result.content, data),
            _ => result.content,
        };
        content.iter_mut().for_each(replace_large);
        content.extend(warnings(&result.warnings));
        Self::Result {
            content,
            data,
            error,
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

#[cfg(test)]
mod tests {
    use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition, ToolError};

    use super::*;

    #[tokio::test]
    async fn failures_of_tools_with_output_schema_have_no_data() {
        let definition = ToolDefinition::new("f", "Fails.", json!({"type": "object"}));
        let tool = DynamicTool::new(definition.with_risk(RiskLevel::ReadOnly), |_, _| async {
            Err(ToolError::failed("The disk is full").suggest("Delete files."))
        });
        let registry = Registry::of(tool).unwrap();

        for has_output_schema in [false, true] {
            let result = registry.execute("f", json!({})).await;
            let reply = Reply::of(result, has_output_schema);

            let Reply::Result {
                content,
                data,
                error,
            } = reply
            else {
                panic!("{reply:?}");
            };
            assert_eq!(
                content[0].as_text(),
                Some("Error: The disk is full. Delete files.")
            );
            assert_eq!(error.unwrap()["code"], "failed");
            assert_eq!(data.is_some(), !has_output_schema);
        }
    }
}
