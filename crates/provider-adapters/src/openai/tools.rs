//! Definitions out.

use serde_json::{Map, Value, json};
use tool_core::LossAction;

use crate::plan::{Asked, Spoken};
use crate::request::{Draft, WireChoice};
use crate::schema::{self, Losses, OPENAI_FORMATS, StrictLimits};
use crate::strictness::{Translate, choose};

/// What a strict schema may hold.
pub(crate) struct StrictRules {
    pub(crate) keywords: &'static [&'static str],
    pub(crate) formats: &'static [&'static str],
    pub(crate) limits: StrictLimits,
    /// Whether definitions may be referred to.
    pub(crate) references: bool,
}

/// The keywords that strict mode takes everywhere.
pub(crate) const FEWEST_KEYWORDS: [&str; 11] = [
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

/// Those that compatible servers take.
const COMPATIBLE_KEYWORDS: [&str; 20] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "type",
];

/// Those of OpenAI itself.
const KEYWORDS: [&str; 22] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "type",
];

const RULES: StrictRules = StrictRules {
    keywords: &KEYWORDS,
    formats: &OPENAI_FORMATS,
    limits: StrictLimits::OPENAI,
    references: true,
};

const COMPATIBLE_RULES: StrictRules = StrictRules {
    keywords: &COMPATIBLE_KEYWORDS,
    ..RULES
};

pub(crate) fn tool(asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
    tool_by((strict_schema, plain_schema), asked, losses)
}

/// A tool with the schemas that these translations give, strict or plain.
pub(crate) fn tool_by(
    translations: (Translate, Translate),
    asked: Asked<'_>,
    losses: &mut Losses,
) -> Result<Spoken, String> {
    let schema = asked.definition.input_schema();
    let (parameters, strict) = choose((asked.strict, schema), translations, |_| true, losses)?;
    let mut function = asked.named();
    function.insert("parameters".to_owned(), parameters);
    if strict {
        function.insert("strict".to_owned(), true.into());
    }
    Ok(Spoken {
        tool: json!({"type": "function", "function": function}),
        strict,
        ..Spoken::default()
    })
}

/// The schema as it is, but for older spellings and the rules on the root, on arrays and on references.
pub(crate) fn plain_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let mut schema = schema::mark(given);
    schema::modernise(&mut schema);
    settle_plain(schema, losses)
}

fn settle_plain(mut schema: Value, losses: &mut Losses) -> Result<Value, String> {
    schema::forget_unknown(&mut schema, losses);
    schema::root_object(&mut schema, losses)?;
    drop_from_root(&mut schema, losses);
    schema::outer_first(&mut schema, &mut |object| {
        schema::bound_tuple(object);
        schema::require_items(object);
    });
    Ok(schema::unmark(schema))
}

fn drop_from_root(schema: &mut Value, losses: &mut Losses) {
    let Value::Object(root) = schema else { return };
    for keyword in ["const", "enum", "not"] {
        if root.remove(keyword).is_some() {
            let detail = "the provider takes no such rule at the root";
            losses.add(
                schema::place_of(root, keyword),
                keyword,
                LossAction::Dropped,
                detail,
            );
        }
    }
}

/// The same with references written out where that ends, for models that do not see definitions.
pub(crate) fn plain_inline_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let mut schema = schema::mark(given);
    schema::modernise(&mut schema);
    let mut trial = losses.trial();
    if schema::is_recursive(&schema) || schema::inline(&mut schema, &mut trial).is_err() {
        return plain_schema(given, losses);
    }
    losses.extend(trial);
    settle_plain(schema, losses)
}

pub(crate) fn strict_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    strict_schema_by(&RULES, given, losses)
}

/// The strict form for servers that speak as OpenAI does.
pub(crate) fn compatible_strict_schema(
    given: &Value,
    losses: &mut Losses,
) -> Result<Value, String> {
    strict_schema_by(&COMPATIBLE_RULES, given, losses)
}

pub(crate) fn strict_schema_by(
    rules: &StrictRules,
    given: &Value,
    losses: &mut Losses,
) -> Result<Value, String> {
    let mut schema = schema::mark(given);
    schema::modernise(&mut schema);
    if rules.references {
        schema::hoist(&mut schema, losses)?;
    } else {
        if schema::is_recursive(&schema) {
            losses.no_form("", "$ref", "a strict schema cannot go on inside itself");
        }
        schema::inline(&mut schema, losses)?;
    }
    schema::root_object(&mut schema, losses)?;
    drop_from_root(&mut schema, losses);
    schema::merge_all_of(&mut schema, losses);
    schema::unite_alternatives(&mut schema, losses);
    schema::outer_first(&mut schema, &mut |object| {
        schema::drop_conditions(object, losses);
        schema::drop_impossible(object, losses);
        schema::weaken_one_of(object, losses);
        schema::flatten_tuple(object, losses);
        schema::bound_tuple(object);
        schema::type_of_values(object);
        schema::type_of_contents(object);
        schema::require_items(object);
    });
    schema::inner_first(&mut schema, &mut |object| {
        schema::require_rules(object, losses);
        schema::describe_format(object, rules.formats, losses);
        schema::describe_hard_pattern(object, losses);
        schema::close(object, losses);
        schema::keep_only(object, rules.keywords, losses);
        schema::isolate_reference(object, losses);
        schema::require_known(object, losses);
        schema::require_all(object);
    });
    schema::check_strict_limits(rules.limits, &schema, losses);
    Ok(schema::unmark(schema))
}

/// The choice and the parallel switch.
pub(crate) fn request(draft: &mut Draft) -> Map<String, Value> {
    let choice = match &draft.choice {
        WireChoice::Auto => json!("auto"),
        WireChoice::None => json!("none"),
        WireChoice::Required => json!("required"),
        WireChoice::Named(names) => named(names),
    };
    let mut extra = Map::new();
    extra.insert("tool_choice".to_owned(), choice);
    if let Some(parallel) = draft.parallel {
        extra.insert("parallel_tool_calls".to_owned(), parallel.into());
    }
    extra
}

/// The same for servers that take no list of allowed tools: those that are not chosen are not sent.
pub(crate) fn compatible_request(draft: &mut Draft) -> Map<String, Value> {
    if matches!(&draft.choice, WireChoice::Named(names) if names.len() > 1) {
        draft.keep_chosen();
    }
    request(draft)
}

/// The choice of one tool.
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

    fn strict(schema: &Value) -> (Value, Losses) {
        let mut losses = Losses::new("f");
        let schema = strict_schema(schema, &mut losses).unwrap();
        (schema, losses)
    }

    #[test]
    fn a_strict_schema_is_closed_and_requires_everything() {
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
                "required": ["at", "unit"],
                "additionalProperties": false,
            })
        );
        assert!(losses.only_described());
        assert_eq!(losses.distinct().len(), 2);
    }

    #[test]
    fn a_plain_schema_is_as_it_was_but_for_the_root_and_arrays() {
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
                "properties": {
                    "a": {"type": "array", "items": {}},
                    "b": {"oneOf": [{"type": "string"}, {"const": 1}]},
                },
            })
        );
        assert_eq!(losses.distinct().len(), 1);
    }

    #[test]
    fn a_recursive_schema_can_be_strict() {
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
        assert!(losses.impossible().is_none());
        assert!(losses.distinct().is_empty());
    }
}
