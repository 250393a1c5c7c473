//! Definitions out.

use serde_json::{Map, Value, json};

use crate::plan::{Asked, Spoken};
use crate::request::{Draft, WireChoice};
use crate::schema::{self, ANTHROPIC_FORMATS, Losses};
use crate::strictness::choose;

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

pub(crate) fn tool(asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
    let schema = asked.definition.input_schema();
    let affordable = |schema: &Value| asked.budget.affords(schema);
    let translations = (strict_schema as _, plain_schema as _);
    let (mut input_schema, strict) =
        choose((asked.strict, schema), translations, affordable, losses)?;
    let keys = match &mut input_schema {
        Value::Object(root) => schema::rename_keys(root),
        _ => std::collections::BTreeMap::default(),
    };
    let mut tool = asked.named();
    tool.insert("input_schema".to_owned(), input_schema);
    if strict {
        tool.insert("strict".to_owned(), true.into());
    }
    Ok(Spoken {
        tool: Value::Object(tool),
        strict,
        keys,
    })
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
    crate::request::member("tool_choice", choice)
}

#[cfg(test)]
mod tests {
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
}
