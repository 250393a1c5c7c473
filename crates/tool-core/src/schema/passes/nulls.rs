//! Removes null from optional parameters.

use serde_json::Value;

/// Removes null from the types of optional parameters.
pub(in crate::schema) fn without_null_where_absent_will_do(schema: &mut Value) {
    super::visit(schema, &mut |object| {
        let required = object
            .get("required")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let Some(Value::Object(properties)) = object.get_mut("properties") else {
            return;
        };
        for (name, property) in properties {
            if !required.iter().any(|known| known == name) {
                drop_null(property);
            }
            prune_default(property);
        }
    });
}

fn drop_null(property: &mut Value) {
    let Some(object) = property.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
        branches.retain(|branch| branch.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = branches.as_slice() {
            let only = only.clone();
            object.shift_remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
}

/// Removes null members from a default if their parameter is optional, because null is no longer a
/// valid value.
fn prune_default(property: &mut Value) {
    let Some(mut default) = property.get_mut("default").map(Value::take) else {
        return;
    };
    prune(&mut default, property);
    if let Some(place) = property.get_mut("default") {
        *place = default;
    }
}

fn prune(default: &mut Value, schema: &Value) {
    match default {
        Value::Array(values) => {
            let Some(items) = schema.get("items") else {
                return;
            };
            for value in values {
                prune(value, items);
            }
        }
        Value::Object(members) => {
            let Some(properties) = schema.get("properties") else {
                return;
            };
            members.retain(|name, value| !value.is_null() || is_required(schema, name));
            for (name, value) in members {
                if let Some(property) = properties.get(name) {
                    prune(value, property);
                }
            }
        }
        _ => {}
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|known| known == name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keeps_null_of_required_parameter() {
        let mut schema = json!({
            "properties": {"a": {"type": ["string", "null"]}, "b": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
            "required": ["a"]
        });

        without_null_where_absent_will_do(&mut schema);

        assert_eq!(
            schema,
            json!({"properties": {"a": {"type": ["string", "null"]}, "b": {"type": "string"}}, "required": ["a"]})
        );
    }

    #[test]
    fn default_omits_null_of_optional_parameter() {
        let inner = json!({
            "properties": {"a": {"type": ["integer", "null"]}, "b": {"type": ["integer", "null"]}},
            "required": ["b"],
        });
        let default = json!({"a": null, "b": null});
        let mut schema = json!({"properties": {
            "one": inner.clone(),
            "all": {"items": inner},
            "free": {"default": {"a": null}},
        }});
        schema["properties"]["one"]["default"] = default.clone();
        schema["properties"]["all"]["default"] = json!([default]);

        without_null_where_absent_will_do(&mut schema);

        let pruned = json!({"b": null});
        assert_eq!(schema["properties"]["one"]["default"], pruned);
        assert_eq!(schema["properties"]["all"]["default"], json!([pruned]));
        assert_eq!(schema["properties"]["free"]["default"], json!({"a": null}));
    }
}
