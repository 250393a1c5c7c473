//! Removal of nulls that a strict form requires for optional parameters.

use serde_json::Value;

use super::modernize::allows_null;
use super::refs::{reference, resolve, resolve_value};
use super::walk::items;
use crate::Object;

/// Maximum number of schemas to check for one object of the arguments.
const MAX_VIEWS: usize = 64;

/// Removes each null of a parameter that is optional and not nullable in the definition. Returns
/// `true` if any was removed.
pub(crate) fn strip_added_nulls(schema: &Value, arguments: &mut Object) -> bool {
    strip_object(schema, &[schema], arguments)
}

fn strip(root: &Value, schemas: Vec<&Value>, value: &mut Value) -> bool {
    match value {
        Value::Object(object) => strip_object(root, &schemas, object),
        Value::Array(items) => {
            let views = views(root, schemas);
            let mut changed = false;
            for (index, item) in items.iter_mut().enumerate() {
                let schemas = views.iter().filter_map(|view| item_schema(view, index));
                changed |= strip(root, schemas.collect(), item);
            }
            changed
        }
        _ => false,
    }
}

fn item_schema(view: &Object, index: usize) -> Option<&Value> {
    let positions = view.get("prefixItems").or(view.get("items"));
    positions
        .and_then(|positions| positions.get(index))
        .or(view.get("items").filter(|items| items.is_object()))
}

fn strip_object(root: &Value, schemas: &[&Value], object: &mut Object) -> bool {
    let before = object.len();
    let views = views(root, schemas.to_vec());
    object.retain(|name, value| {
        !value.is_null()
            || !was_added(root, &views, name)
            // Keep the null of a required parameter: it's a mistake of the model, which validation has to report.
            || schemas.iter().all(|schema| requires(root, schema, name))
    });
    let mut changed = object.len() < before;
    for (name, value) in object.iter_mut() {
        let schemas = property_schemas(&views, name);
        if !schemas.is_empty() {
            changed |= strip(root, schemas, value);
        }
    }
    changed
}

fn property_schemas<'s>(views: &[&'s Object], name: &str) -> Vec<&'s Value> {
    let schemas = views
        .iter()
        .filter_map(|view| view.get("properties")?.get(name));
    schemas.collect()
}

fn was_added(root: &Value, views: &[&Object], name: &str) -> bool {
    let schemas = property_schemas(views, name);
    let known = !schemas.is_empty();
    let anything = schemas.iter().any(|schema| **schema == Value::Bool(true));
    let inner = self::views(root, schemas);
    let nullable = |view: &&Object| {
        allows_null(view) || view.get("nullable") == Some(&Value::Bool(true)) || view.is_empty()
    };
    known && !anything && !inner.iter().any(nullable)
}

/// Returns `true` if the schema requires `name` in every alternative.
fn requires(root: &Value, schema: &Value, name: &str) -> bool {
    let mut looks = MAX_VIEWS;
    requires_within(root, schema, name, &mut looks)
}

fn requires_within(root: &Value, schema: &Value, name: &str, looks: &mut usize) -> bool {
    let (Value::Object(view), true) = (schema, *looks > 0) else {
        return false;
    };
    *looks -= 1;
    let list = |keyword: &str| view.get(keyword).and_then(Value::as_array);
    let own = list("required").is_some_and(|names| names.iter().any(|own| own == name));
    let mut inside = |schema: &Value| requires_within(root, schema, name, looks);
    own || reference(view)
        .and_then(|target| resolve_value(root, target))
        .is_some_and(&mut inside)
        || list("allOf").is_some_and(|members| members.iter().any(&mut inside))
        || ["anyOf", "oneOf"].iter().any(|keyword| {
            list(keyword)
                .is_some_and(|branches| !branches.is_empty() && branches.iter().all(&mut inside))
        })
}

/// Returns these object schemas and up to [`MAX_VIEWS`] in total that are reachable through `$ref`,
/// `anyOf`, `oneOf` and `allOf`.
fn views<'s>(root: &'s Value, schemas: Vec<&'s Value>) -> Vec<&'s Object> {
    let mut views = Vec::new();
    let mut waiting: Vec<&Object> = schemas.into_iter().filter_map(Value::as_object).collect();
    while let Some(view) = waiting.pop() {
        // References may be recursive, so visiting all of them might not finish.
        if views.len() == MAX_VIEWS {
            break;
        }
        waiting.extend(reference(view).and_then(|target| resolve(root, target)));
        for keyword in ["anyOf", "oneOf", "allOf"] {
            waiting.extend(items(view, keyword).filter_map(Value::as_object));
        }
        views.push(view);
    }
    views
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn removes_only_added_nulls_at_any_depth() {
        let schema = json!({
            "$defs": {"A": {"type": "object", "properties": {"x": {"type": "string"}}}},
            "type": "object",
            "properties": {
                "optional": {"type": "string"},
                "nullable": {"type": ["string", "null"]},
                "required": {"type": "string"},
                "list": {"type": "array", "items": {"$ref": "#/$defs/A"}},
            },
            "required": ["required"],
        });
        let mut arguments = json!({
            "optional": null, "nullable": null, "required": null, "unknown": null, "list": [{"x": null}, {"x": "y"}],
        });

        strip_added_nulls(&schema, arguments.as_object_mut().unwrap());

        assert_eq!(
            arguments,
            json!({"nullable": null, "required": null, "unknown": null, "list": [{}, {"x": "y"}]})
        );
    }

    #[test]
    fn removes_null_required_only_by_other_alternative() {
        let schema = json!({"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["kind", "x"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "string"}}, "required": ["kind", "y"]},
        ]});
        let mut arguments = json!({"kind": null, "x": "here", "y": null});

        strip_added_nulls(&schema, arguments.as_object_mut().unwrap());

        assert_eq!(arguments, json!({"kind": null, "x": "here"}));
    }

    #[test]
    fn terminates_on_recursive_schema() {
        let schema = json!({"properties": {"a": {"$ref": "#/properties/a"}}});
        let mut arguments = json!({"a": {"b": null}});

        strip_added_nulls(&schema, arguments.as_object_mut().unwrap());

        assert_eq!(arguments, json!({"a": {"b": null}}));
    }
}
