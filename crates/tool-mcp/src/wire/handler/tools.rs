//! Tools as clients see them: their lists, and the results of calls.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolResult, ContentBlock as WireBlock, ErrorData, ListToolsResult, MetaObject,
    Tool, ToolAnnotations,
};
use serde_json::{Map, Value, json};
use tool_core::approval::ApprovalRequest;
use tool_core::{
    ContentBlock, ErrorCode, OutputLimit, Registry, ResourceContents, ToolDefinition, ToolResult,
};

use super::client::{identity_of, is_current};
use super::{Context, RegistryHandler, Reply};

/// Number of tools of a page.
const PAGE: usize = 250;

/// Time for which clients may keep a list, in milliseconds.
const LIST_TTL: u64 = 30_000;

/// Beginning of a cursor; the name of the last listed tool follows.
const CURSOR: &str = "after:";

/// Returns the tools after a cursor, sorted by name, and the next cursor, or `None` for an invalid cursor. A page starts after
/// a name, so that it stays correct if tools were added or removed.
fn page(registry: &Registry, cursor: Option<&str>) -> Option<(Vec<Tool>, Option<String>)> {
    let mut tools = registry.list();
    tools.sort_by(|left, right| left.name().cmp(right.name()));
    let first = match cursor {
        Some(cursor) => {
            let after = cursor.strip_prefix(CURSOR)?;
            tools.partition_point(|tool| tool.name() <= after)
        }
        None => 0,
    };
    let rest = tools.get(first..).unwrap_or_default();
    let page = rest.get(..PAGE.min(rest.len())).unwrap_or_default();
    let last = page.last().filter(|_| rest.len() > PAGE);
    let next_cursor = last.map(|last| format!("{CURSOR}{}", last.name()));
    Some((page.iter().map(wire_tool).collect(), next_cursor))
}

/// Returns a tool in the form of the protocol.
pub(super) fn wire_tool(definition: &ToolDefinition) -> Tool {
    let object = |schema: &Value| schema.as_object().cloned().map(Arc::new);
    let hints = definition.hints();
    let annotations = ToolAnnotations::new()
        .read_only(hints.read_only)
        .destructive(hints.destructive)
        .idempotent(hints.idempotent)
        .open_world(hints.open_world);
    let risk = (
        "toolwright/risk".to_owned(),
        json!(definition.risk().as_str()),
    );
    let mut tool = Tool::new(
        definition.name().to_owned(),
        definition.description().to_owned(),
        object(definition.input_schema()).unwrap_or_default(),
    )
    .with_annotations(annotations)
    .with_meta(MetaObject::from(Map::from_iter([risk])));
    tool.title = definition.title().map(str::to_owned);
    tool.output_schema = definition.output_schema().and_then(object);
    tool
}

/// Returns whether clients also send a parameter in a header, for routers that do not read bodies.
pub(super) fn names_headers(schema: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    schema.get("x-mcp-header").is_some()
        || properties.is_some_and(|properties| properties.values().any(names_headers))
}

impl RegistryHandler {
    /// Returns a page of the tools of a client.
    pub(super) fn tools(&self, cursor: Option<&str>, context: &Context) -> Reply<ListToolsResult> {
        let has_views = self.0.server.view_for.is_some();
        let registry = self.registry_for(&identity_of(context));
        let (tools, next_cursor) = page(&registry, cursor).ok_or_else(|| {
            ErrorData::invalid_params("the cursor is invalid; list again without a cursor", None)
        })?;
        let mut list = ListToolsResult::with_all_items(tools);
        list.next_cursor = next_cursor;
        if !is_current(context) {
            return Ok(list);
        }
        // Caches may share a list that is the same for all clients.
        let scope = if has_views {
            CacheScope::Private
        } else {
            CacheScope::Public
        };
        Ok(list.with_ttl_ms(LIST_TTL).with_cache_scope(scope))
    }
}

/// Key of the error of a failed call in the metadata of its result.
const ERROR: &str = "toolwright/error";

/// Maximum size of an image, a sound or a binary resource in bytes of base64.
const MAX_MEDIA: usize = 1024 * 1024;

/// Converts the result of a call of the tool `name`: the blocks that a model of this process would receive, and the data
/// or the error next to them.
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

/// Returns the request of a call that needs approval.
pub(super) fn request_of(result: &ToolResult) -> Option<&ApprovalRequest> {
    result.metadata.approval.as_ref()?.request.as_deref()
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
    Ok(Some(json!({
        "code": error.code,
        "message": error.message,
        "suggestion": error.suggestion,
        "parameter": error.parameter,
        "issues": error.issues,
        "retryable": error.retryable,
        "approval_id": request_of(result).map(|request| &request.id),
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
            contents: ResourceContents::Blob(data),
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

/// Returns a block in the form of the protocol, which nests embedded resources.
fn wire_block(block: ContentBlock) -> Option<WireBlock> {
    let block = match block {
        ContentBlock::Text { text } => return Some(WireBlock::text(text)),
        other => other,
    };
    let Value::Object(mut members) = serde_json::to_value(&block).ok()? else {
        return None;
    };
    if let Some(media_type) = members.remove("media_type") {
        members.insert("mimeType".to_owned(), media_type);
    }
    if matches!(block, ContentBlock::Resource { .. }) {
        let resource = Value::Object(std::mem::take(&mut members));
        members.insert("type".to_owned(), json!("resource"));
        members.insert("resource".to_owned(), resource);
    }
    serde_json::from_value(Value::Object(members)).ok()
}

#[cfg(test)]
mod tests {
    use tool_core::{DynamicTool, RiskLevel, ToolError, ToolOutput};

    use super::*;

    fn register(registry: &Registry, name: &str) {
        let definition = ToolDefinition::new(name, "T.", json!({"type": "object"}));
        let tool = DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("x")) });
        registry.register(tool).unwrap();
    }

    fn names(page: &[Tool]) -> Vec<&str> {
        page.iter().map(|tool| &*tool.name).collect()
    }

    #[test]
    fn pages_stay_correct_if_tools_change() {
        let registry = Registry::new();
        (0..600).for_each(|number| register(&registry, &format!("tool{number:03}")));

        let (first, cursor) = page(&registry, None).unwrap();
        assert!(registry.unregister("tool249").is_some());
        register(&registry, "tool100b");
        let (second, cursor) = page(&registry, cursor.as_deref()).unwrap();
        let (third, last) = page(&registry, cursor.as_deref()).unwrap();

        assert_eq!(
            (names(&first)[0], names(&first)[249]),
            ("tool000", "tool249")
        );
        assert_eq!(
            (names(&second)[0], names(&second)[249]),
            ("tool250", "tool499")
        );
        assert_eq!((third.len(), last), (100, None));
    }

    #[test]
    fn rejects_invalid_cursor() {
        let registry = Registry::new();

        assert!(page(&registry, Some("other")).is_none());
        let (after, _) = page(&registry, Some("after:x")).unwrap();
        assert_eq!(names(&after), [""; 0]);
    }

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
