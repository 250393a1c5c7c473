//! Conversion of definitions.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::Object;
use crate::schema::{self, ANTHROPIC_FORMATS, Losses};
use crate::strictness::choose;
use crate::wire::{Draft, SourceTool, WireChoice, WireTool};

/// Keywords that strict mode supports.
const STRICT: [&str; 17] = [
    "$defs",
    "$ref",
    "$schema",
    "additionalProperties",
    "anyOf",
    "const",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "minItems",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];

/// Returns the schema instead of the tool, which the caller completes.
pub(crate) fn input_schema(
    source: &SourceTool<'_>,
    losses: &mut Losses,
) -> Result<WireTool, String> {
    let given = source.definition.input_schema();
    // Above the limits of one request, the API rejects it because of all its tools, so later tools are sent without strict.
    let affordable = |schema: &Value| source.budget.can_add(schema);
    let conversions = (strict_schema, plain_schema as _);
    let (mut tool, strict) = choose((source.strict, given), conversions, affordable, losses)?;
    // The API allows only `[a-zA-Z0-9_.-]{1,64}` as names of top-level parameters, and one bad tool fails the request.
    let keys = schema::rename_keys(&mut tool, losses)?;
    Ok(WireTool {
        tool,
        strict,
        keys,
        ..WireTool::default()
    })
}

pub(crate) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let input = input_schema(&source, losses)?;
    let mut tool = source.named();
    let examples = examples(&source, &input.keys);
    if !examples.is_empty() {
        tool.insert("input_examples".to_owned(), examples.into());
    }
    tool.insert("input_schema".to_owned(), input.tool);
    if source.is_deferred() {
        tool.insert("defer_loading".to_owned(), true.into());
    }
    if input.strict {
        tool.insert("strict".to_owned(), true.into());
    }
    Ok(WireTool {
        tool: tool.into(),
        ..input
    })
}

