//! Enums in serde's four representations.

use serde::Deserialize;

use super::*;

#[derive(JsonSchema, Deserialize)]
enum Plain {
    First,
    Second,
}

/// Speed.
#[derive(JsonSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only the schema is used")]
enum Described {
    /// Under one second.
    VeryFast,
    #[serde(rename = "slow")]
    Snail,
    #[serde(skip)]
    Never,
}

#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "only the schema is used")]
enum External {
    Nothing,
    Count(u8),
    Named { name: String },
}

#[derive(JsonSchema, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "only the schema is used")]
enum Internal {
    /// A circle.
    Circle {
        radius: f64,
    },
    Point,
}

#[derive(JsonSchema, Deserialize)]
#[serde(tag = "kind", content = "value")]
#[expect(dead_code, reason = "only the schema is used")]
enum Adjacent {
    Count(u8),
    Nothing,
}

#[derive(JsonSchema, Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema is used")]
enum Untagged {
    One(String),
    Many(Vec<String>),
}

fn internal() -> Value {
    json!({"oneOf": [
        {
            "type": "object",
            "description": "A circle.",
            "properties": {"kind": {"type": "string", "const": "circle"}, "radius": {"type": "number"}},
            "required": ["kind", "radius"],
        },
        {
            "type": "object",
            "properties": {"kind": {"type": "string", "const": "point"}},
            "required": ["kind"],
        },
    ]})
}

#[test]
fn enum_becomes_strings_or_any_of() {
    for shape in [
        Shape::of::<Plain>(
            json!({"type": "string", "enum": ["First", "Second"]}),
            json!("First"),
            json!("first"),
        ),
        Shape::of::<Described>(
            json!({"type": "string", "enum": ["slow", "very_fast"]}),
            json!("slow"),
            json!("never"),
        ),
        Shape::of::<External>(
            json!({"oneOf": [
                {"type": "string", "enum": ["Nothing"]},
                {
                    "type": "object",
                    "properties": {"Count": integer(0, 255)},
                    "required": ["Count"],
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "properties": {"Named": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}},
                        "required": ["name"],
                    }},
                    "required": ["Named"],
                    "additionalProperties": false,
                },
            ]}),
            json!({"Named": {"name": "a"}}),
            json!({"Count": "a"}),
        ),
        Shape::of::<Internal>(
            internal(),
            json!({"kind": "circle", "radius": 1}),
            json!({"kind": "circle"}),
        ),
        Shape::of::<Adjacent>(
            json!({"oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"type": "string", "const": "Count"}, "value": integer(0, 255)},
                    "required": ["kind", "value"],
                },
                {
                    "type": "object",
                    "properties": {"kind": {"type": "string", "const": "Nothing"}},
                    "required": ["kind"],
                },
            ]}),
            json!({"kind": "Count", "value": 1}),
            json!({"kind": "Count"}),
        ),
        Shape::of::<Untagged>(
            json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
            json!(["a"]),
            json!(1),
        ),
    ] {
        shape.check();
    }
}

#[test]
fn tool_accepts_and_returns_enum_of_objects() {
    #[derive(JsonSchema, serde::Serialize)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    enum Output {
        Found { line: u8 },
    }
    let tool = crate::tool_fn("f", "F.", |_, _: Internal| async {
        Ok(Output::Found { line: 1 })
    });
    let mut input = internal();
    input["type"] = json!("object");

    let definition = crate::Tool::definition(&tool);

    assert_eq!(definition.input_schema(), &input);
    assert_eq!(
        definition.output_schema(),
        Some(&json!({"type": "object", "oneOf": [{
            "type": "object",
            "properties": {"kind": {"type": "string", "const": "found"}, "line": {"type": "integer"}},
            "required": ["kind", "line"],
        }]}))
    );
}

#[test]
fn rejects_output_schema_with_non_objects() {
    let tool = crate::tool_fn("f", "F.", |_, _: Internal| async { Ok(Some("text")) });

    assert_eq!(crate::Tool::definition(&tool).output_schema(), None);
}
