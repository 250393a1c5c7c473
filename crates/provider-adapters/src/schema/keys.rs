//! Names of parameters as Anthropic allows them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::names::shorten;

/// Renames top-level properties that the provider refuses; gives the own name of each by its new one.
pub(crate) fn rename_keys(root: &mut Map<String, Value>) -> BTreeMap<String, String> {
    let Some(Value::Object(properties)) = root.get_mut("properties") else {
        return BTreeMap::new();
    };
    let refused: Vec<String> = properties
        .keys()
        .filter(|key| !is_legal(key))
        .cloned()
        .collect();
    let mut names = BTreeMap::new();
    for (number, own) in refused.into_iter().enumerate() {
        let mut wire = legal(&own);
        if properties.contains_key(&wire) {
            wire = shorten(&format!("{wire}{number:_>64}"), &own);
        }
        if let (false, Some(schema)) = (properties.contains_key(&wire), properties.remove(&own)) {
            properties.insert(wire.clone(), schema);
            names.insert(wire, own);
        }
    }
    if let Some(Value::Array(required)) = root.get_mut("required") {
        for (wire, own) in &names {
            for name in required.iter_mut().filter(|name| *name == own) {
                *name = wire.as_str().into();
            }
        }
    }
    names
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-')
}

fn is_legal(key: &str) -> bool {
    (1..=64).contains(&key.len()) && key.chars().all(is_allowed)
}

fn legal(key: &str) -> String {
    if key.is_empty() {
        return "_".to_owned();
    }
    let letters: String = key
        .chars()
        .map(|letter| if is_allowed(letter) { letter } else { '_' })
        .collect();
    shorten(&letters, key)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refused_keys_are_renamed_and_lead_back() {
        let mut schema = json!({
            "properties": {"a b": {"type": "string"}, "a_b": {"type": "integer"}, "$id": {}},
            "required": ["a b", "a_b"],
        });

        let names = rename_keys(schema.as_object_mut().unwrap());

        let wire: Vec<&String> = names.keys().collect();
        assert_eq!(names.len(), 2);
        assert_eq!(names.get("_id"), Some(&"$id".to_owned()));
        assert!(
            wire.iter()
                .all(|name| is_legal(name) && schema["properties"][name.as_str()].is_object())
        );
        assert_eq!(schema["properties"]["a_b"], json!({"type": "integer"}));
        assert!(
            !schema["required"]
                .as_array()
                .unwrap()
                .contains(&json!("a b"))
        );
    }
}
