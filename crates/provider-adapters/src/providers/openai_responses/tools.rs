//! Conversion of definitions.

use serde_json::{Value, json};

use crate::Object;
use crate::providers::openai;
use crate::schema::Losses;
use crate::wire::{Draft, SourceTool, WireChoice, WireTool};

pub(super) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let conversions = (&openai::RULES, openai::plain_schema as _);
    let (parameters, strict) = openai::parameters(conversions, &source, losses)?;
    let mut function = source.named();
    function.insert("type".to_owned(), "function".into());
    // `parameters` and `strict` are required members, unlike in Chat Completions.
    function.insert("parameters".to_owned(), parameters);
    // If `strict` is missing, the service enables it by default.
    function.insert("strict".to_owned(), strict.into());
    if source.is_deferred() {
        function.insert("defer_loading".to_owned(), true.into());
    }
    Ok(WireTool {
        tool: Value::Object(function),
        strict,
        adds_nulls: strict,
        ..WireTool::default()
    })
}

/// Returns the search of the service, which the models since GPT-5.4 support.
pub(super) fn search() -> Value {
    json!({"type": "tool_search"})
}

/// Like Chat Completions, but named tools have no envelope.
pub(super) fn request(draft: &mut Draft<'_>) -> Object {
    let named = match &draft.choice {
        WireChoice::Named(names) => Some(named(names)),
        _ => None,
    };
    let mut extra = openai::request(draft);
    extra.extend(named.map(|choice| ("tool_choice".to_owned(), choice)));
    extra
}

fn named(names: &[String]) -> Value {
    let functions: Vec<Value> = names
        .iter()
        .map(|name| json!({"type": "function", "name": name}))
        .collect();
    match <[Value; 1]>::try_from(functions) {
        Ok([only]) => only,
        Err(functions) => json!({"type": "allowed_tools", "mode": "required", "tools": functions}),
    }
}

#[cfg(test)]
mod tests {
    use tool_core::{Dialect, ToolDefinition};

    use crate::{Options, Provider};

    use super::*;

    #[test]
    fn always_sends_parameters_and_strictness() {
        let open = json!({"type": "object", "additionalProperties": true});
        for (schema, parameters, strict) in [
            (
                json!({}),
                json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false}),
                true,
            ),
            (
                open,
                json!({"type": "object", "properties": {}, "additionalProperties": true}),
                false,
            ),
        ] {
            let converted =
                Provider::OpenAiResponses.convert(&[ToolDefinition::new("f", "", schema)]);

            assert_eq!(
                converted.tools,
                json!([{"type": "function", "name": "f", "parameters": parameters, "strict": strict}])
            );
        }
    }

    #[test]
    fn supports_deferred_tools() {
        let tool = ToolDefinition::new("add", "Adds.", json!({}));
        let options = Options::default().with_deferred(["add"]);

        let converted = Provider::OpenAiResponses
            .with_options(options)
            .convert(&[tool]);

        assert_eq!(converted.tools[0], json!({"type": "tool_search"}));
        assert_eq!(converted.tools[1]["defer_loading"], json!(true));
        assert_eq!(converted.losses, []);
    }
}
