//! Where a part of a schema stood in the schema as it was given.
//!
//! Passes move, copy and merge schemas. Each object schema therefore carries its pointer as one more member,
//! under a key that no JSON Schema has, from the first pass to the last.

use serde_json::{Map, Value};

use super::walk::{Holds, holds, outer_first};

const PLACE: &str = "\u{0}place";

/// A copy of the schema in which each object schema knows its place. `true` becomes `{}`.
pub(crate) fn mark(schema: &Value) -> Value {
    let mut marked = schema.clone();
    mark_at(&mut marked, &mut String::new());
    marked
}

/// `place` is where the schema stands; it comes back as it was.
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
        // An open object is usual and needs no pointer; `true` there stays what it is.
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

/// Goes one part deeper.
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

/// Where this schema stood.
pub(crate) fn place(schema: &Map<String, Value>) -> &str {
    schema
        .get(PLACE)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Where a keyword of this schema stood.
pub(crate) fn place_of(schema: &Map<String, Value>, keyword: &str) -> String {
    format!("{}/{}", place(schema), escape(keyword))
}

/// An empty schema that stands where this one stood.
pub(crate) fn same_place(schema: &Map<String, Value>) -> Map<String, Value> {
    Map::from_iter([at(place(schema).to_owned())])
}

/// Whether the key is the mark.
pub(crate) fn is_mark(key: &str) -> bool {
    key == PLACE
}

/// Takes the marks out again.
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
    fn every_object_schema_knows_its_place_and_loses_it_again() {
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
