//! Traversal of nested schemas.

use serde_json::Value;

use crate::Object;

/// Form of the schemas in a keyword's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subschemas {
    One,
    List,
    Named,
}

/// Returns the form of the schemas in the value of `keyword`, if it contains any.
pub(crate) fn subschemas(keyword: &str) -> Option<Subschemas> {
    match keyword {
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Some(Subschemas::One),
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Some(Subschemas::List),
        "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
            Some(Subschemas::Named)
        }
        _ => None,
    }
}

/// Calls `visit` for every direct subschema.
pub(crate) fn for_each_child_mut(schema: &mut Object, visit: &mut dyn FnMut(&mut Value)) {
    // By keyword and not by shape: a `default` or an `enum` may contain objects that are no schemas.
    for (keyword, value) in schema.iter_mut() {
        match (subschemas(keyword), value) {
            // `items` is an array in older drafts.
            (Some(Subschemas::One | Subschemas::List), Value::Array(list)) => {
                list.iter_mut().for_each(&mut *visit);
            }
            (Some(Subschemas::One), value) => visit(value),
            (Some(Subschemas::Named), Value::Object(named)) => {
                named.values_mut().for_each(&mut *visit);
            }
            _ => {}
        }
    }
}

/// Calls `visit` for every object schema, parents first.
pub(crate) fn outer_first(schema: &mut Value, visit: &mut dyn FnMut(&mut Object)) {
    if let Value::Object(object) = schema {
        visit(object);
        for_each_child_mut(object, &mut |child| outer_first(child, visit));
    }
}

/// Calls `visit` for every object schema, children first.
pub(crate) fn inner_first(schema: &mut Value, visit: &mut dyn FnMut(&mut Object)) {
    if let Value::Object(object) = schema {
        for_each_child_mut(object, &mut |child| inner_first(child, visit));
        visit(object);
    }
}

/// Like [`for_each_child_mut`], but with shared references.
pub(crate) fn for_each_child(schema: &Object, visit: &mut dyn FnMut(&Value)) {
    for (keyword, value) in schema {
        match (subschemas(keyword), value) {
            (Some(Subschemas::One | Subschemas::List), Value::Array(list)) => {
                list.iter().for_each(&mut *visit);
            }
            (Some(Subschemas::One), value) => visit(value),
            (Some(Subschemas::Named), Value::Object(named)) => named.values().for_each(&mut *visit),
            _ => {}
        }
    }
}

/// Like [`outer_first`], but with shared references.
pub(crate) fn visit_all(schema: &Value, visit: &mut dyn FnMut(&Object)) {
    if let Value::Object(object) = schema {
        visit(object);
        for_each_child(object, &mut |child| visit_all(child, visit));
    }
}

/// Returns `true` if the object has one of the keywords.
pub(crate) fn contains_any(object: &Object, keywords: &[&str]) -> bool {
    keywords.iter().any(|keyword| object.contains_key(*keyword))
}

/// Returns the items of an array keyword.
pub(crate) fn items<'o>(object: &'o Object, keyword: &str) -> impl Iterator<Item = &'o Value> {
    let list = object.get(keyword).and_then(Value::as_array);
    list.into_iter().flatten()
}

/// Returns `true` if any object schema has one of these keywords.
pub(crate) fn has_any(schema: &Value, keywords: &[&str]) -> bool {
    let mut found = false;
    visit_all(schema, &mut |object| {
        found = found || contains_any(object, keywords);
    });
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn visits_schemas_but_not_data() {
        let mut schema = json!({
            "n": 1,
            "properties": {"n": {"n": 2, "default": {"n": 9}}},
            "anyOf": [{"n": 3, "enum": [{"n": 9}]}],
            "items": {"n": 4},
        });
        let mut seen = Vec::new();

        outer_first(&mut schema, &mut |object| {
            seen.extend(object.get("n").and_then(Value::as_i64));
        });

        seen.sort_unstable();
        assert_eq!(seen, [1, 2, 3, 4]);
    }
}
