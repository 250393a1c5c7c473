//! Defaults of a schema, filled in at any depth.

use serde_json::Value;

use crate::schema::resolve;

/// Defaults filled into one call; a schema whose defaults need themselves ends here.
const MAX_FILLED: usize = 10_000;
const MAX_DEPTH: usize = 128;

/// Whether `schema` has a default anywhere, so that calls need not look.
pub(crate) fn has_defaults(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("default") || members.values().any(has_defaults)
        }
        Value::Array(items) => items.iter().any(has_defaults),
        _ => false,
    }
}

/// Fills in what is absent. Branches of `anyOf` and `oneOf` are not entered.
pub(crate) fn fill_defaults(value: &mut Value, schema: &Value) {
    let mut left = MAX_FILLED;
    fill(value, schema, schema, MAX_DEPTH, &mut left);
}

fn fill(value: &mut Value, schema: &Value, root: &Value, depth: usize, left: &mut usize) {
    if depth == 0 {
        return;
    }
    let schema = resolve(schema, root);
    match value {
        Value::Object(members) => {
            for (name, property) in schema
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                if let Some(default) =
                    default_of(property, root).filter(|_| *left > 0 && !members.contains_key(name))
                {
                    *left -= 1;
                    members.insert(name.clone(), default.clone());
                }
                if let Some(member) = members.get_mut(name) {
                    fill(member, property, root, depth - 1, left);
                }
            }
        }
        Value::Array(items) => {
            if let Some(of_items) = schema.get("items") {
                for item in items {
                    fill(item, of_items, root, depth - 1, left);
                }
            }
        }
        _ => {}
    }
}

fn default_of<'s>(property: &'s Value, root: &'s Value) -> Option<&'s Value> {
    property
        .get("default")
        .or_else(|| resolve(property, root).get("default"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn defaults_are_filled_at_any_depth_and_overwrite_nothing() {
        let schema = json!({
            "properties": {
                "limit": {"default": 10},
                "path": {"default": "."},
                "options": {"properties": {"deep": {"default": true}}},
                "items": {"items": {"$ref": "#/$defs/item"}},
            },
            "$defs": {"item": {"properties": {"status": {"default": "pending"}}}},
        });
        let mut value = json!({"limit": 3, "options": {}, "items": [{}, {"status": "done"}]});

        fill_defaults(&mut value, &schema);

        assert_eq!(
            value,
            json!({"limit": 3, "path": ".", "options": {"deep": true},
                   "items": [{"status": "pending"}, {"status": "done"}]})
        );
    }

    #[test]
    fn the_default_of_an_object_gets_the_defaults_inside_it() {
        let schema =
            json!({"properties": {"o": {"default": {}, "properties": {"x": {"default": 1}}}}});
        let mut value = json!({});

        fill_defaults(&mut value, &schema);

        assert_eq!(value, json!({"o": {"x": 1}}));
    }

    #[test]
    fn a_schema_that_refers_to_itself_is_filled_as_deep_as_the_value() {
        let schema = json!({"properties": {
            "left": {"$ref": "#"}, "right": {"$ref": "#"}, "n": {"default": 1}}});
        let mut value = json!({"left": {"right": {}}});

        fill_defaults(&mut value, &schema);

        assert_eq!(value, json!({"n": 1, "left": {"n": 1, "right": {"n": 1}}}));
    }

    #[test]
    fn defaults_that_need_themselves_end() {
        let schema = json!({"properties": {
            "a": {"$ref": "#", "default": {}}, "b": {"$ref": "#", "default": {}}}});
        let mut value = json!({});

        fill_defaults(&mut value, &schema);

        assert!(value.to_string().len() < 200_000);
    }

    #[test]
    fn a_schema_without_defaults_is_known_as_such() {
        assert!(!has_defaults(
            &json!({"properties": {"a": {"type": "string"}}})
        ));
        assert!(has_defaults(
            &json!({"$defs": {"a": {"items": [{"default": 1}]}}})
        ));
    }
}
