//! Limits of one strict schema.

use serde_json::Value;

use super::Losses;
use super::origin::pointer_of;
use super::walk::{for_each_child, items, visit_all};
use crate::Object;

/// Maximum number of properties and levels in one strict schema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StrictLimits {
    pub(crate) properties: usize,
    pub(crate) levels: usize,
}

impl StrictLimits {
    pub(crate) const OPENAI: Self = Self {
        properties: 5_000,
        levels: 10,
    };
}

/// Sizes of a schema that the limits apply to.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    properties: usize,
    values: usize,
    /// Characters of names and values.
    characters: usize,
    levels: usize,
}

/// Records that a schema over a limit has no strict form.
pub(crate) fn check_strict_limits(limits: StrictLimits, schema: &Value, losses: &mut Losses) {
    let counts = count(schema);
    for (keyword, count, most, what) in [
        (
            "properties",
            counts.properties,
            limits.properties,
            "properties",
        ),
        ("enum", counts.values, 1_000, "fixed values"),
        (
            "properties",
            counts.characters,
            120_000,
            "characters of names and values",
        ),
        (
            "properties",
            counts.levels,
            limits.levels,
            "levels of nested objects",
        ),
    ] {
        if count > most {
            let detail =
                format!("the schema has {count} {what}; a strict schema may have at most {most}");
            losses.record_not_strict("", keyword, &detail);
        }
    }
    visit_all(schema, &mut |object| check_long_enum(object, losses));
}

fn check_long_enum(object: &Object, losses: &mut Losses) {
    let values: Vec<&Value> = items(object, "enum").collect();
    let characters: usize = values.iter().map(|value| characters(value)).sum();
    if values.len() > 250 && characters > 15_000 {
        let detail = "an `enum` of more than 250 values may have at most 15000 characters in a strict schema";
        losses.record_not_strict(pointer_of(object, "enum"), "enum", detail);
    }
}

fn count(schema: &Value) -> Counts {
    let mut counts = Counts {
        levels: levels(schema),
        ..Counts::default()
    };
    visit_all(schema, &mut |object| {
        let properties = names(object, "properties");
        counts.properties += properties.len();
        let names = properties
            .iter()
            .chain(names(object, "$defs").iter())
            .map(|name| name.len())
            .sum::<usize>();
        let values = items(object, "enum").chain(object.get("const"));
        let values: Vec<&Value> = values.collect();
        counts.values += values.len();
        counts.characters += names + values.iter().map(|value| characters(value)).sum::<usize>();
    });
    counts
}

fn names<'o>(object: &'o Object, keyword: &str) -> Vec<&'o String> {
    let named = object.get(keyword).and_then(Value::as_object);
    named.into_iter().flat_map(Object::keys).collect()
}

fn characters(value: &Value) -> usize {
    value.as_str().map_or(0, |text| text.chars().count())
}

/// Returns the number of nested levels of objects.
fn levels(schema: &Value) -> usize {
    let Value::Object(object) = schema else {
        return 0;
    };
    let mut inner = 0;
    for_each_child(object, &mut |child| inner = inner.max(levels(child)));
    inner + usize::from(object.contains_key("properties"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counts_properties_values_characters_and_levels() {
        let schema = json!({
            "properties": {"ab": {"enum": ["x", "yz", 1]}, "c": {"items": {"properties": {}}}},
            "$defs": {"d": {"const": "four"}},
        });

        assert_eq!(
            count(&schema),
            Counts {
                properties: 2,
                values: 4,
                characters: 11,
                levels: 2
            }
        );
    }

    #[test]
    fn rejects_strict_form_over_limit() {
        let deep = (0..11).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}));
        let long: Vec<String> = (0..300).map(|at| format!("{at:060}")).collect();

        for (schema, over) in [
            (json!({"properties": {"a": {"enum": ["x"]}}}), false),
            (json!({"enum": vec!["x"; 1001]}), true),
            (json!({"enum": long}), true),
            (deep, true),
        ] {
            let mut losses = Losses::new("f");

            check_strict_limits(StrictLimits::OPENAI, &schema, &mut losses);

            assert_eq!(losses.not_strict().is_some(), over);
        }
    }
}
