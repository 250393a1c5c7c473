use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;
use crate::parse::tests::any_value;

#[derive(Debug, PartialEq, Deserialize)]
struct Point {
    x: i64,
    y: Option<f64>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    from: Point,
    #[serde(default)]
    names: Vec<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Shape {
    Dot,
    Circle(u8),
    Arc(u8, u8),
    Box { side: u32 },
}

#[derive(Debug, PartialEq, Deserialize)]
struct Wrapped(i32);

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    Tape::from(value)
        .deserialize()
        .map_err(|error| error.to_string())
}

#[track_caller]
fn reads<T: DeserializeOwned + PartialEq + Debug>(value: &Value, expected: T) {
    assert_eq!(read(value), Ok(expected), "{value}");
}

#[track_caller]
fn rejects<T: DeserializeOwned + PartialEq + Debug>(value: &Value, expected: &str) {
    assert_eq!(read::<T>(value), Err(expected.to_owned()), "{value}");
}

#[test]
fn accepts_values_that_match_schema() {
    reads(
        &json!({"x": 1, "y": 2, "more": 3}),
        Point { x: 1, y: Some(2.0) },
    );
    reads(&json!({"x": 1.0, "y": null}), Point { x: 1, y: None });
    reads(
        &json!({"from": {"x": -1}, "names": ["a"]}),
        Line {
            from: Point { x: -1, y: None },
            names: vec!["a".to_owned()],
        },
    );
    reads(&json!("Dot"), Shape::Dot);
    reads(&json!({"Circle": 3}), Shape::Circle(3));
    reads(&json!({"Arc": [1, 2]}), Shape::Arc(1, 2));
    reads(&json!({"Box": {"side": 4}}), Shape::Box { side: 4 });
    reads(&json!(5), Wrapped(5));
    reads(&json!({"-1": true}), BTreeMap::from([(-1, true)]));
    reads(&json!([1, "a"]), (1_u8, "a".to_owned()));
    reads(&json!(u64::MAX), u128::from(u64::MAX));
    reads(&json!("ä"), 'ä');
    reads(&json!(null), ());
}

#[test]
fn rejects_values_that_schema_rejects() {
    rejects::<Point>(&json!([1, 2]), "invalid type: sequence, expected an object");
    rejects::<Line>(
        &json!({"from": [1]}),
        "invalid type: sequence, expected an object",
    );
    rejects::<Line>(
        &json!({"from": {"x": 1}, "to": 1}),
        "unknown field `to`, expected `from` or `names`",
    );
    rejects::<Shape>(
        &json!({"Dot": null}),
        "invalid type: unit value, expected only the variant name",
    );
    rejects::<Shape>(
        &json!({"Box": [4]}),
        "invalid type: sequence, expected an object",
    );
    rejects::<Shape>(&json!("Circle"), "the variant `Circle` has no content");
    rejects::<Shape>(
        &json!({"Circle": 1, "Dot": 2}),
        "invalid type: map, expected a variant name or an object with one member",
    );
    rejects::<u8>(&json!(256), "invalid value: integer `256`, expected u8");
    rejects::<i64>(
        &json!(1.5),
        "invalid type: floating point `1.5`, expected an integer",
    );
    rejects::<i64>(
        &json!("1"),
        "invalid type: string \"1\", expected an integer",
    );
    rejects::<f64>(&json!("1"), "invalid type: string \"1\", expected a number");
    rejects::<String>(&json!(1), "invalid type: integer `1`, expected a string");
    rejects::<bool>(&json!(1), "invalid type: integer `1`, expected a boolean");
    rejects::<(u8, u8)>(&json!([1, 2, 3]), "the array has too many items");
    rejects::<BTreeMap<u8, u8>>(
        &json!({"01": 1}),
        "invalid value: string \"01\", expected u8",
    );
}

proptest! {
    #[test]
    fn reads_any_value_like_serde_json(value in any_value()) {
        prop_assert_eq!(read::<Value>(&value), Ok(value.clone()));
        prop_assert_eq!(
            read::<Vec<Option<i64>>>(&value).ok(),
            Vec::<Option<i64>>::deserialize(&value).ok()
        );
    }
}
