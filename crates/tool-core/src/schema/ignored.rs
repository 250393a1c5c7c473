//! What an open schema lets pass without a look.

use serde_json::Value;

use super::resolve;
use crate::{Node, text};

/// Names told of one call.
const MAX_TOLD: usize = 20;

/// So many names are looked through one by one, most of which differ in their length already.
const FEW: usize = 8;

/// Keywords that say more about members than `properties` does.
const SAYS_MORE: [&str; 6] = [
    "additionalProperties",
    "patternProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
];

/// The members that `schema` lists, in order, where it ignores all others.
pub(crate) fn all_known(schema: &Value) -> Option<Vec<String>> {
    let resolved = resolve(schema, schema);
    if SAYS_MORE.iter().any(|word| resolved.get(word).is_some()) {
        return None;
    }
    let properties = resolved.get("properties")?.as_object()?;
    let mut names: Vec<String> = properties.keys().cloned().collect();
    names.sort_unstable();
    Some(names)
}

/// The members that are not among the `known` ones, each with the nearest of these.
pub(crate) fn ignored(arguments: Node<'_>, known: &[String]) -> Vec<String> {
    let is_known = |name: &str| {
        if known.len() <= FEW {
            return known.iter().any(|known| known == name);
        }
        let place = known.binary_search_by(|known| known.as_str().cmp(name));
        place.is_ok()
    };
    if arguments.members().all(|(name, _)| is_known(name)) {
        return Vec::new();
    }
    let told = |name: &str| {
        let hint = text::nearest(name, known.iter().map(String::as_str))
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
        .filter(|name| !is_known(name))
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
        let known = all_known(&json!({"properties": {"path": {}, "all": {}}})).unwrap();
        let arguments = Arguments::from_value(json!({"path": 1, "pth": 2}));

        assert_eq!(
            ignored(arguments.root(), &known),
            ["`pth` is not a known parameter and was ignored (did you mean `path`?)"]
        );
        let says_more = json!({"properties": {}, "additionalProperties": {}});
        assert_eq!(all_known(&says_more), None);
    }
}
