//! Requirements of strict modes: closed objects with all properties required.

use serde_json::{Value, json};
use tool_core::LossKind;

use super::Losses;
use super::merge::has_type;
use super::modernize::allow_null;
use super::origin::{is_origin_key, origin, pointer_of};
use super::walk::{contains_any, items};
use crate::Object;

/// Closes an object. An object with arbitrary keys has no strict form.
pub(crate) fn close(object: &mut Object, losses: &mut Losses) {
    if !has_type(object, "object") && !object.contains_key("properties") {
        if object.get("additionalProperties") == Some(&Value::Bool(true)) {
            object.shift_remove("additionalProperties");
        }
        return;
    }
    let open = object.contains_key("patternProperties")
        || object
            .get("additionalProperties")
            .is_some_and(|rest| *rest != Value::Bool(false));
    if open || allows_arbitrary_keys(object) {
        let pointer = if open {
            pointer_of(object, "additionalProperties")
        } else {
            origin(object).to_owned()
        };
        // Closing such an object would only leave `{}`, so the tool is sent without strict mode.
        let detail = "an object with arbitrary keys cannot be strict";
        losses.record_not_strict(pointer, "additionalProperties", detail);
    }
    object.insert("additionalProperties".to_owned(), false.into());
}

/// Returns `true` if the object allows arbitrary keys because it defines none. This does not apply
/// to a root with empty `properties`.
fn allows_arbitrary_keys(object: &Object) -> bool {
    let is_closed = object.get("additionalProperties") == Some(&Value::Bool(false));
    match object.get("properties").and_then(Value::as_object) {
        Some(properties) => properties.is_empty() && !is_closed && !origin(object).is_empty(),
        None => true,
    }
}

/// Requires every property. Optional properties become nullable instead.
pub(crate) fn require_all(object: &mut Object) {
    let required: Vec<Value> = items(object, "required").cloned().collect();
    let Some(Value::Object(properties)) = object.get_mut("properties") else {
        return;
    };
    let was_required: std::collections::HashSet<&str> =
        required.iter().filter_map(Value::as_str).collect();
    for (name, schema) in properties.iter_mut() {
        if let (false, Value::Object(schema)) = (was_required.contains(name.as_str()), schema) {
            allow_null(schema);
        }
    }
    let names: Vec<Value> = properties.keys().map(|name| name.as_str().into()).collect();
    object.insert("required".to_owned(), Value::Array(names));
}

/// Records that a schema that allows any value has no strict form.
pub(crate) fn require_rules(object: &Object, losses: &mut Losses) {
    let ruled = [
        "type",
        "anyOf",
        "$ref",
        "enum",
        "const",
        "properties",
        "items",
    ];
    if !contains_any(object, &ruled) {
        let detail = "a value of any type cannot be strict";
        losses.record_not_strict(origin(object), "type", detail);
    }
}

/// Moves a reference with sibling keywords into `anyOf`. If the schema already has `anyOf`, the
/// reference is dropped, with a loss.
pub(crate) fn isolate_reference(object: &mut Object, losses: &mut Losses) {
    let Some(reference) = object.get("$ref").cloned() else {
        return;
    };
    let beside = object
        .keys()
        .any(|key| !is_origin_key(key) && key != "$ref" && key != "$defs");
    if beside && object.contains_key("anyOf") {
        let detail = "the provider does not support a reference next to `anyOf`";
        losses.add_at(object, "$ref", LossKind::Dropped, detail);
        object.shift_remove("$ref");
    } else if beside {
        // OpenAI rejects every other keyword next to `$ref`, and Gemini those that do not begin with `$`.
        object.shift_remove("$ref");
        object.insert("anyOf".to_owned(), json!([{"$ref": reference}]));
    }
}

#[cfg(test)]
mod tests {
    use super::super::origin::{mark, unmark};
    use super::*;

    #[test]
    fn makes_optional_property_required_and_nullable() {
        let mut schema = mark(&json!({
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
            "required": ["a"],
        }));
        let object = schema.as_object_mut().unwrap();
        let mut losses = Losses::new("f");

        require_all(object);
        close(object, &mut losses);

        assert_eq!(
            unmark(schema),
            json!({
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}},
                "required": ["a", "b"],
                "additionalProperties": false,
            })
        );
        assert!(losses.not_strict().is_none());
    }

    #[test]
    fn rejects_strict_form_of_objects_with_arbitrary_keys() {
        for schema in [
            json!({"type": "object"}),
            json!({"type": "object", "properties": {}, "additionalProperties": true}),
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"properties": {"a": {"type": "object", "properties": {}}}}),
            json!({"properties": {"a": {"type": ["object", "null"], "properties": {}}}}),
        ] {
            let mut losses = Losses::new("f");

            crate::schema::outer_first(&mut mark(&schema), &mut |object| {
                close(object, &mut losses);
            });

            assert!(losses.not_strict().is_some(), "{schema}");
        }
    }

    #[test]
    fn accepts_strict_form_of_objects_without_keys() {
        for schema in [
            json!({"type": "object", "properties": {}}),
            json!({"properties": {"a": {"type": "object", "properties": {}, "additionalProperties": false}}}),
        ] {
            let mut losses = Losses::new("f");

            crate::schema::outer_first(&mut mark(&schema), &mut |object| {
                close(object, &mut losses);
            });

            assert!(losses.not_strict().is_none(), "{schema}");
        }
    }

    #[test]
    fn removes_additional_properties_of_non_objects() {
        let mut schema = mark(&json!({"type": "string", "additionalProperties": true}));

        close(schema.as_object_mut().unwrap(), &mut Losses::new("f"));

        assert_eq!(unmark(schema), json!({"type": "string"}));
    }

    #[test]
    fn moves_reference_with_siblings_into_any_of() {
        let mut schema = mark(&json!({"$ref": "#", "description": "D"}));

        isolate_reference(schema.as_object_mut().unwrap(), &mut Losses::new("f"));

        assert_eq!(
            unmark(schema),
            json!({"description": "D", "anyOf": [{"$ref": "#"}]})
        );
    }
}
