//! Location of each part of a schema in the original schema.
//!
//! Passes move, copy and merge schemas. Each object schema therefore contains its pointer as an
//! additional member, from the first pass to the last. No JSON Schema uses the key of this member.

use serde_json::{Map, Value};

use super::walk::{Holds, holds, outer_first};

const PLACE: &str = "\u{0}place";

/// Returns a copy of the schema in which each object schema contains its pointer. `true` becomes
/// `{}`.
pub(crate) fn mark(schema: &Value) -> Value {
    let mut marked = schema.clone();
    mark_at(&mut marked, &mut String::new());
    marked
}

/// Marks the schema with its pointer `place`, which is unchanged on return.
fn mark_at(schema: &mut Value, place: &mut String) {
    if *schema == Value::Bool(true) {
        *schema = Value::Object(Map::new());
    }
    let Value::Object(object) = schema else {
        return;
    };
    let length = place.len();
    for (keyword, value) in object.iter_mut() {
        if let Some(kind) = holds(keyword) {
            step(place, keyword);
            mark_member(kind, value, place);
            place.truncate(length);
        }
    }
    object.extend([at(place.clone())]);
}

fn mark_member(kind: Holds, value: &mut Value, place: &mut String) {
    let length = place.len();
    match (kind, value) {
        (Holds::One | Holds::List, Value::Array(list)) => {
            for (index, item) in list.iter_mut().enumerate() {
                step(place, &index.to_string());
                mark_at(item, place);
                place.truncate(length);
            }
        }
        // Open objects are common and do not need a pointer, so keep `true`.
        (Holds::One, Value::Bool(_)) => {}
        (Holds::One, value) => mark_at(value, place),
        (Holds::Named, Value::Object(named)) => {
            for (name, item) in named.iter_mut() {
                step(place, name);
                mark_at(item, place);
                place.truncate(length);
            }
        }
        _ => {}
    }
}

/// Appends a segment to a pointer.
pub(super) fn step(place: &mut String, part: &str) {
    place.push('/');
    if part.contains(['~', '/']) {
        place.push_str(&escape(part));
    } else {
        place.push_str(part);
    }
}

fn at(place: String) -> (String, Value) {
    (PLACE.to_owned(), Value::String(place))
}

fn escape(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

/// Returns the pointer of this schema.
pub(crate) fn place(schema: &Map<String, Value>) -> &str {
    schema
        .get(PLACE)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Returns the pointer of a keyword of this schema.
pub(crate) fn place_of(schema: &Map<String, Value>, keyword: &str) -> String {
    format!("{}/{}", place(schema), escape(keyword))
}

/// Creates an empty schema with the pointer of this one.
pub(crate) fn same_place(schema: &Map<String, Value>) -> Map<String, Value> {
    Map::from_iter([at(place(schema).to_owned())])
}

/// Returns `true` if this is the key of the pointer.
pub(crate) fn is_mark(key: &str) -> bool {
    key == PLACE
}

/// Removes all pointers.
pub(crate) fn unmark(mut schema: Value) -> Value {
    outer_first(&mut schema, &mut |object| {
        object.shift_remove(PLACE);
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
        assert_eq!(place(inner), "/properties/a~1b/items");
        assert_eq!(
            place_of(marked["anyOf"][0].as_object().unwrap(), "default"),
            "/anyOf/0/default"
        );
        assert_eq!(unmark(marked), schema);
    }
}
