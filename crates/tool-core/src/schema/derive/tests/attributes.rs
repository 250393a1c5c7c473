//! Structs with serde and schemars attributes.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::*;

/// Not shown to the model.
#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "only the schema is used")]
struct Plain {
    /// Search term.
    name: String,
    /// Maximum number.
    count: Option<u8>,
    /// Title.
    title: Option<String>,
}

#[derive(JsonSchema, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "only the schema is used")]
struct Named {
    start_line: u8,
    #[serde(rename = "end")]
    end_line: u8,
    #[serde(skip)]
    hidden: u8,
}

#[derive(JsonSchema, Deserialize, Serialize)]
#[serde(default)]
struct Defaults {
    width: u8,
    label: String,
    note: Option<String>,
}

impl Default for Defaults {
    fn default() -> Self {
        let label = "x".to_owned();
        Self {
            width: 9,
            label,
            note: None,
        }
    }
}

#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "only the schema is used")]
struct Nested {
    #[serde(default)]
    inner: Defaults,
    #[serde(default = "seven")]
    limit: i64,
    #[serde(default)]
    level: Option<u8>,
}

fn seven() -> i64 {
    7
}

#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "only the schema is used")]
struct Flat {
    own: bool,
    #[serde(flatten)]
    plain: Plain,
}

#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "only the schema is used")]
struct Rest {
    own: bool,
    #[serde(flatten)]
    rest: HashMap<String, u8>,
}

#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "only the schema is used")]
struct Newtype(u16);

#[derive(JsonSchema, Deserialize)]
#[serde(transparent)]
#[expect(dead_code, reason = "only the schema is used")]
struct Transparent {
    inner: bool,
}

#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "only the schema is used")]
struct Tree {
    children: Vec<Tree>,
}

#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "only the schema is used")]
struct Linked {
    first: Option<Link>,
}

#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "only the schema is used")]
struct Link {
    next: Option<Box<Link>>,
}

#[derive(JsonSchema, Deserialize)]
#[expect(dead_code, reason = "only the schema is used")]
struct Checked {
    #[schemars(range(min = 1, max = 10))]
    count: u32,
    #[schemars(length(min = 1, max = 5))]
    text: String,
    #[schemars(regex(pattern = "^[a-z]+$"))]
    word: String,
    #[schemars(length(min = 1), inner(length(min = 1)))]
    words: Vec<String>,
    #[schemars(with = "String", extend("examples" = ["a.txt"]))]
    path: Value,
    /// Any value.
    any: Value,
    bare: Value,
}

#[derive(JsonSchema, Deserialize)]
#[serde(try_from = "String")]
#[expect(dead_code, reason = "only the schema is used")]
struct Parsed(u8);

impl TryFrom<String> for Parsed {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

fn plain_properties() -> Value {
    json!({
        "name": {"type": "string", "description": "Search term."},
        "count": {"type": "integer", "minimum": 0, "maximum": 255, "description": "Maximum number."},
        "title": {"type": "string", "description": "Title."},
    })
}

#[test]
fn struct_becomes_object() {
    let mut flat = plain_properties();
    flat["own"] = json!({"type": "boolean"});
    for shape in [
        Shape::of::<Plain>(
            json!({"type": "object", "properties": plain_properties(), "required": ["name"]}),
            json!({"name": "a"}),
            json!({"count": 1}),
        ),
        Shape::of::<Named>(
            json!({
                "type": "object",
                "properties": {"startLine": integer(0, 255), "end": integer(0, 255)},
                "required": ["startLine", "end"],
                "additionalProperties": false,
            }),
            json!({"startLine": 1, "end": 2}),
            json!({"startLine": 1, "end": 2, "hidden": 3}),
        ),
        Shape::of::<Flat>(
            json!({"type": "object", "properties": flat, "required": ["own", "name"]}),
            json!({"own": true, "name": "a"}),
            json!({"own": true}),
        ),
        Shape::of::<Rest>(
            json!({
                "type": "object",
                "properties": {"own": {"type": "boolean"}},
                "required": ["own"],
                "additionalProperties": integer(0, 255),
            }),
            json!({"own": true, "a": 1}),
            json!({"own": true, "a": "b"}),
        ),
        Shape::of::<Newtype>(integer(0, u16::MAX), json!(1), json!(-1)),
        Shape::of::<Transparent>(
            json!({"type": "boolean"}),
            json!(true),
            json!({"inner": true}),
        ),
        Shape::of::<Parsed>(json!({"type": "string"}), json!("1"), json!(1)),
    ] {
        shape.check();
    }
}

#[test]
fn shows_non_null_defaults() {
    let label = json!({"type": "string", "default": "x"});
    let width = json!({"type": "integer", "minimum": 0, "maximum": 255, "default": 9});
    let properties = json!({"width": width, "label": label, "note": {"type": "string"}});
    let limit = json!({"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX, "default": 7});
    for shape in [
        Shape::of::<Defaults>(
            json!({"type": "object", "properties": properties}),
            json!({}),
            json!({"width": -1}),
        ),
        Shape::of::<Nested>(
            json!({"type": "object", "properties": {
                "inner": {"type": "object", "properties": properties, "default": {"width": 9, "label": "x"}},
                "limit": limit,
                "level": integer(0, 255),
            }}),
            json!({"inner": {"width": 9, "label": "x"}, "limit": 1}),
            json!({"inner": 1}),
        ),
    ] {
        shape.check();
    }
}

#[test]
fn recursive_type_uses_reference() {
    let link = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/Link"}}});
    for shape in [
        Shape::of::<Tree>(
            json!({
                "type": "object",
                "properties": {"children": {"type": "array", "items": {"$ref": "#"}}},
                "required": ["children"],
            }),
            json!({"children": [{"children": []}]}),
            json!({"children": [{}]}),
        ),
        Shape::of::<Linked>(
            json!({"type": "object", "properties": {"first": link}, "$defs": {"Link": link}}),
            json!({"first": {"next": {"next": {}}}}),
            json!({"first": {"next": {"next": 1}}}),
        ),
    ] {
        shape.check();
    }
}

#[test]
fn keeps_field_attributes() {
    let texts =
        json!({"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1});

    assert_eq!(
        schema_of::<Checked>(),
        json!({
            "type": "object",
            "properties": {
                "count": {"type": "integer", "minimum": 1, "maximum": 10},
                "text": {"type": "string", "minLength": 1, "maxLength": 5},
                "word": {"type": "string", "pattern": "^[a-z]+$"},
                "words": texts,
                "path": {"type": "string", "examples": ["a.txt"]},
                "any": {"description": "Any value."},
                "bare": {},
            },
            "required": ["count", "text", "word", "words", "path", "any", "bare"],
        })
    );
}

#[test]
fn output_schema_keeps_null() {
    /// Not shown to the model.
    #[derive(JsonSchema, Serialize)]
    struct Output {
        /// Number of items.
        count: u32,
        last: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        next: Option<String>,
        #[serde(skip)]
        #[expect(dead_code, reason = "not shown")]
        hidden: u8,
    }

    let shown = output_schema_of::<Output>();

    assert_eq!(residue(&shown), Vec::<String>::new());
    assert_eq!(
        shown,
        json!({
            "type": "object",
            "properties": {
                "count": {"type": "integer", "description": "Number of items."},
                "last": {"type": ["string", "null"]},
                "next": {"type": ["string", "null"]},
            },
            "required": ["count", "last"],
        })
    );
}
