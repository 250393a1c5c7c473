//! Types of the standard library.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::num::{NonZeroI32, NonZeroU32};
use std::path::PathBuf;

use serde_json::Map;

use super::*;

#[test]
fn integers_have_type_bounds() {
    let nonzero =
        json!({"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX, "not": {"const": 0}});
    for shape in [
        Shape::of::<u8>(integer(0, u8::MAX), json!(255), json!(256)),
        Shape::of::<u16>(integer(0, u16::MAX), json!(65535), json!(65536)),
        Shape::of::<u32>(integer(0, u32::MAX), json!(u32::MAX), json!(-1)),
        Shape::of::<u64>(integer(0, u64::MAX), json!(u64::MAX), json!(-1)),
        Shape::of::<usize>(integer(0, u64::MAX), json!(u64::MAX), json!(-1)),
        Shape::of::<i8>(integer(i8::MIN, i8::MAX), json!(-128), json!(128)),
        Shape::of::<i16>(integer(i16::MIN, i16::MAX), json!(-32768), json!(32768)),
        Shape::of::<i32>(
            integer(i32::MIN, i32::MAX),
            json!(i32::MIN),
            json!(1_u64 << 31),
        ),
        Shape::of::<i64>(
            integer(i64::MIN, i64::MAX),
            json!(i64::MIN),
            json!(1_u64 << 63),
        ),
        Shape::of::<isize>(integer(i64::MIN, i64::MAX), json!(i64::MAX), json!(1.5)),
        Shape::of::<u128>(
            json!({"type": "integer", "minimum": 0}),
            json!(7),
            json!(-1),
        ),
        Shape::of::<i128>(json!({"type": "integer"}), json!(-7), json!("7")),
        Shape::of::<NonZeroU32>(integer(1, u32::MAX), json!(1), json!(0)),
        Shape::of::<NonZeroI32>(nonzero, json!(-1), json!(0)),
        Shape::of::<f32>(json!({"type": "number"}), json!(1.5), json!("1.5")),
        Shape::of::<f64>(json!({"type": "number"}), json!(2), json!(null)),
    ] {
        shape.check();
    }
}

#[test]
fn shown_integers_have_no_type_bounds() {
    assert_eq!(
        schema_of::<(u8, u32, u64, usize, i8, i64, isize)>()["prefixItems"],
        json!(vec![json!({"type": "integer"}); 7])
    );
    assert_eq!(
        schema_of::<Option<NonZeroU32>>(),
        json!({"type": ["integer", "null"], "minimum": 1})
    );
}

#[test]
fn strings_lists_and_maps_have_expected_schemas() {
    let text = json!({"type": "string"});
    for shape in [
        Shape::of::<bool>(json!({"type": "boolean"}), json!(true), json!(1)),
        Shape::of::<String>(text.clone(), json!("a"), json!(1)),
        Shape::of::<PathBuf>(text.clone(), json!("a/b"), json!(null)),
        Shape::of::<IpAddr>(text.clone(), json!("::1"), json!(1)),
        Shape::of::<char>(
            json!({"type": "string", "minLength": 1, "maxLength": 1}),
            json!("ä"),
            json!("ab"),
        ),
        Shape::of::<Vec<u8>>(
            json!({"type": "array", "items": integer(0, 255)}),
            json!([1]),
            json!([-1]),
        ),
        Shape::of::<Vec<Option<String>>>(
            json!({"type": "array", "items": {"type": ["string", "null"]}}),
            json!(["a", null]),
            json!([1]),
        ),
        Shape::of::<Vec<Value>>(
            json!({"type": "array", "items": {}}),
            json!([1, "a"]),
            json!({}),
        ),
        Shape::of::<[bool; 2]>(
            json!({"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 2}),
            json!([true, false]),
            json!([true]),
        ),
        Shape::of::<(bool, String)>(
            json!({"type": "array", "prefixItems": [{"type": "boolean"}, text], "minItems": 2, "maxItems": 2}),
            json!([true, "a"]),
            json!(["a", true]),
        ),
        Shape::of::<BTreeSet<String>>(
            json!({"type": "array", "items": text, "uniqueItems": true}),
            json!(["a"]),
            json!([1]),
        ),
        Shape::of::<HashMap<String, bool>>(
            json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
            json!({"a": true}),
            json!({"a": 1}),
        ),
        Shape::of::<BTreeMap<u8, bool>>(
            json!({
                "type": "object",
                "patternProperties": {"^\\d+$": {"type": "boolean"}},
                "additionalProperties": false,
            }),
            json!({"1": true}),
            json!({"a": true}),
        ),
        Shape::of::<Map<String, Value>>(
            json!({"type": "object", "additionalProperties": true}),
            json!({"a": 1}),
            json!([]),
        ),
        Shape::of::<Box<bool>>(json!({"type": "boolean"}), json!(false), json!(0)),
    ] {
        shape.check();
    }
}
