//! Detects required members that the schema does not allow.

use serde_json::Value;

use super::resolve;
use crate::text;

/// Rejects a schema that requires a member it does not allow.
///
/// # Errors
/// Returns a message with the member and the most similar property.
pub(crate) fn check_required(schema: &Value) -> Result<(), String> {
    let object = resolve(schema, schema);
    let is_closed = object.get("additionalProperties") == Some(&Value::Bool(false));
    if !is_closed || object.get("patternProperties").is_some() {
        return Ok(());
    }
    let properties = object.get("properties").and_then(Value::as_object);
    let is_known = |name: &&str| properties.is_some_and(|known| known.contains_key(*name));
    let required = object.get("required").and_then(Value::as_array);
    let missing = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|name| !is_known(name));
    let Some(name) = missing else { return Ok(()) };
    let known = properties
        .into_iter()
        .flatten()
        .map(|(known, _)| known.as_str());
    let hint = text::nearest(name, known)
        .map(|nearest| format!(" (did you mean `{nearest}`?)"))
        .unwrap_or_default();
    Err(format!(
        "`{}` is required, but it is not a property and no others are allowed{hint}",
        text::short(name, 64)
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rejects_closed_object_requiring_unknown_member() {
        let schema =
            json!({"properties": {"path": {}}, "required": ["pth"], "additionalProperties": false});

        assert_eq!(
            check_required(&schema).unwrap_err(),
            "`pth` is required, but it is not a property and no others are allowed (did you mean `path`?)"
        );
    }

    #[test]
    fn accepts_satisfiable_requirements() {
        for schema in [
            json!({"properties": {"a": {}}, "required": ["a"], "additionalProperties": false}),
            json!({"required": ["a"]}),
            json!({"required": ["a"], "additionalProperties": {"type": "string"}}),
            json!({"required": ["a"], "patternProperties": {"^a": {}}, "additionalProperties": false}),
            json!({"required": 7, "additionalProperties": false}),
            json!({"additionalProperties": false}),
            json!(true),
        ] {
            assert_eq!(check_required(&schema), Ok(()), "{schema}");
        }
    }
}
