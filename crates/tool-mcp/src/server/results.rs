//! Results as sent by a server.

use std::borrow::Cow;

use serde_json::{Value, json};
use tool_core::{ContentBlock, ErrorCode, OutputLimit, ToolResult};

/// Maximum size of an image, a sound or a binary resource in bytes of base64.
const MAX_MEDIA: usize = 1024 * 1024;

/// Response to a call.
#[derive(Debug, PartialEq)]
pub(crate) enum Reply {
    /// Result of a call that the registry accepted or rejected.
    Result {
        /// The blocks that a model of this process would receive.
        content: Vec<ContentBlock>,
        data: Option<Value>,
        /// Error of a failed call, with its code and suggestion.
        error: Option<Value>,
    },
    /// The tool does not exist.
    UnknownTool(String),
}

impl Reply {
    /// Converts a result of a tool with this output limit. `has_output_schema` states whether the definition has an output
    /// schema.
    pub(crate) fn of(result: ToolResult, has_output_schema: bool, limit: OutputLimit) -> Self {
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
        let mut content: Vec<_> = result.model_blocks().map(Cow::into_owned).collect();
        content.iter_mut().for_each(replace_large);
        let data = match &error {
            // Some clients validate data against the output schema even if the call failed, and then drop the text.
            Some(error) => (!has_output_schema).then(|| error.clone()),
            None => result.data.filter(|_| has_output_schema),
        };
        // Hosts show a model the text, the data or both, so the limit applies to their sum. Data is never cut, because it
        // would no longer match the output schema.
        let data = data.filter(|data| fits(&content, data, limit));
        Self::Result {
            content,
            data,
            error,
        }
    }
}

/// Returns whether the content and the data together are within the limit.
fn fits(content: &[ContentBlock], data: &Value, limit: OutputLimit) -> bool {
    let data = data.to_string();
    let texts: Vec<Cow<'_, str>> = content.iter().map(ContentBlock::to_text).collect();
    let texts = texts.iter().map(AsRef::as_ref);
    limit.fits(texts.chain([data.as_str()]))
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

#[cfg(test)]
mod tests {
    use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition, ToolError};

    use super::*;

    /// Returns the text, the data and the error of a failed call.
    async fn failed(
        message: &str,
        has_output_schema: bool,
    ) -> (String, Option<Value>, Option<Value>) {
        let message = message.to_owned();
        let definition = ToolDefinition::new("f", "Fails.", json!({"type": "object"}));
        let tool = DynamicTool::new(definition.with_risk(RiskLevel::ReadOnly), move |_, _| {
            let error = ToolError::failed(message.clone()).suggest("Delete files.");
            async move { Err(error) }
        });
        let result = Registry::of(tool).unwrap().execute("f", json!({})).await;
        let reply = Reply::of(result, has_output_schema, OutputLimit::bytes(1000));
        let Reply::Result {
            content,
            data,
            error,
        } = reply
        else {
            panic!("{reply:?}");
        };
        (content[0].to_text().into_owned(), data, error)
    }

    #[tokio::test]
    async fn failures_of_tools_with_output_schema_have_no_data() {
        for has_output_schema in [false, true] {
            let (text, data, error) = failed("The disk is full", has_output_schema).await;

            assert_eq!(text, "Error: The disk is full. Delete files.");
            assert_eq!(error.unwrap()["code"], "failed");
            assert_eq!(data.is_some(), !has_output_schema);
        }
    }

    #[tokio::test]
    async fn data_of_failures_counts_against_limit() {
        let (_, short, _) = failed(&"x".repeat(300), false).await;
        let (_, long, _) = failed(&"x".repeat(600), false).await;

        assert_eq!((short.is_some(), long.is_some()), (true, false));
    }
}
