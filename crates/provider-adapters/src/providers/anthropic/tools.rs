//! Definitions out.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::callers;
use crate::schema::{self, ANTHROPIC_FORMATS, Losses};
use crate::strictness::choose;
use crate::wire::{Asked, Draft, Spoken, WireChoice};

/// The keywords that strict mode takes.
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

/// A schema as it is sent.
pub(crate) struct InputSchema {
    pub(crate) schema: Value,
    pub(crate) strict: bool,
    /// Renamed top-level parameters: the definition's own key by its key on the wire.
    pub(crate) keys: BTreeMap<String, String>,
}

pub(crate) fn input_schema(asked: &Asked<'_>, losses: &mut Losses) -> Result<InputSchema, String> {
    let given = asked.definition.input_schema();
    let affordable = |schema: &Value| asked.budget.affords(schema);
    let translations = (strict_schema as _, plain_schema as _);
    let (mut schema, strict) = choose((asked.strict, given), translations, affordable, losses)?;
    let keys = match &mut schema {
        Value::Object(root) => schema::rename_keys(root),
        _ => BTreeMap::default(),
    };
    Ok(InputSchema {
        schema,
        strict,
        keys,
    })
}

pub(crate) fn tool(asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
    let (asked, callers) = callers::settle(asked, losses);
    let input = input_schema(&asked, losses)?;
    let mut tool = asked.named();
    let examples = examples(&asked, &input.keys);
    if !examples.is_empty() {
        tool.insert("input_examples".to_owned(), examples.into());
    }
    tool.insert("input_schema".to_owned(), input.schema);
    if asked.is_deferred() {
        tool.insert("defer_loading".to_owned(), true.into());
    }
    if let Some(callers) = callers {
        tool.insert("allowed_callers".to_owned(), callers.into());
    }
    if asked.options.eager_input {
        tool.insert("eager_input_streaming".to_owned(), true.into());
    }
    if input.strict {
        tool.insert("strict".to_owned(), true.into());
    }
    Ok(Spoken {
        tool: Value::Object(tool),
        strict: input.strict,
        keys: input.keys,
        ..Spoken::default()
    })
}

/// The examples under the keys that the provider is told.
fn examples(asked: &Asked<'_>, keys: &BTreeMap<String, String>) -> Vec<Value> {
    if !asked.options.examples {
        return Vec::new();
    }
    let examples = asked.definition.examples().iter();
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

/// The schema as it is, but for older spellings and the rules on the root and on references.
fn plain_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let mut schema = schema::mark(given);
    schema::modernise(&mut schema);
    schema::forget_unknown(&mut schema, losses);
    schema::root_object(&mut schema, losses)?;
    Ok(schema::unmark(schema))
}

fn strict_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let mut schema = schema::mark(given);
    schema::modernise(&mut schema);
    schema::hoist(&mut schema, losses)?;
    schema::root_object(&mut schema, losses)?;
    if schema::is_recursive(&schema) {
        losses.no_form(
            "",
            "$ref",
            "a schema that goes on inside itself cannot be strict",
        );
    }
    schema::merge_all_of(&mut schema, losses);
    schema::unite_alternatives(&mut schema, losses);
    schema::outer_first(&mut schema, &mut |object| {
        schema::drop_conditions(object, losses);
        schema::drop_impossible(object, losses);
        schema::weaken_one_of(object, losses);
        schema::flatten_tuple(object, losses);
        schema::bound_tuple(object);
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

fn describe_min_items(object: &mut Map<String, Value>, losses: &mut Losses) {
    let least = object.get("minItems").and_then(Value::as_u64);
    if least.is_none_or(|least| least > 1) {
        schema::describe(object, &["minItems"], losses);
    }
}

/// The choice, which holds the parallel switch.
pub(crate) fn request(draft: &mut Draft) -> Map<String, Value> {
    callers::leave_parallel(draft);
    let mut choice = match draft.choice.clone() {
        WireChoice::Auto => json!({"type": "auto"}),
        WireChoice::None => json!({"type": "none"}),
        WireChoice::Required => json!({"type": "any"}),
        WireChoice::Named(names) => match names.as_slice() {
            [name] => json!({"type": "tool", "name": name}),
            names => {
                draft.keep_only(names);
                json!({"type": "any"})
            }
        },
    };
    if let (Some(parallel), Value::Object(choice)) = (draft.parallel, &mut choice)
        && draft.choice != WireChoice::None
    {
        choice.insert("disable_parallel_tool_use".to_owned(), (!parallel).into());
    }
    if draft.cache {
        mark_for_cache(draft);
    }
    crate::wire::member("tool_choice", choice)
}

/// The mark stands on the last tool that is loaded at once; all before it are cached with it.
fn mark_for_cache(draft: &mut Draft) {
    let tools = draft.tools.iter_mut().rev();
    let last = tools
        .filter_map(|(_, tool)| tool.as_object_mut())
        .find(|tool| !tool.contains_key("defer_loading"));
    match last {
        Some(tool) => {
            tool.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
        }
        None => draft.degrade(
            "cache",
            "a tool that is deferred takes no mark for the cache",
        ),
    }
}

#[cfg(test)]
mod tests {
    use tool_core::{Dialect, ProviderTools, ToolDefinition};

    use crate::{Options, Provider, ToolChoice};

    use super::*;

    #[test]
    fn a_strict_schema_keeps_optional_properties_optional() {
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
    fn recursion_has_no_strict_form() {
        let given = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
        let mut losses = Losses::new("f");

        strict_schema(&given, &mut losses).unwrap();

        assert!(losses.impossible().is_some());
    }

    #[test]
    fn an_array_of_anything_has_no_strict_form_however_it_is_said() {
        for list in [
            json!({"type": "array"}),
            json!({"type": "array", "items": {}}),
        ] {
            let given = json!({"type": "object", "properties": {"a": list}});
            let mut losses = Losses::new("f");

            strict_schema(&given, &mut losses).unwrap();

            assert!(losses.impossible().is_some(), "{given}");
        }
    }

    #[test]
    fn a_plain_schema_keeps_every_rule() {
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
    fn examples_are_told_under_the_keys_that_the_provider_takes() {
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
    fn the_mark_for_the_cache_stands_on_the_last_tool_that_is_not_deferred() {
        let tools = ["f", "g", "h"].map(|name| ToolDefinition::new(name, "", json!({})));
        let options = Options::default().with_cache(true).with_deferred(["h"]);

        let converted = convert(options, &tools);

        let marks = ["cache_control", "defer_loading"];
        let marked = [0, 1, 2].map(|at| marks.map(|mark| converted.tools[at].get(mark).is_some()));
        assert_eq!(marked, [[false, false], [true, false], [false, true]]);
        assert_eq!(converted.losses, []);
    }

    #[test]
    fn a_model_that_thinks_decides_itself() {
        let options = Options::default()
            .with_choice(ToolChoice::Required)
            .with_thinking(true);

        let converted = convert(options, &[ToolDefinition::new("f", "", json!({}))]);

        assert_eq!(converted.request["tool_choice"], json!({"type": "auto"}));
        assert_eq!(converted.losses[0].keyword, "tool_choice");
    }
}
