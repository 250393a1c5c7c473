//! Conversion of definitions.

use serde_json::{Value, json};

use super::strict::{inlined_strict_schema, strict_schema};
use crate::Object;
use crate::schema::{self, Losses};
use crate::strictness::{ConvertSchema, choose};
use crate::wire::{Draft, SourceTool, WireChoice, WireTool};

pub(crate) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    tool_by((strict_schema, plain_schema), source, losses)
}

/// Converts a definition with the strict or the plain translation of its schema.
pub(crate) fn tool_by(
    conversions: (ConvertSchema, ConvertSchema),
    source: SourceTool<'_>,
    losses: &mut Losses,
) -> Result<WireTool, String> {
    let schema = source.definition.input_schema();
    let conversions = seen_by_model(&source, conversions);
    let (parameters, strict) = choose((source.strict, schema), conversions, |_| true, losses)?;
    let mut function = source.named();
    function.insert("parameters".to_owned(), parameters);
    if strict {
        function.insert("strict".to_owned(), true.into());
    }
    let mut tool = crate::wire::member("function", function.into());
    tool.insert("type".to_owned(), "function".into());
    Ok(WireTool {
        tool: Value::Object(tool),
        strict,
        adds_nulls: strict,
        ..WireTool::default()
    })
}

/// Returns `conversions`, or translations without `$ref` if the model does not support `$defs`.
pub(crate) fn seen_by_model(
    source: &SourceTool<'_>,
    conversions: (ConvertSchema, ConvertSchema),
) -> (ConvertSchema, ConvertSchema) {
    if source.options.model.inline_definitions {
        (inlined_strict_schema, plain_inline_schema)
    } else {
        conversions
    }
}

/// Converts a schema without strict mode. Changes only legacy keywords and the root, array and
/// reference rules.
pub(crate) fn plain_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    settle_plain(schema::modernized(given), losses)
}

fn settle_plain(mut schema: Value, losses: &mut Losses) -> Result<Value, String> {
    schema::drop_dangling(&mut schema, losses);
    schema::root_object(&mut schema, losses)?;
    // OpenAI checks the root and arrays even without strict mode.
    schema::drop_from_root(&mut schema, losses);
    schema::outer_first(&mut schema, &mut |object| {
        schema::bound_tuple(object);
        schema::require_items(object);
    });
    Ok(schema::unmark(schema))
}

/// Like [`plain_schema`], but with inlined references unless they are recursive, for models that do
/// not support `$defs`.
pub(crate) fn plain_inline_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    settle_plain(inlined(given, losses), losses)
}

/// Like [`plain_schema`], but with only string values in `enum` and without `$defs`, for Gemini
/// models behind a gateway.
pub(crate) fn plain_text_values_schema(
    given: &Value,
    losses: &mut Losses,
) -> Result<Value, String> {
    let mut schema = schema::modernized(given);
    schema::inline(&mut schema, losses)?;
    schema::outer_first(&mut schema, &mut |object| {
        schema::describe_values(object, Value::is_string, losses);
        schema::const_to_enum(object);
    });
    settle_plain(schema, losses)
}

/// Returns the marked schema with inlined references unless they are recursive.
fn inlined(given: &Value, losses: &mut Losses) -> Value {
    let mut schema = schema::modernized(given);
    let mut trial = losses.trial();
    if !schema::is_recursive(&schema) && schema::inline(&mut schema, &mut trial).is_ok() {
        losses.extend(trial);
    }
    schema
}

/// Returns the members for tool choice and parallel calls.
pub(crate) fn request(draft: &mut Draft<'_>) -> Object {
    let choice = match &draft.choice {
        WireChoice::Auto => json!("auto"),
        WireChoice::None => json!("none"),
        WireChoice::Required => json!("required"),
        WireChoice::Named(names) => named(names),
    };
    let mut extra = Object::new();
    extra.insert("tool_choice".to_owned(), choice);
    if let Some(parallel) = draft.parallel {
        extra.insert("parallel_tool_calls".to_owned(), parallel.into());
    }
    extra
}

/// Like [`request`], but for servers that do not support a list of allowed tools: only the chosen
/// tools are sent.
pub(crate) fn compatible_request(draft: &mut Draft<'_>) -> Object {
    if matches!(&draft.choice, WireChoice::Named(names) if names.len() > 1) {
        draft.keep_chosen();
    }
    request(draft)
}

/// Returns the tool choice for one function.
pub(crate) fn function_choice(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name}})
}

fn named(names: &[String]) -> Value {
    let functions: Vec<Value> = names.iter().map(|name| function_choice(name)).collect();
    match <[Value; 1]>::try_from(functions) {
        Ok([only]) => only,
        Err(functions) => json!({
            "type": "allowed_tools",
            "allowed_tools": {"mode": "required", "tools": functions},
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_schema_changes_only_root_and_arrays() {
        let given = json!({
            "type": "object",
            "properties": {"a": {"type": "array"}, "b": {"oneOf": [{"type": "string"}, {"const": 1}]}},
            "enum": [{}],
        });
        let mut losses = Losses::new("f");

        let schema = plain_schema(&given, &mut losses).unwrap();

        assert_eq!(
            schema,
            json!({
                "type": "object",
                "description": "One of {}.",
                "properties": {
                    "a": {"type": "array", "items": {}},
                    "b": {"oneOf": [{"type": "string"}, {"const": 1}]},
                },
            })
        );
        assert_eq!(losses.distinct().len(), 1);
    }
}
