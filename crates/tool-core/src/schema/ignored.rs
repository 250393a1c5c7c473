//! What an open schema lets pass without a look.

use serde_json::Value;

use super::resolve;
use crate::{Node, text};

/// Names told of one call.
const MAX_TOLD: usize = 20;

/// Keywords that say more about members than `properties` does.
const SAYS_MORE: [&str; 6] = [
    "additionalProperties",
    "patternProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
];

/// Whether a member that `schema` does not list is ignored by whoever reads the arguments.
pub(crate) fn ignores_unknown(schema: &Value) -> bool {
    let resolved = resolve(schema, schema);
    let is_listed = resolved.get("properties").is_some_and(Value::is_object);
    is_listed && !SAYS_MORE.iter().any(|word| resolved.get(word).is_some())
}

/// The members that `schema`, which ignores unknown ones, does not list, each with the nearest known name.
pub(crate) fn ignored(arguments: Node<'_>, schema: &Value) -> Vec<String> {
    let properties = resolve(schema, schema).get("properties");
    let Some(properties) = properties.and_then(Value::as_object) else {
        return Vec::new();
    };
    let told = |name: &str| {
        let hint = text::nearest(name, properties.keys().map(String::as_str))
            .map(|nearest| format!(" (did you mean `{nearest}`?)"))
            .unwrap_or_default();
        format!(
            "`{}` is not a known parameter and was ignored{hint}",
            text::short(name, 64)
        )
    };
    arguments
        .members()
        .map(|(name, _)| name)
        .filter(|name| !properties.contains_key(*name))
        .take(MAX_TOLD)
        .map(told)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Arguments;

    #[test]
    fn an_open_schema_tells_what_it_ignores() {
        let schema = json!({"properties": {"path": {}}});
        let arguments = Arguments::from_value(json!({"path": 1, "pth": 2}));

        assert!(ignores_unknown(&schema));
        assert_eq!(
            ignored(arguments.root(), &schema),
            ["`pth` is not a known parameter and was ignored (did you mean `path`?)"]
        );
        assert!(!ignores_unknown(
            &json!({"properties": {}, "additionalProperties": {}})
        ));
    }
}
