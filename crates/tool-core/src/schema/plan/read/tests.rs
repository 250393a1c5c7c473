use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::tests::{any_schema, any_value};
use crate::schema::Fit;
use crate::schema::plan::Plan;
use tool_json::{ParseLimits, Tape, parse_with};

fn read<'t>(plan: &'t Plan, text: &'t str, limits: &ParseLimits) -> Option<Tape<'t>> {
    let mut tape = Tape::default();
    plan.read(text, limits, &mut tape).then_some(tape)
}

fn is_read(schema: &Value, text: &str) -> bool {
    let plan = Plan::of(schema).unwrap();
    read(&plan, text, &ParseLimits::default()).is_some()
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "at": {"type": "integer", "minimum": -9, "maximum": 9},
            "deep": {"type": "array", "items": {"properties": {"é": {"type": ["string", "null"], "maxLength": 2}}}, "maxItems": 2},
            "\"": {"type": "boolean"},
            "share": {"type": "number"},
        },
        "required": ["at"],
    })
}

#[test]
fn reads_members_in_any_order() {
    for text in [
        r#"{"at":1}"#,
        r#" { "at" : -9 , "share" : 0.5 } "#,
        r#"{"share":12345678901234567890,"deep":[],"at":0}"#,
        r#"{"deep":[{"é":"äö"},{"é":null}],"at":0}"#,
        r#"{"deep":[{"é":"\u00e4"}],"at":9.0}"#,
    ] {
        assert!(is_read(&schema(), text), "{text}");
    }
}

#[test]
fn declines_uncertain_input() {
    for text in [
        "",
        "1",
        "[]",
        "{}",
        r#"{"at":10}"#,
        r#"{"at":"1"}"#,
        r#"{"at":1"#,
        r#"{"at":1,}"#,
        r#"{"at":1}}"#,
        r#"{"at" 1}"#,
        r#"{"at":1,"at":2}"#,
        r#"{"at":01}"#,
        r#"{"at":1,"other":2}"#,
        r#"{"at":1,"share":"x"}"#,
        r#"{"at":1,"\"":true}"#,
        r#"{"\u0061t":1}"#,
        r#"{"at":1,"deep":[{},{},{}]}"#,
        r#"{"at":1,"deep":[{"é":"äöü"}]}"#,
        r#"{"at":1,"deep":[{"é":"a","é":"b"}]}"#,
    ] {
        assert!(!is_read(&schema(), text), "{text}");
    }
}

#[test]
fn declines_non_object() {
    for text in ["1", "[]", "null", r#""{\"at\":1}""#] {
        assert!(!is_read(&json!({}), text), "{text}");
    }
}

#[test]
fn declines_input_over_limits() {
    let schema = schema();
    let plan = Plan::of(&schema).unwrap();
    let text = r#"{"at":1,"deep":[{}]}"#;
    let limits = |max_bytes, max_depth, max_values| ParseLimits {
        max_bytes,
        max_depth,
        max_values,
    };

    assert!(read(&plan, text, &limits(20, 3, 6)).is_some());
    assert!(read(&plan, text, &limits(19, 3, 6)).is_none());
    assert!(read(&plan, text, &limits(20, 2, 6)).is_none());
    assert!(read(&plan, text, &limits(20, 3, 5)).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_same_values_as_parser(
        schema in any_schema(),
        values in prop::collection::vec(any_value(), 8),
        cut in 0_usize..60,
    ) {
        let Some(plan) = Plan::of(&schema) else { return Ok(()) };
        for value in values {
            let (whole, spread) = (value.to_string(), format!("{value:#}"));
            let part = whole.get(..cut).unwrap_or(&whole);
            for text in [whole.as_str(), &spread, part] {
                let parsed = parse_with(text, &ParseLimits::default()).ok();
                let Some(read) = read(&plan, text, &ParseLimits::default()) else {
                    let fit = parsed.and_then(|tape| plan.fit(tape.root()));
                    let is_sure = text.starts_with('{') && fit == Some(Fit::Plain);
                    prop_assert!(!is_sure, "{} {}", schema, text);
                    continue;
                };
                let parsed = parsed.map(|tape| format!("{tape:?}"));
                prop_assert_eq!(Some(format!("{read:?}")), parsed, "{}", text);
                prop_assert_eq!(plan.fit(read.root()), Some(Fit::Plain), "{} {}", schema, text);
            }
        }
    }
}
