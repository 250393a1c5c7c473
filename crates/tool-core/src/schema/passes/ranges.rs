//! Ranges of Rust's integer types. schemars names the type as a format.

use serde_json::{Map, Value, json};

/// Returns a typed schema as it is shown: without the formats of integer types, and the bounds that only the type implies.
pub(crate) fn without_type_ranges(typed: &Value) -> Value {
    let mut schema = typed.clone();
    super::visit(&mut schema, &mut |object| {
        let Some((minimum, maximum)) = take_range(object) else {
            return;
        };
        for (keyword, bound) in [("minimum", minimum), ("maximum", maximum)] {
            if object.get(keyword).is_some_and(|own| *own == bound) {
                object.shift_remove(keyword);
            }
        }
    });
    schema
}

/// Returns a typed schema as it is validated: with the bounds of integer types instead of their formats.
pub(crate) fn with_type_ranges(typed: &Value) -> Value {
    let mut schema = typed.clone();
    super::visit(&mut schema, &mut |object| {
        let Some((minimum, maximum)) = take_range(object) else {
            return;
        };
        for (keyword, bound) in [("minimum", minimum), ("maximum", maximum)] {
            if !bound.is_null() {
                object.entry(keyword).or_insert(bound);
            }
        }
    });
    schema
}

/// Removes the format of an integer type. Returns its bounds; null is a bound that JSON integers
/// cannot exceed.
fn take_range(object: &mut Map<String, Value>) -> Option<(Value, Value)> {
    let range = match object.get("format")?.as_str()? {
        "uint8" => (json!(0), json!(u8::MAX)),
        "uint16" => (json!(0), json!(u16::MAX)),
        "uint32" => (json!(0), json!(u32::MAX)),
        "uint64" | "uint" => (json!(0), json!(u64::MAX)),
        "uint128" => (json!(0), Value::Null),
        "int8" => (json!(i8::MIN), json!(i8::MAX)),
        "int16" => (json!(i16::MIN), json!(i16::MAX)),
        "int32" => (json!(i32::MIN), json!(i32::MAX)),
        "int64" | "int" => (json!(i64::MIN), json!(i64::MAX)),
        "int128" => (Value::Null, Value::Null),
        _ => return None,
    };
    object.shift_remove("format");
    Some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_adds_missing_bounds_only() {
        let given = json!({"type": "integer", "format": "uint32", "minimum": 1});

        assert_eq!(
            without_type_ranges(&given),
            json!({"type": "integer", "minimum": 1})
        );
        assert_eq!(
            with_type_ranges(&given),
            json!({"type": "integer", "minimum": 1, "maximum": u32::MAX})
        );
    }

    #[test]
    fn keeps_bounds_of_other_types() {
        let given = json!({"properties": {
            "share": {"type": "number", "minimum": 0, "maximum": 255},
            "count": {"type": "integer", "minimum": 0, "maximum": 255},
            "when": {"type": "string", "format": "date"},
        }});

        assert_eq!(without_type_ranges(&given), given);
    }
}
