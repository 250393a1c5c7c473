//! Merging of alternatives and references into properties, for providers that close every object.

use serde_json::Value;

use super::Losses;
use super::root::{MAX_PARTS, flatten};
use super::walk::{contains_any, outer_first, visit_all};
use crate::Object;

/// Merges `$ref`, `anyOf` and `oneOf` of an object with properties into the object.
///
/// If both the object and an alternative were closed, no value would match both.
pub(crate) fn merge_alternatives(schema: &mut Value, losses: &mut Losses) {
    let mut is_needed = false;
    visit_all(schema, &mut |object| {
        is_needed = is_needed || can_merge(object);
    });
    if !is_needed {
        return;
    }
    let given = schema.clone();
    let mut parts = MAX_PARTS;
    outer_first(schema, &mut |object| {
        if can_merge(object) {
            flatten(object, &given, &mut parts, losses);
        }
    });
}

/// Returns `true` if the object has both properties and alternatives.
fn can_merge(object: &Object) -> bool {
    let properties = object.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| !properties.is_empty())
        && contains_any(object, &["$ref", "anyOf", "oneOf"])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::origin::{mark, unmark};
    use super::*;

    fn merged(schema: &Value) -> (Value, Vec<String>) {
        let mut marked = mark(schema);
        let mut losses = Losses::new("f");
        merge_alternatives(&mut marked, &mut losses);
        let pointers = losses.distinct().into_iter().map(|loss| loss.pointer);
        (unmark(marked), pointers.collect())
    }

    #[test]
    fn merges_alternatives_into_properties_with_loss() {
        let (schema, losses) = merged(&json!({"items": {
            "properties": {"kind": {"type": "string"}},
            "required": ["kind"],
            "anyOf": [
                {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
            ],
        }}));

        assert_eq!(
            schema,
            json!({"items": {
                "properties": {"kind": {"type": "string"}, "a": {"type": "string"}, "b": {"type": "integer"}},
                "required": ["kind"],
            }})
        );
        assert_eq!(losses, ["/items/anyOf"]);
    }

    #[test]
    fn merges_reference_into_properties_without_loss() {
        let point =
            json!({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]});
        let (schema, losses) = merged(&json!({
            "items": {"type": "object", "properties": {"kind": {"const": "Move"}}, "required": ["kind"], "$ref": "#/$defs/Point"},
            "$defs": {"Point": point},
        }));

        assert_eq!(
            schema["items"],
            json!({
                "type": "object",
                "properties": {"kind": {"const": "Move"}, "x": {"type": "integer"}},
                "required": ["kind", "x"],
            })
        );
        assert!(losses.is_empty());
    }

    #[test]
    fn keeps_alternatives_without_properties() {
        let schema = json!({"anyOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/A"}], "$defs": {"A": {}}});

        assert_eq!(merged(&schema), (schema, vec![]));
    }
}
