//! Limits of a schema: its size, its numbers, and the size of its strict form.

use std::borrow::Cow;

use serde_json::Value;
use tool_core::LossKind;

use super::Losses;
use super::origin::{mark, pointer_of, unmark};
use super::walk::{for_each_child, items, outer_first, visit_all};
use crate::Object;

/// Maximum depth of a schema, so that every pass may recurse.
const MAX_DEPTH: usize = 120;

/// Maximum number of values in a schema, before and after references are inlined.
pub(crate) const MAX_VALUES: usize = 20_000;

/// Returns an error if a schema is too deep or too large. Runs in linear time, without recursion.
pub(crate) fn measure(schema: &Value) -> Result<(), String> {
    let mut waiting = vec![(schema, 1)];
    let mut values = 0;
    while let Some((value, depth)) = waiting.pop() {
        values += 1;
        if depth > MAX_DEPTH {
            return Err(format!(
                "the schema is nested deeper than {MAX_DEPTH} levels"
            ));
        }
        if values > MAX_VALUES {
            return Err(format!("the schema has more than {MAX_VALUES} values"));
        }
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => {
                waiting.extend(members.values().map(|member| (member, depth + 1)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// 2^53. Several providers reject larger numbers in a schema.
const MAX_BOUND: u64 = 1 << 53;
/// [`MAX_BOUND`] as a float.
const MAX_FLOAT: f64 = 9_007_199_254_740_992.0;

/// Bounds with the boolean form that draft 4 adds to them.
const BOUNDS: [(&str, Option<&str>); 10] = [
    ("minimum", Some("exclusiveMinimum")),
    ("maximum", Some("exclusiveMaximum")),
    ("exclusiveMinimum", None),
    ("exclusiveMaximum", None),
    ("minLength", None),
    ("maxLength", None),
    ("minItems", None),
    ("maxItems", None),
    ("minProperties", None),
    ("maxProperties", None),
];

/// Removes bounds beyond 2^53, each with a loss. The registry still validates them. Records integers among the values
/// that were read as floats, because no provider receives what was written.
pub(crate) fn drop_large_bounds<'s>(given: &'s Value, losses: &mut Losses) -> Cow<'s, Value> {
    let mut found = false;
    visit_all(given, &mut |object| {
        let mut bounds = BOUNDS.iter();
        found = found
            || bounds.any(|(keyword, _)| is_large(object, keyword))
            || rounded(object).next().is_some();
    });
    if !found {
        return Cow::Borrowed(given);
    }
    let mut schema = mark(given);
    outer_first(&mut schema, &mut |object| drop_from(object, losses));
    Cow::Owned(unmark(schema))
}

/// Returns the keywords whose values contain an integer of more than 64 bits.
fn rounded(object: &Object) -> impl Iterator<Item = &'static str> {
    let is_rounded = |value: &Value| {
        let float = value.as_f64().filter(|_| value.is_f64());
        float.is_some_and(|float| float.fract() == 0.0 && float.abs() >= MAX_FLOAT * 1024.0)
    };
    let keywords = ["const", "enum", "default", "multipleOf"].into_iter();
    keywords.filter(move |keyword| match object.get(*keyword) {
        Some(Value::Array(values)) => values.iter().any(is_rounded),
        value => value.is_some_and(is_rounded),
    })
}

fn drop_from(object: &mut Object, losses: &mut Losses) {
    for keyword in rounded(object) {
        let detail = "an integer of more than 64 bits became the nearest float";
        losses.add_at(object, keyword, LossKind::Degraded, detail);
    }
    for (keyword, exclusive) in BOUNDS {
        if !is_large(object, keyword) {
            continue;
        }
        let detail = "the bound is beyond 2^53, which providers reject";
        losses.add_at(object, keyword, LossKind::Dropped, detail);
        object.shift_remove(keyword);
        // In draft 4, the boolean refers to the bound and has no meaning alone.
        if let Some(exclusive) = exclusive
            && object.get(exclusive).is_some_and(Value::is_boolean)
        {
            object.shift_remove(exclusive);
        }
    }
}

fn is_large(object: &Object, keyword: &str) -> bool {
    let Some(bound) = object.get(keyword) else {
        return false;
    };
    // Integers first: `as_f64` rounds 2^53 + 1 to the bound itself.
    let integer = bound.as_u64().or(bound.as_i64().map(i64::unsigned_abs));
    match (integer, bound.as_f64()) {
        (Some(integer), _) => integer > MAX_BOUND,
        (None, Some(float)) => float.abs() > MAX_FLOAT,
        (None, None) => false,
    }
}

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
    for (count, most, what) in [
        (counts.properties, limits.properties, "properties"),
        (counts.values, 1_000, "fixed values"),
        (counts.characters, 120_000, "characters of names and values"),
        (counts.levels, limits.levels, "levels of nested objects"),
    ] {
        if count > most {
            let is_enum = what == "fixed values";
            let keyword = if is_enum { "enum" } else { "properties" };
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
            // Characters, not bytes: with bytes, a schema with names in Cyrillic would lose its strict form at half the limit.
            .map(|name| name.chars().count())
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
    fn rejects_schemas_over_depth_or_size_limit() {
        let deep = (0..200).fold(json!({}), |inner, _| json!({"items": inner}));
        let large = json!({"enum": vec![1; MAX_VALUES]});

        for (schema, reason) in [
            (deep, "the schema is nested deeper than 120 levels"),
            (large, "the schema has more than 20000 values"),
        ] {
            assert_eq!(measure(&schema), Err(reason.to_owned()));
        }
    }

    #[test]
    fn accepts_ordinary_schema() {
        assert_eq!(
            measure(&json!({"type": "object", "properties": {"a": {}}})),
            Ok(())
        );
    }

    #[test]
    fn drops_bounds_beyond_2_to_the_53_with_loss() {
        let given = json!({"properties": {
            "id": {"type": "integer", "minimum": i64::MIN, "maximum": u64::MAX},
            "size": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e300},
            "old": {"maximum": u64::MAX, "exclusiveMaximum": true},
            "list": {"type": "array", "maxItems": MAX_BOUND + 1},
            "maximum": {"default": u64::MAX},
        }});
        let mut losses = Losses::new("f");

        let schema = drop_large_bounds(&given, &mut losses);

        let expected = json!({"properties": {
            "id": {"type": "integer"},
            "size": {"type": "number", "exclusiveMinimum": 0},
            "old": {},
            "list": {"type": "array"},
            "maximum": {"default": u64::MAX},
        }});
        assert_eq!(*schema, expected);
        let lost = losses.into_list(&given);
        let pointers: Vec<&str> = lost.iter().map(|loss| loss.pointer.as_str()).collect();
        assert_eq!(
            pointers,
            [
                "/properties/id/minimum",
                "/properties/id/maximum",
                "/properties/size/exclusiveMaximum",
                "/properties/old/maximum",
                "/properties/list/maxItems",
            ]
        );
        assert!(lost.iter().all(|loss| loss.action == LossKind::Dropped));
    }

    #[test]
    fn keeps_bounds_up_to_2_to_the_53() {
        let given = json!({"minimum": -MAX_FLOAT, "maximum": MAX_BOUND});
        let mut losses = Losses::new("f");

        let schema = drop_large_bounds(&given, &mut losses);

        assert_eq!(schema, Cow::Borrowed(&given));
        assert_eq!(losses.distinct(), []);
    }

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
    fn counts_characters_of_name_rather_than_bytes() {
        assert_eq!(count(&json!({"properties": {"größe": {}}})).characters, 5);
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

    #[test]
    fn records_integers_that_became_floats() {
        let text = r#"{"properties": {
            "a": {"enum": [1, 18446744073709551616]}, "b": {"const": -9223372036854775809},
            "c": {"default": 18446744073709551615, "multipleOf": 0.5}, "d": {"const": 1.5e300}}}"#;
        let schema: Value = serde_json::from_str(text).unwrap();
        let mut losses = Losses::new("f");

        let bounded = drop_large_bounds(&schema, &mut losses);

        assert_eq!(*bounded, schema);
        let places: Vec<String> = losses
            .distinct()
            .into_iter()
            .map(|loss| loss.pointer)
            .collect();
        assert_eq!(
            places,
            [
                "/properties/a/enum",
                "/properties/b/const",
                "/properties/d/const"
            ]
        );
    }
}
