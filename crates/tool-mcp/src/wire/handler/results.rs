//! Results of calls as sent to clients.

use std::borrow::Cow;

use rmcp::model::{
    CallToolResult, ContentBlock as WireBlock, ErrorData, MetaObject, Resource, ResourceContents,
};
use serde_json::{Map, Value, json};
use tool_core::ToolResult;
use tool_core::{ContentBlock, ErrorCode, OutputLimit, Registry, ResourceContents as Contents};

use super::Reply;

/// Key of the error of a failed call in the metadata of its result.
const ERROR: &str = "toolwright/error";

/// Maximum size of an image, a sound or a binary resource in bytes of base64.
const MAX_MEDIA: usize = 1024 * 1024;

/// Converts the result of a call of the tool `name`: the blocks that a model of this process would receive, and the data
/// or the error beside them.
///
/// # Errors
/// Returns the error of the protocol for a tool that does not exist.
pub(super) fn response(
    result: ToolResult,
    registry: &Registry,
    name: &str,
) -> Reply<CallToolResult> {
    let error = error_of(&result)?;
    let has_output_schema = has_output_schema(registry, name);
    let mut content: Vec<_> = result.model_blocks().map(Cow::into_owned).collect();
    content.iter_mut().for_each(replace_large);
    let data = match &error {
        // Some clients validate data against the output schema even if the call failed, and then drop the text.
        Some(error) => (!has_output_schema).then(|| error.clone()),
        None => result.data.filter(|_| has_output_schema),
    };
    // Hosts show a model the text, the data or both, so the limit applies to their sum. Data is never cut, because it
    // would no longer match the output schema.
    let limit = registry.output_limit(name);
    let data = data.filter(|data| fits(&content, data, limit));
    let blocks = content.into_iter().filter_map(wire_block);
    let mut result = CallToolResult::success(blocks.collect());
    result.structured_content = data;
    result.is_error = Some(error.is_some());
    let meta = |error| MetaObject::from(Map::from_iter([(ERROR.to_owned(), error)]));
    result.meta = error.map(meta);
    Ok(result)
}

/// Returns the error of a failed call, with its code and suggestion.
fn error_of(result: &ToolResult) -> Reply<Option<Value>> {
    let Some(error) = result.error.as_deref() else {
        return Ok(None);
    };
    if error.code == ErrorCode::ToolNotFound {
        let suggestion = error.suggestion.as_deref().unwrap_or_default();
        let reason = format!("{} {suggestion}", error.message);
        return Err(ErrorData::invalid_params(reason, None));
    }
    let approval = result.metadata.approval.as_ref();
    let request = approval.and_then(|approval| approval.request.as_deref());
    Ok(Some(json!({
        "code": error.code,
        "message": error.message,
        "suggestion": error.suggestion,
        "parameter": error.parameter,
        "issues": error.issues,
        "retryable": error.retryable,
        "approval_id": request.map(|request| &request.id),
    })))
}

/// Returns whether a tool has an output schema that is an object.
fn has_output_schema(registry: &Registry, name: &str) -> bool {
    let tool = registry.get(name);
    tool.is_some_and(|tool| {
        let schema = tool.definition().output_schema();
        schema.is_some_and(Value::is_object)
    })
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
            contents: Contents::Blob(data),
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

fn wire_block(block: ContentBlock) -> Option<WireBlock> {
    Some(match block {
        ContentBlock::Text { text } => WireBlock::text(text),
        ContentBlock::Image { media_type, data } => WireBlock::image(data, media_type),
        ContentBlock::Audio { media_type, data } => WireBlock::audio(data, media_type),
        ContentBlock::ResourceLink {
            uri,
            name,
            media_type,
            title,
            description,
            size,
        } => {
            let mut link = Resource::new(uri, name);
            link.mime_type = media_type;
            (link.title, link.description) = (title, description);
            link.size = size;
            WireBlock::resource_link(link)
        }
        ContentBlock::Resource {
            uri,
            media_type: mime_type,
            contents,
        } => WireBlock::resource(match contents {
            Contents::Text(text) => ResourceContents::TextResourceContents {
                uri,
                mime_type,
                text,
                meta: None,
            },
            Contents::Blob(blob) => ResourceContents::BlobResourceContents {
                uri,
                mime_type,
                blob,
                meta: None,
            },
        }),
        _ => return None,
    })
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
        let mut definition = ToolDefinition::new("f", "Fails.", json!({"type": "object"}));
        if has_output_schema {
            definition = definition.with_output_schema(json!({"type": "object"}));
        }
        let tool = DynamicTool::new(definition.with_risk(RiskLevel::ReadOnly), move |_, _| {
            let error = ToolError::failed(message.clone()).suggest("Delete files.");
            async move { Err(error) }
        });
        let registry = Registry::builder()
            .output_limit(OutputLimit::bytes(1000))
            .tool(tool)
            .unwrap()
            .build();
        let result = registry.execute("f", json!({})).await;
        let result = response(result, &registry, "f").unwrap();
        let text = result.content[0].as_text().unwrap().text.clone();
        let error = result.meta.and_then(|meta| meta.get(ERROR).cloned());
        (text, result.structured_content, error)
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
