//! Conversion of definitions, with the schemas of Anthropic.

use serde_json::{Value, json};

use crate::Object;
use crate::providers::anthropic;
use crate::schema::Losses;
use crate::wire::{Body, Draft, SourceTool, WireChoice, WireTool, member};

pub(super) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let input = anthropic::input_schema(&source, losses)?;
    // Bedrock rejects empty descriptions, so omit them.
    let mut tool = source.named();
    let schema = member("json", input.tool);
    tool.insert("inputSchema".to_owned(), schema.into());
    if input.strict {
        tool.insert("strict".to_owned(), true.into());
    }
    Ok(WireTool {
        tool: member("toolSpec", tool.into()).into(),
        ..input
    })
}

/// Returns the tool choice. There is no switch for parallel calls.
pub(super) fn request(draft: &mut Draft<'_>) -> Object {
    draft.record_parallel_loss();
    if matches!(&draft.choice, WireChoice::Named(names) if names.len() > 1) {
        draft.keep_chosen();
    }
    let choice = match &draft.choice {
        WireChoice::Auto => json!({"auto": {}}),
        WireChoice::Required => json!({"any": {}}),
        // Several names were reduced to `Required` above.
        WireChoice::Named(names) => json!({"tool": {"name": names.first()}}),
        WireChoice::None => {
            // The API has no choice `none`.
            draft.tools.clear();
            let detail = "the provider cannot forbid calls; no tools are sent, which fails if the conversation contains calls";
            draft.degrade("tool_choice", detail);
            return Object::new();
        }
    };
    if draft.options.cache {
        let mark = json!({"cachePoint": {"type": "default"}});
        draft.tools.push((String::new(), mark));
    }
    member("toolChoice", choice)
}

/// Returns the members with tools and tool choice under one key.
pub(super) fn body(tools: Vec<Value>, mut extra: Object) -> Body {
    let tools = Value::Array(tools);
    extra.insert("tools".to_owned(), tools.clone());
    (tools, member("toolConfig", Value::Object(extra)))
}

#[cfg(test)]
mod tests {
    use tool_core::{Dialect, ToolDefinition};

    use crate::{Options, Provider, StrictMode, ToolChoice};

    use super::*;

    #[test]
    fn converts_every_tool_choice() {
        let tools = ["f", "g", "h"].map(|name| ToolDefinition::new(name, "", json!({})));
        for (choice, words, sent, losses) in [
            (ToolChoice::Auto, json!({"auto": {}}), 3, 0),
            (ToolChoice::None, Value::Null, 0, 1),
            (ToolChoice::Required, json!({"any": {}}), 3, 0),
            (
                ToolChoice::named(["f"]),
                json!({"tool": {"name": "f"}}),
                3,
                0,
            ),
            (ToolChoice::named(["f", "g"]), json!({"any": {}}), 2, 0),
        ] {
            let options = Options::default().with_choice(choice.clone());

            let converted = Provider::Bedrock.with_options(options).convert(&tools);

            let actual = converted.request.pointer("/toolConfig/toolChoice").cloned();
            assert_eq!(actual.unwrap_or_default(), words, "{choice:?}");
            assert_eq!(converted.tools.as_array().map(Vec::len), Some(sent));
            assert_eq!(converted.losses.len(), losses);
        }
    }

    #[test]
    fn cache_marker_follows_tools() {
        let options = Options::default().with_cache(true);
        let tool = ToolDefinition::new("f", "", json!({}));

        let converted = Provider::Bedrock.with_options(options).convert(&[tool]);

        let schema =
            json!({"json": {"type": "object", "properties": {}, "additionalProperties": false}});
        assert_eq!(
            converted.tools,
            json!([{"toolSpec": {"name": "f", "inputSchema": schema, "strict": true}}, {"cachePoint": {"type": "default"}}])
        );
    }

    #[test]
    fn tools_are_strict_within_budget() {
        let tools: Vec<ToolDefinition> = (0..21)
            .map(|at| ToolDefinition::new(format!("f{at}"), "", json!({"properties": {}})))
            .collect();
        for (mode, strict) in [
            (StrictMode::Auto, 20),
            (StrictMode::On, 20),
            (StrictMode::Off, 0),
        ] {
            let options = Options::default().with_strict(mode);

            let converted = Provider::Bedrock.with_options(options).convert(&tools);

            let tools = converted.tools.as_array().into_iter().flatten();
            let count = tools
                .filter(|tool| tool["toolSpec"]["strict"] == true)
                .count();
            assert_eq!(count, strict);
        }
    }
}