/// Returns the search of the service, which compares words.
pub(crate) fn search() -> Value {
    json!({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"})
}

/// Returns the examples with the keys on the wire.
fn examples(source: &SourceTool<'_>, keys: &BTreeMap<String, String>) -> Vec<Value> {
    if !source.options.examples {
        return Vec::new();
    }
    let examples = source.definition.examples().iter();
    examples
        .filter_map(Value::as_object)
        .map(|example| {
            let mut example = example.clone();
            for (wire, own) in keys {
                if let Some(value) = example.shift_remove(own) {
                    example.insert(wire.clone(), value);
                }
            }
            Value::Object(example)
        })
        .collect()
}

/// Converts a schema without strict mode. Changes only legacy keywords and the root and reference
/// rules.
fn plain_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let mut schema = schema::modernized(given);
    schema::drop_dangling(&mut schema, losses);
    schema::root_object(&mut schema, losses)?;
    Ok(schema::unmark(schema))
}

fn strict_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let mut schema = schema::modernized(given);
    schema::hoist(&mut schema, losses)?;
    schema::root_object(&mut schema, losses)?;
    if schema::is_recursive(&schema) {
        losses.record_not_strict("", "$ref", "a recursive schema cannot be strict");
    }
    schema::merge_all_of(&mut schema, losses);
    schema::merge_alternatives(&mut schema, losses);
    schema::outer_first(&mut schema, &mut |object| {
        schema::simplify(object, losses);
        schema::require_items(object);
    });
    schema::inner_first(&mut schema, &mut |object| {
        schema::require_rules(object, losses);
        schema::describe_values(object, is_scalar, losses);
        schema::describe_format(object, &ANTHROPIC_FORMATS, losses);
        schema::describe_hard_pattern(object, losses);
        describe_min_items(object, losses);
        schema::close(object, losses);
        schema::keep_only(object, &STRICT, losses);
        schema::require_known(object, losses);
    });
    Ok(schema::unmark(schema))
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

fn describe_min_items(object: &mut Object, losses: &mut Losses) {
    let least = object.get("minItems").and_then(Value::as_u64);
    // Strict mode only supports 0 and 1.
    if least.is_none_or(|least| least > 1) {
        schema::describe(object, &["minItems"], losses);
    }
}

/// Returns the tool choice, which contains the switch for parallel calls.
pub(crate) fn request(draft: &mut Draft<'_>) -> Object {
    let mut choice = match draft.choice.clone() {
        WireChoice::Auto => json!({"type": "auto"}),
        WireChoice::None => json!({"type": "none"}),
        WireChoice::Required => json!({"type": "any"}),
        WireChoice::Named(names) => match names.as_slice() {
            [name] => json!({"type": "tool", "name": name}),
            // The API can name only one tool.
            names => {
                draft.keep_only(names);
                json!({"type": "any"})
            }
        },
    };
    if let (Some(parallel), Value::Object(choice)) = (draft.parallel, &mut choice)
        // `none` allows no other member.
        && draft.choice != WireChoice::None
    {
        choice.insert("disable_parallel_tool_use".to_owned(), (!parallel).into());
    }
    if draft.options.cache {
        mark_for_cache(draft);
    }
    crate::wire::member("tool_choice", choice)
}

/// Sets the cache marker on the last tool that is not deferred, so that all tools before it are
/// cached.
fn mark_for_cache(draft: &mut Draft<'_>) {
    let tools = draft.tools.iter_mut().rev();
    let last = tools
        .filter_map(|(_, tool)| tool.as_object_mut())
        .find(|tool| !tool.contains_key("defer_loading"));
    match last {
        Some(tool) => {
            tool.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
        }
        None => draft.degrade("cache", "deferred tools do not support cache markers"),
    }
}

#[cfg(test)]
mod tests {
    use tool_core::{Dialect, ProviderTools, ToolDefinition};

    use crate::{ModelTraits, Options, Provider, ToolChoice};

    use super::*;

    #[test]
    fn strict_schema_keeps_optional_properties() {
        let given = json!({
            "type": "object",
            "properties": {
                "n": {"type": "integer", "minimum": 1},
                "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
            },
            "required": ["n"],
        });
        let mut losses = Losses::new("f");

        let schema = strict_schema(&given, &mut losses).unwrap();

        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "n": {"type": "integer", "description": "At least 1."},
                    "tags": {
                        "type": "array", "items": {"type": "string"}, "minItems": 1, "description": "At most 3 items.",
                    },
                },
                "required": ["n"],
                "additionalProperties": false,
            })
        );
        assert!(losses.only_described());
    }

    #[test]
    fn recursive_schema_is_not_strict() {
        let given = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
        let mut losses = Losses::new("f");

        strict_schema(&given, &mut losses).unwrap();

        assert!(losses.not_strict().is_some());
    }

    #[test]
    fn array_of_any_items_is_not_strict() {
        for list in [
            json!({"type": "array"}),
            json!({"type": "array", "items": {}}),
        ] {
            let given = json!({"type": "object", "properties": {"a": list}});
            let mut losses = Losses::new("f");

            strict_schema(&given, &mut losses).unwrap();

            assert!(losses.not_strict().is_some(), "{given}");
        }
    }

    #[test]
    fn plain_schema_keeps_every_keyword() {
        let given = json!({
            "type": "object",
            "properties": {"a": {"oneOf": [{"const": 1}, {"not": {"type": "null"}}]}},
            "minProperties": 1,
        });
        let mut losses = Losses::new("f");

        assert_eq!(plain_schema(&given, &mut losses), Ok(given));
        assert!(losses.distinct().is_empty());
    }

    fn convert(options: Options, tools: &[ToolDefinition]) -> ProviderTools {
        Provider::Anthropic.with_options(options).convert(tools)
    }

    #[test]
    fn examples_have_wire_keys() {
        let tool = ToolDefinition::new(
            "f",
            "F",
            json!({"properties": {"the path": {"type": "string"}}}),
        )
        .with_example(json!({"the path": "a"}))
        .with_example(json!("no arguments"));

        let converted = convert(Options::default().with_examples(true), &[tool]);

        assert_eq!(
            converted.tools[0]["input_examples"],
            json!([{"the_path": "a"}])
        );
    }

    #[test]
    fn cache_marker_is_on_last_tool_not_deferred() {
        let tools = ["f", "g", "h"].map(|name| ToolDefinition::new(name, "", json!({})));
        let options = Options::default().with_cache(true).with_deferred(["h"]);

        let converted = convert(options, &tools);

        let marks = ["cache_control", "defer_loading"];
        let marked =
            [0, 1, 2, 3].map(|at| marks.map(|mark| converted.tools[at].get(mark).is_some()));
        // After the search.
        assert_eq!(
            marked,
            [[false, false], [false, false], [true, false], [false, true]]
        );
        assert_eq!(converted.losses, []);
    }

    #[test]
    fn model_without_forced_choice_has_automatic_choice() {
        let options = Options::default()
            .with_choice(ToolChoice::Required)
            .with_model(ModelTraits {
                without_forced_choice: true,
                ..ModelTraits::default()
            });

        let converted = convert(options, &[ToolDefinition::new("f", "", json!({}))]);

        assert_eq!(converted.request["tool_choice"], json!({"type": "auto"}));
        assert_eq!(converted.losses[0].keyword, "tool_choice");
    }
}
