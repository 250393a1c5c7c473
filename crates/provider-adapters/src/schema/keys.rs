//! Parameter names accepted by Anthropic.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use tool_core::LossKind;

use super::Losses;
use super::origin::unmark;
use super::refs::{drop_reference, hoist, reference};
use super::walk::outer_first;
use crate::Object;
use crate::wire::names::{MAX_LENGTH, shorten};

/// Renames top-level properties that the provider rejects. Returns the original names by wire name.
///
/// # Errors
/// Returns the reason if references into the properties cannot be moved.
pub(crate) fn rename_keys(
    schema: &mut Value,
    losses: &mut Losses,
) -> Result<BTreeMap<String, String>, String> {
    let wire_names = wire_names(schema);
    if !wire_names.is_empty() {
        // Only `$ref: "#"` is left then, which means the root with its original names.
        hoist(schema, losses)?;
        outer_first(schema, &mut |object| {
            if reference(object) == Some("#") {
                drop_reference(object, losses);
            }
        });
        if let Value::Object(root) = schema {
            drop_rules(root, losses);
            rename(root, &wire_names);
        }
        *schema = unmark(std::mem::take(schema));
    }
    let renamed = wire_names.into_iter();
    Ok(renamed.map(|(own, wire)| (wire, own)).collect())
}

/// Returns the wire name of each top-level property that the provider rejects.
fn wire_names(root: &Value) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let Some(Value::Object(properties)) = root.get("properties") else {
        return names;
    };
    let mut taken: HashSet<String> = properties.keys().cloned().collect();
    let rejected = properties.keys().filter(|key| !is_valid_key(key));
    for (number, own) in rejected.enumerate() {
        let mut wire = valid_key(own);
        if taken.contains(&wire) {
            // Longer than the limit on purpose, so that `shorten` appends a hash of the original name.
            wire = shorten(&format!("{wire}{number:_>64}"), own, MAX_LENGTH);
        }
        if taken.insert(wire.clone()) {
            names.insert(own.clone(), wire);
        }
    }
    names
}

/// Drops rules that name parameters as well.
fn drop_rules(root: &mut Object, losses: &mut Losses) {
    for keyword in [
        "dependentRequired",
        "dependentSchemas",
        "if",
        "then",
        "else",
        "not",
    ] {
        if root.shift_remove(keyword).is_some() {
            let detail = "the provider rejects the name of a parameter, which the rule may name";
            losses.add_at(root, keyword, LossKind::Dropped, detail);
        }
    }
}

fn rename(root: &mut Object, wire_names: &BTreeMap<String, String>) {
    if let Some(Value::Object(properties)) = root.get_mut("properties") {
        *properties = std::mem::take(properties)
            .into_iter()
            .map(|(own, value)| (wire_names.get(&own).cloned().unwrap_or(own), value))
            .collect();
    }
    if let Some(Value::Array(required)) = root.get_mut("required") {
        for name in required {
            if let Some(wire) = name.as_str().and_then(|own| wire_names.get(own)) {
                *name = wire.as_str().into();
            }
        }
    }
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-')
}

fn is_valid_key(key: &str) -> bool {
    (1..=64).contains(&key.len()) && key.chars().all(is_allowed)
}

fn valid_key(key: &str) -> String {
    if key.is_empty() {
        return "_".to_owned();
    }
    let characters: String = key
        .chars()
        .map(|letter| if is_allowed(letter) { letter } else { '_' })
        .collect();
    shorten(&characters, key, MAX_LENGTH)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn renames_invalid_keys_reversibly() {
        let mut schema = json!({
            "properties": {"a b": {"type": "string"}, "a_b": {"type": "integer"}, "$id": {}},
            "required": ["a b", "a_b"],
        });

        let names = rename_keys(&mut schema, &mut Losses::new("f")).unwrap();

        let wire: Vec<&String> = names.keys().collect();
        assert_eq!(names.len(), 2);
        assert_eq!(names.get("_id"), Some(&"$id".to_owned()));
        assert!(
            wire.iter()
                .all(|name| is_valid_key(name) && schema["properties"][name.as_str()].is_object())
        );
        assert_eq!(schema["properties"]["a_b"], json!({"type": "integer"}));
        assert!(
            !schema["required"]
                .as_array()
                .unwrap()
                .contains(&json!("a b"))
        );
    }

    #[test]
    fn drops_rules_that_name_renamed_keys() {
        let mut schema = json!({
            "properties": {"a b": {"type": "string"}, "next": {"$ref": "#"}, "c": {"$ref": "#/properties/a b"}},
            "dependentRequired": {"a b": ["c"]},
        });
        let mut losses = Losses::new("f");

        rename_keys(&mut schema, &mut losses).unwrap();

        assert_eq!(
            schema,
            json!({
                "properties": {"a_b": {"type": "string"}, "next": {}, "c": {"$ref": "#/$defs/moved_1"}},
                "$defs": {"moved_1": {"type": "string"}},
            })
        );
        let dropped = losses.distinct().into_iter().map(|loss| loss.keyword);
        assert_eq!(dropped.collect::<Vec<_>>(), ["$ref", "dependentRequired"]);
    }
}
