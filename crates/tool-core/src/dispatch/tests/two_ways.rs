//! Valid text is parsed and validated in one pass, other text on the regular path. Results are equal on both.

use proptest::prelude::*;

use super::*;
use crate::schema::Validator;
use tool_json::{ParseLimits, Tape};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer", "minimum": -9, "maximum": 10, "default": 3},
            "size": {"type": "integer"},
            "share": {"type": ["number", "null"]},
            "list": {"type": "array", "items": {"type": ["string", "integer"], "maxLength": 2}, "maxItems": 2},
            "kind": {"enum": ["round", "flat", null]},
            "deep": {"$ref": "#/$defs/Deep"},
            "any": {},
        },
        "required": ["path"],
        "$defs": {"Deep": {
            "properties": {"done": {"type": "boolean", "default": true}, "more": {"$ref": "#/$defs/Deep"}},
            "additionalProperties": false,
        }},
    })
}

/// Returns the same schema with a keyword that always matches and requires the validator.
fn schema_of_regular_path() -> Value {
    let mut schema = schema();
    schema["minProperties"] = json!(0);
    schema
}

/// Creates two registries with the same tool. Only the first uses the fast path.
fn registries(bytes: usize) -> [Registry; 2] {
    [schema(), schema_of_regular_path()].map(|schema| {
        let definition = ToolDefinition::new("f", "Gives its arguments back.", schema)
            .with_alias("folder", "path")
            .with_risk(RiskLevel::ReadOnly);
        let tool = DynamicTool::new(definition, |_, arguments| async move {
            Ok(ToolOutput::json(arguments))
        });
        let registry = Registry::builder().argument_limit(bytes);
        registry.tool(tool).unwrap().build()
    })
}

/// Returns the parts of a result that must be equal on both paths.
async fn reported(registry: &Registry, text: &str) -> Value {
    let result = registry.execute("f", text).await;
    json!({
        "content": result.content,
        "data": result.data,
        "error": result.error,
        "warnings": result.warnings,
        "changes": result.metadata.changes,
        "parameters": result.metadata.parameters,
        "attempts": result.metadata.attempts,
    })
}

async fn assert_same(registries: &[Registry; 2], text: &str) {
    let [quick, ordinary] = registries;
    let reported = [reported(quick, text).await, reported(ordinary, text).await];
    let visible = crate::text::short(text, 300);
    assert_eq!(reported[0], reported[1], "{visible}");
}

fn is_read_at_once(schema: &Value, text: &str) -> bool {
    let validator = Validator::compile(schema).unwrap();
    let mut tape = Tape::default();
    validator.read(text, &ParseLimits::default(), &mut tape)
}

#[test]
fn only_plain_schema_has_fast_path() {
    let text = r#"{"path": "a", "any": 1, "deep": {"more": {"done": true}}, "list": ["b", 2]}"#;

    assert!(is_read_at_once(&schema(), text));
    assert!(!is_read_at_once(&schema_of_regular_path(), text));
}

#[tokio::test]
async fn limits_are_exact() {
    let roomy = registries(16 << 20);
    for levels in 120..132 {
        let deep = r#"{"more":"#.repeat(levels) + "{}" + &"}".repeat(levels);
        let list = "[".repeat(levels) + &"]".repeat(levels);
        assert_same(&roomy, &format!(r#"{{"path":"a","deep":{deep}}}"#)).await;
        assert_same(&roomy, &format!(r#"{{"path":"a","any":{list}}}"#)).await;
    }
    let text = r#"{"path":"a"}"#;
    for bytes in text.len() - 1..=text.len() + 1 {
        assert_same(&registries(bytes), text).await;
    }
}

/// Returns the first of `usual` in most cases, else any of them.
fn mostly(usual: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop_oneof![9 => Just(usual[0]), 1 => prop::sample::select(usual)]
}

fn any_key() -> impl Strategy<Value = &'static str> {
    let good = [
        "\"path\"",
        "\"limit\"",
        "\"size\"",
        "\"share\"",
        "\"list\"",
        "\"kind\"",
        "\"deep\"",
        "\"any\"",
    ];
    let odd = [
        "\"folder\"",
        "\"other\"",
        "\"p\\u0061th\"",
        "\"pa\\/th\"",
        "\"path \"",
        "path",
        "'path'",
        "\"\"",
        "\"p\u{0}\"",
        "1",
    ];
    prop_oneof![9 => prop::sample::select(good.to_vec()), 1 => prop::sample::select(odd.to_vec())]
}

#[rustfmt::skip]
fn any_value() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        r#""a""#, r#""äö""#, r#""\u00e4""#, r#""\ud83d\ude00""#, r#""\ud83d""#, r#""\ude00\ud83d""#, r#""\u0000""#,
        r#""\x""#, "\"a\tb\"", "\"a\u{7f}\u{2028}\"", r#""abc"#, "'a'", r#""round""#, r#""flat""#, r#""5""#, r#""true""#, r#""""#,
        "1", "0", "-0", "-0.0", "1.0", "1e0", "10e-1", "01", "-", "+1", ".5", "1.", "10", "11", "-9", "-10", "1.5", "1e400",
        "999999999999999999", "-999999999999999999", "1000000000000000000", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
        "9007199254740992.0", "9007199254740993.0", "1e19", "000", "1 ", "1\u{a0}",
        "true", "false", "null", "True", "None", "tru", "NaN", "undefined",
        "[]", r#"["a"]"#, r#"["a",1]"#, r#"["a","b","c"]"#, r#"["abc"]"#, r#"["a",]"#, "[1 2]", "[[]]", "[",
        "{}", r#"{"done":true}"#, r#"{"done":true,"done":true}"#, r#"{"more":{"done":false,"more":{}}}"#, r#"{"more":{"x":1}}"#,
        r#"{"a":{"b":1,"b":2}}"#, r#"{"done":"true"}"#, "{",
    ])
}

fn any_text() -> impl Strategy<Value = String> {
    let before = mostly(&[
        "{",
        " {",
        "\u{feff}{",
        "```json\n{",
        "Here: {",
        "[{",
        "{,",
        "{ \n",
        "{{",
        "//x\n{",
        "\u{1}{",
        "",
    ]);
    let after = mostly(&[
        "}", "} \n", "}}", "}\n```", "},", "}\u{a0}", "}\0", "} {}", "} // x", ",}", "]", "",
        "} done",
    ]);
    let colon = mostly(&[":", " : ", ":\n\t", ": ", "=", "", "::"]);
    let comma = mostly(&[",", " , ", ",\r\n", ",,", "", ";", "  ", ",\u{b}"]);
    let member = (any_key(), colon, any_value(), comma);
    let members = prop::collection::vec(member, 0..5);
    (before, members, after, any::<bool>(), any::<u8>()).prop_map(
        |(before, members, after, has_path, cut)| {
            let mut text = before.to_owned();
            if has_path {
                text += r#""path":"a""#;
            }
            for (at, (key, colon, value, comma)) in members.into_iter().enumerate() {
                if at > 0 || has_path {
                    text += comma;
                }
                text += &[key, colon, value].concat();
            }
            text += after;
            match cut {
                0..20 => text.chars().take(usize::from(cut) * 2).collect(),
                20..30 => Value::from(text).to_string(),
                _ => text,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn value_and_text_yield_equal_results(texts in prop::collection::vec(any_text(), 4)) {
        let registries = registries(100);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        for text in &texts {
            runtime.block_on(assert_same(&registries, text));
        }
    }
}
