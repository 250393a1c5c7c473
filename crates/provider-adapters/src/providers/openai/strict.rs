//! Strict schemas.

use serde_json::Value;

use crate::schema::{self, Losses, OPENAI_FORMATS, StrictLimits};

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

const RULES: StrictRules = StrictRules {
    also: &[&BOUNDS, &LENGTHS],
    formats: &OPENAI_FORMATS,
    limits: StrictLimits::OPENAI,
    references: true,
};

const COMPATIBLE_RULES: StrictRules = StrictRules {
    also: &[&BOUNDS],
    ..RULES
};

impl StrictRules {
    fn keywords(&self) -> Vec<&'static str> {
        let also = self.also.iter().copied().flatten();
        EVERYWHERE.iter().chain(also).copied().collect()
    }
}

pub(crate) fn strict_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    strict_schema_by(&RULES, given, losses)
}

/// Returns the strict schema for compatible servers.
pub(crate) fn compatible_strict_schema(
    given: &Value,
    losses: &mut Losses,
) -> Result<Value, String> {
    strict_schema_by(&COMPATIBLE_RULES, given, losses)
}

/// Like [`compatible_strict_schema`], but for models that do not support `$defs`.
pub(crate) fn inlined_strict_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let rules = StrictRules {
        references: false,
        ..COMPATIBLE_RULES
    };
    strict_schema_by(&rules, given, losses)
}

pub(crate) fn strict_schema_by(
    rules: &StrictRules,
    given: &Value,
    losses: &mut Losses,
) -> Result<Value, String> {
    let mut schema = schema::modernized(given);
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
        schema::isolate_reference(object, losses);
        schema::require_known(object, losses);
        schema::require_all(object);
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn strict(schema: &Value) -> (Value, Losses) {
        let mut losses = Losses::new("f");
        let schema = strict_schema(schema, &mut losses).unwrap();
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
