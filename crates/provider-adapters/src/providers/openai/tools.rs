//! Conversion of definitions, with strict or plain schemas.

use serde_json::{Value, json};

use crate::Object;
use crate::schema::{self, Losses, OPENAI_FORMATS, StrictLimits};
use crate::strictness::{ConvertSchema, choose};
use crate::wire::{Draft, SourceTool, WireChoice, WireTool};

pub(crate) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    tool_by((&RULES, plain_schema), source, losses)
}

/// Converts a definition with a strict schema of these rules, or with a plain one.
pub(crate) fn tool_by(
    conversions: (&StrictRules, ConvertSchema),
    source: SourceTool<'_>,
    losses: &mut Losses,
) -> Result<WireTool, String> {
    let (parameters, strict) = parameters(conversions, &source, losses)?;
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

/// Returns the schema to send, without `$ref` if the model does not support `$defs`, and whether it is strict.
pub(crate) fn parameters(
    conversions: (&StrictRules, ConvertSchema),
    source: &SourceTool<'_>,
    losses: &mut Losses,
) -> Result<(Value, bool), String> {
    let (rules, plain) = if source.options.model.inline_definitions {
        (&INLINED_RULES, plain_inline_schema as ConvertSchema)
    } else {
        conversions
    };
    let strict = |given: &Value, losses: &mut Losses| strict_schema(rules, given, losses);
    let schema = source.definition.input_schema();
    choose((source.strict, schema), (strict, plain), |_| true, losses)
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
fn function_choice(name: &str) -> Value {
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

/// Features that a strict schema may use.
pub(crate) struct StrictRules {
    /// Keywords in addition to [`EVERYWHERE`].
    pub(crate) also: &'static [&'static [&'static str]],
    pub(crate) formats: &'static [&'static str],
    pub(crate) limits: StrictLimits,
    /// Whether references to `$defs` are allowed.
    pub(crate) references: bool,
}

/// Keywords that all providers accept in strict mode.
const EVERYWHERE: [&str; 11] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "description",
    "enum",
    "items",
    "properties",
    "required",
    "type",
];

const BOUNDS: [&str; 9] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
];

/// Keywords that OpenAI supports in strict mode, but compatible servers may not.
const LENGTHS: [&str; 2] = ["maxLength", "minLength"];

pub(crate) const RULES: StrictRules = StrictRules {
    also: &[&BOUNDS, &LENGTHS],
    formats: &OPENAI_FORMATS,
    limits: StrictLimits::OPENAI,
    references: true,
};

pub(crate) const COMPATIBLE_RULES: StrictRules = StrictRules {
    also: &[&BOUNDS],
    ..RULES
};

const INLINED_RULES: StrictRules = StrictRules {
    references: false,
    ..COMPATIBLE_RULES
};

impl StrictRules {
    fn keywords(&self) -> Vec<&'static str> {
        let also = self.also.iter().copied().flatten();
        EVERYWHERE.iter().chain(also).copied().collect()
    }
}

fn strict_schema(rules: &StrictRules, given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let mut schema = schema::modernized(given);
    // OpenAI accepts references only to `#` or a direct member of `$defs`, so other targets are moved there.
    if rules.references {
        schema::hoist(&mut schema, losses)?;
    } else {
        if schema::is_recursive(&schema) {
            let detail = "a strict schema without `$defs` cannot be recursive";
            losses.record_not_strict("", "$ref", detail);
        }
        schema::inline(&mut schema, losses)?;
    }
    schema::root_object(&mut schema, losses)?;
    schema::drop_from_root(&mut schema, losses);
    schema::merge_all_of(&mut schema, losses);
    schema::merge_alternatives(&mut schema, losses);
    shape(&mut schema, losses);
    hold(&mut schema, rules, losses);
    schema::check_strict_limits(rules.limits, &schema, losses);
    Ok(schema::unmark(schema))
}

/// Expresses keywords that strict mode lacks in keywords that it supports.
fn shape(schema: &mut Value, losses: &mut Losses) {
    schema::outer_first(schema, &mut |object| {
        schema::simplify(object, losses);
        schema::type_of_values(object);
        schema::type_of_contents(object);
        schema::require_items(object);
    });
}

/// Closes objects, requires all properties, and removes keywords that the rules do not allow.
fn hold(schema: &mut Value, rules: &StrictRules, losses: &mut Losses) {
    let keywords = rules.keywords();
    schema::inner_first(schema, &mut |object| {
        schema::require_rules(object, losses);
        schema::describe_format(object, rules.formats, losses);
        schema::describe_hard_pattern(object, losses);
        schema::close(object, losses);
        schema::keep_only(object, &keywords, losses);
        // A reference must not have any sibling keyword.
        schema::isolate_reference(object, losses);
        schema::require_known(object, losses);
        // Last: strict mode has no optional properties, so they become nullable.
        schema::require_all(object);
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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

    fn strict(schema: &Value) -> (Value, Losses) {
        let mut losses = Losses::new("f");
        let schema = strict_schema(&RULES, schema, &mut losses).unwrap();
        (schema, losses)
    }

    #[test]
    fn strict_schema_is_closed_and_requires_all_properties() {
        let (schema, losses) = strict(&json!({
            "$schema": "x",
            "type": "object",
            "title": "T",
            "properties": {
                "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
                "at": {"type": "string", "format": "uri"},
            },
            "required": ["at"],
        }));

        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "unit": {"type": ["string", "null"], "enum": ["C", "F", null], "description": "Default: \"C\"."},
                    "at": {"type": "string", "description": "Format: uri."},
                },
                "required": ["unit", "at"],
                "additionalProperties": false,
            })
        );
        assert!(losses.only_described());
        assert_eq!(losses.distinct().len(), 2);
    }

    #[test]
    fn recursive_schema_can_be_strict() {
        let (schema, losses) = strict(&json!({
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/Tree", "description": "All"}},
            "required": ["tree"],
            "$defs": {"Tree": {
                "type": "object",
                "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
                "required": ["children"],
            }},
        }));

        assert_eq!(
            schema["properties"]["tree"],
            json!({"description": "All", "anyOf": [{"$ref": "#/$defs/Tree"}]})
        );
        assert!(losses.not_strict().is_none());
        assert!(losses.distinct().is_empty());
    }
}
