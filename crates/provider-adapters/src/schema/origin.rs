//! Location of each part of a schema in the original schema.
//!
//! Passes move, copy and merge schemas. Each object schema therefore contains its pointer as an
//! additional member, from the first pass to the last. No JSON Schema uses the key of this member.

use serde_json::Value;

use super::walk::{Subschemas, outer_first, subschemas};
use crate::Object;

const ORIGIN: &str = "\u{0}place";

/// Returns a copy of the schema in which each object schema contains its pointer. `true` becomes
/// `{}`.
pub(crate) fn mark(schema: &Value) -> Value {
    let mut marked = schema.clone();
    mark_at(&mut marked, &mut String::new());
    marked
}

/// Marks the schema with its pointer `origin`, which is unchanged on return.
fn mark_at(schema: &mut Value, origin: &mut String) {
    if *schema == Value::Bool(true) {
        *schema = Value::Object(Object::new());
    }
    let Value::Object(object) = schema else {
        return;
    };
    let length = origin.len();
    for (keyword, value) in object.iter_mut() {
        if let Some(kind) = subschemas(keyword) {
            push_segment(origin, keyword);
            mark_member(kind, value, origin);
            origin.truncate(length);
        }
    }
    object.extend([at(origin.clone())]);
}

fn mark_member(kind: Subschemas, value: &mut Value, origin: &mut String) {
    let length = origin.len();
    match (kind, value) {
        (Subschemas::One | Subschemas::List, Value::Array(list)) => {
            for (index, item) in list.iter_mut().enumerate() {
                push_segment(origin, &index.to_string());
                mark_at(item, origin);
                origin.truncate(length);
            }
        }
        // Open objects are common and do not need a pointer, so keep `true`.
        (Subschemas::One, Value::Bool(_)) => {}
        (Subschemas::One, value) => mark_at(value, origin),
        (Subschemas::Named, Value::Object(named)) => {
            for (name, item) in named.iter_mut() {
                push_segment(origin, name);
                mark_at(item, origin);
                origin.truncate(length);
            }
        }
        _ => {}
    }
}

/// Appends a segment to a pointer.
pub(super) fn push_segment(origin: &mut String, part: &str) {
    origin.push('/');
    if part.contains(['~', '/']) {
        origin.push_str(&escape(part));
    } else {
        origin.push_str(part);
    }
}

fn at(origin: String) -> (String, Value) {
    (ORIGIN.to_owned(), Value::String(origin))
}

fn escape(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

/// Returns the pointer of this schema.
pub(crate) fn origin(schema: &Object) -> &str {
    schema
        .get(ORIGIN)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Returns the pointer of a keyword of this schema.
pub(crate) fn pointer_of(schema: &Object, keyword: &str) -> String {
    format!("{}/{}", origin(schema), escape(keyword))
}

/// Creates an empty schema with the pointer of this one.
pub(crate) fn empty_with_origin(schema: &Object) -> Object {
    Object::from_iter([at(origin(schema).to_owned())])
}

/// Returns `true` if this is the key of the pointer.
pub(crate) fn is_origin_key(key: &str) -> bool {
    key == ORIGIN
}

/// Removes all pointers.
pub(crate) fn unmark(mut schema: Value) -> Value {
    outer_first(&mut schema, &mut |object| {
        object.shift_remove(ORIGIN);
    });
    schema
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn adds_and_removes_pointers_of_object_schemas() {
        let schema = json!({
            "properties": {"a/b": {"items": {"type": "string"}}},
            "anyOf": [{"default": {"type": "x"}}],
            "additionalProperties": false,
        });

        let marked = mark(&schema);

        let inner = marked["properties"]["a/b"]["items"].as_object().unwrap();
        assert_eq!(origin(inner), "/properties/a~1b/items");
        assert_eq!(
            pointer_of(marked["anyOf"][0].as_object().unwrap(), "default"),
            "/anyOf/0/default"
        );
        assert_eq!(unmark(marked), schema);
    }
}
