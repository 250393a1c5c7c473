//! Conversion of definitions.

use serde_json::Value;

use crate::providers::openai;
use crate::schema::{self, Losses};
use crate::wire::{Draft, SourceTool, WireChoice, WireTool};
use crate::{Object, StrictMode};

/// Maximum number of fields in all strict tools of one request. Not documented.
const MAX_FIELDS: usize = 200;

/// Converts a tool. Strict mode applies to the request instead of a tool.
pub(super) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    openai::tool_by((openai::plain_schema, openai::plain_schema), source, losses)
}

/// Returns the tool choice, which is omitted for `auto`, and the switch for strict tools.
pub(super) fn request(draft: &mut Draft<'_>) -> Object {
    draft.keep_chosen();
    draft.record_parallel_loss();
    let word = match &draft.choice {
        WireChoice::Auto => None,
        WireChoice::None => Some("NONE"),
        WireChoice::Required | WireChoice::Named(_) => Some("REQUIRED"),
    };
    let mut extra = Object::new();
    extra.extend(word.map(|word| ("tool_choice".to_owned(), word.into())));
    if draft.options.strict == StrictMode::On {
        match unsupported_choice(draft) {
            None => {
                extra.insert("strict_tools".to_owned(), true.into());
            }
            Some(reason) => draft.degrade("strict", reason),
        }
    }
    extra
}

/// Returns the reason why the tools cannot be strict.
fn unsupported_choice(draft: &Draft<'_>) -> Option<String> {
    let mut fields = 0;
    for (wire, tool) in &draft.tools {
        let parameters = tool.pointer("/function/parameters").unwrap_or(&Value::Null);
        let required = parameters.get("required").and_then(Value::as_array);
        if required.is_none_or(Vec::is_empty) {
            return Some(format!(
                "the tools are not strict because `{wire}` has no required parameter"
            ));
        }
        schema::visit_all(parameters, &mut |object| {
            let properties = object.get("properties").and_then(Value::as_object);
            fields += properties.map_or(0, Object::len);
        });
    }
    let most = draft.options.model.max_strict_fields.unwrap_or(MAX_FIELDS);
    (fields > most).then(|| {
        format!(
            "the tools are not strict because they have {fields} fields; at most {most} are allowed"
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ToolDefinition};

    use crate::{Options, Provider, ToolChoice};

    use super::*;

    fn tool(name: &str, parameters: usize) -> ToolDefinition {
        let names: Vec<String> = (0..parameters).map(|at| format!("p{at}")).collect();
        let properties: Object = names
            .iter()
            .map(|name| (name.clone(), json!({"type": "string"})))
            .collect();
        let schema = json!({"type": "object", "properties": properties, "required": names});
        ToolDefinition::new(name, "", schema)
    }

    #[test]
    fn converts_every_tool_choice() {
        let tools = ["f", "g"].map(|name| tool(name, 1));
        for (choice, word, sent) in [
            (ToolChoice::Auto, Value::Null, 2),
            (ToolChoice::None, json!("NONE"), 2),
            (ToolChoice::Required, json!("REQUIRED"), 2),
            (ToolChoice::named(["g"]), json!("REQUIRED"), 1),
        ] {
            let options = Options::default().with_choice(choice.clone());

            let converted = Provider::Cohere.with_options(options).convert(&tools);

            let actual = converted.request.get("tool_choice").cloned();
            assert_eq!(actual.unwrap_or_default(), word, "{choice:?}");
            assert_eq!(converted.tools.as_array().map(Vec::len), Some(sent));
        }
    }

    #[test]
    fn request_is_strict_if_all_tools_can_be() {
        for (tools, strict) in [
            (vec![tool("f", 1), tool("g", 199)], true),
            (vec![tool("f", 1), tool("g", 200)], false),
            (vec![tool("f", 1), tool("g", 0)], false),
        ] {
            let options = Options::default().with_strict(StrictMode::On);

            let converted = Provider::Cohere.with_options(options).convert(&tools);

            let actual = converted.request.get("strict_tools").cloned();
            assert_eq!(actual, strict.then_some(json!(true)));
            assert_eq!(converted.losses.is_empty(), strict);
        }
    }
}
