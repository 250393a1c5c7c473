//! Bounds beyond the integers that a double represents exactly.

use std::borrow::Cow;

use serde_json::Value;
use tool_core::LossKind;

use super::Losses;
use super::origin::{mark, unmark};
use super::walk::{outer_first, visit_all};
use crate::Object;

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

/// Removes bounds beyond 2^53, each with a loss. The registry still validates them.
pub(crate) fn drop_large_bounds<'s>(given: &'s Value, losses: &mut Losses) -> Cow<'s, Value> {
    let mut found = false;
    visit_all(given, &mut |object| {
        found = found || BOUNDS.iter().any(|(keyword, _)| is_large(object, keyword));
    });
    if !found {
        return Cow::Borrowed(given);
    }
    let mut schema = mark(given);
    outer_first(&mut schema, &mut |object| drop_from(object, losses));
    Cow::Owned(unmark(schema))
}

fn drop_from(object: &mut Object, losses: &mut Losses) {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
        assert!(losses.is_empty());
    }
}
