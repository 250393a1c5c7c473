//! Merging of alternatives and references into one object: at the root, where every provider requires an object with
//! properties, and below it for providers that close every object.

use serde_json::{Value, json};
use tool_core::LossKind;

use super::Losses;
use super::alternatives::{add_description, name_alternatives, values};
use super::describe::describe;
use super::merge::{MAX_PARTS, as_list, follow, merge_into, spend_part};
use super::refs::hoist;
use super::walk::{contains_any, items, outer_first, visit_all};
use crate::Object;

/// Converts the root to an object without unions.
///
/// # Errors
/// Returns an error if the root does not allow objects, because arguments are an object.
pub(crate) fn root_object(schema: &mut Value, losses: &mut Losses) -> Result<(), String> {
    let joins = ["$ref", "allOf", "anyOf", "oneOf"];
    if joins.iter().any(|keyword| schema.get(keyword).is_some()) {
        // Merging may remove the target of a reference or add rules to it, so copy the targets
        // first.
        hoist(schema, losses)?;
        let given = schema.clone();
        if let Value::Object(root) = schema {
            flatten(root, &given, &mut { MAX_PARTS }, losses);
        }
    }
    let Value::Object(root) = schema else {
        return Err("the schema rejects all arguments".to_owned());
    };
    let kind = root.get("type").map(as_list).unwrap_or_default();
    if !kind.is_empty() && !kind.contains(&"object".into()) {
        return Err(format!(
            "the schema has type {}; arguments must be an object",
            root.get("type").unwrap_or(&Value::Null)
        ));
    }
    // All providers require exactly this type at the root, and most of them `properties` as well.
    root.insert("type".to_owned(), "object".into());
    if !root.get("properties").is_some_and(Value::is_object) {
        root.insert("properties".to_owned(), json!({}));
    }
    root.shift_remove("nullable");
    Ok(())
}

/// Removes the root keywords that OpenAI rejects: `const` and `enum` move to the description, `not`
/// is dropped.
pub(crate) fn drop_from_root(schema: &mut Value, losses: &mut Losses) {
    let Value::Object(root) = schema else { return };
    describe(root, &["const", "enum"], losses);
    if root.shift_remove("not").is_some() {
        let detail = "the provider does not support this rule at the root";
        losses.add_at(root, "not", LossKind::Dropped, detail);
    }
}

/// Inlines the reference of an object and merges its unions.
pub(super) fn flatten(root: &mut Object, given: &Value, parts: &mut usize, losses: &mut Losses) {
    follow(root, given, parts, losses);
    if let Some(Value::Array(members)) = root.shift_remove("allOf") {
        for member in flattened(members, root, given, parts, losses) {
            merge_into(root, member, losses);
        }
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(members)) = root.shift_remove(keyword) {
            let detail = "the alternatives were merged into one object; only properties that all of them require are required";
            losses.add_at(root, keyword, LossKind::Merged, detail);
            let mut branches = flattened(members, root, given, parts, losses);
            branches.retain(allows_objects);
            let described = name_alternatives(&mut branches);
            union_into(root, branches, losses);
            if let Some((tag, text)) = described {
                add_description(root, &tag, &text);
            }
        }
    }
}

fn flattened(
    members: Vec<Value>,
    root: &Object,
    given: &Value,
    parts: &mut usize,
    losses: &mut Losses,
) -> Vec<Object> {
    let mut flat = Vec::with_capacity(members.len());
    for member in members {
        if let Value::Object(mut member) = member
            && spend_part(parts, root, losses)
        {
            flatten(&mut member, given, parts, losses);
            flat.push(member);
        }
    }
    flat
}

/// Merges the alternatives. All their properties are allowed, and those that every alternative
/// requires are required.
fn union_into(root: &mut Object, branches: Vec<Object>, losses: &mut Losses) {
    let objects = branches.into_iter();
    if let Some(merged) = objects.reduce(|first, second| union_objects(&first, &second)) {
        merge_into(root, merged, losses);
    }
}

fn allows_objects(branch: &Object) -> bool {
    branch
        .get("type")
        .is_none_or(|kind| as_list(kind).contains(&"object".into()))
        && branch.get("const").is_none_or(Value::is_object)
        && branch
            .get("enum")
            .is_none_or(|values| as_list(values).iter().any(Value::is_object))
}

fn union_objects(first: &Object, second: &Object) -> Object {
    let required = items(first, "required")
        .filter(|name| items(second, "required").any(|other| other == *name));
    let required: Vec<Value> = required.cloned().collect();
    let closed = [first, second]
        .iter()
        .all(|branch| branch.get("additionalProperties") == Some(&Value::Bool(false)));
    let properties = first.get("properties").and_then(Value::as_object);
    let mut properties = properties.cloned().unwrap_or_default();
    let added = second.get("properties").and_then(Value::as_object);
    for (name, schema) in added.into_iter().flatten() {
        let union = match properties.shift_remove(name) {
            Some(own) => union(own, schema.clone()),
            None => schema.clone(),
        };
        properties.insert(name.clone(), union);
    }
    let mut merged = Object::new();
    merged.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        merged.insert("required".to_owned(), Value::Array(required));
    }
    if closed {
        merged.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    merged
}

/// Combines two schemas of one property: all fixed values, or either schema.
fn union(own: Value, other: Value) -> Value {
    if super::origin::unmark(own.clone()) == super::origin::unmark(other.clone()) {
        return own;
    }
    if let (Some(mine), Some(theirs)) = (values(&own), values(&other))
        && let Value::Object(mut schema) = own.clone()
        && own.get("type") == other.get("type")
    {
        let mut all = mine;
        let added = theirs.into_iter().filter(|value| !all.contains(value));
        let added: Vec<Value> = added.collect();
        all.extend(added);
        schema.shift_remove("const");
        schema.insert("enum".to_owned(), Value::Array(all));
        return Value::Object(schema);
    }
    match own {
        Value::Object(mut schema) if schema.len() <= 2 && schema.contains_key("anyOf") => {
            if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
                branches.push(other);
            }
            Value::Object(schema)
        }
        own => {
            let origin = own.as_object().map(super::origin::empty_with_origin);
            let mut schema = origin.unwrap_or_default();
            schema.insert("anyOf".to_owned(), json!([own, other]));
            Value::Object(schema)
        }
    }
}

/// Merges `$ref`, `anyOf` and `oneOf` of an object with properties into the object.
///
/// If both the object and an alternative were closed, no value would match both.
pub(crate) fn merge_alternatives(schema: &mut Value, losses: &mut Losses) {
    let mut is_needed = false;
    visit_all(schema, &mut |object| {
        is_needed = is_needed || can_merge(object);
    });
    if !is_needed {
        return;
    }
    let given = schema.clone();
    let mut parts = MAX_PARTS;
    outer_first(schema, &mut |object| {
        if can_merge(object) {
            flatten(object, &given, &mut parts, losses);
        }
    });
}

/// Returns `true` if the object has both properties and alternatives.
fn can_merge(object: &Object) -> bool {
    let properties = object.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| !properties.is_empty())
        && contains_any(object, &["$ref", "anyOf", "oneOf"])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::origin::{mark, unmark};

    fn rooted(schema: &Value) -> (Result<Value, String>, Vec<String>) {
        let mut marked = mark(schema);
        let mut losses = Losses::new("f");
        let outcome = root_object(&mut marked, &mut losses);
        let pointers = losses.distinct().into_iter().map(|loss| loss.pointer);
        (outcome.map(|()| unmark(marked)), pointers.collect())
    }

    #[test]
    fn merges_alternatives_and_common_required_properties() {
        let (schema, losses) = rooted(&json!({"oneOf": [
            {"type": "object", "description": "Adds one.",
                "properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["kind", "x"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "string", "description": "Why."}},
                "required": ["kind"]},
        ]}));

        assert_eq!(
            schema,
            Ok(json!({
                "type": "object",
                "properties": {
                    "kind": {"enum": ["a", "b"], "description": "\"a\": Adds one."},
                    "x": {"type": "string", "description": "Only with `kind` \"a\"."},
                    "y": {"type": "string", "description": "Why. Only with `kind` \"b\"."},
                },
                "required": ["kind"],
            }))
        );
        assert_eq!(losses, ["/oneOf"]);
    }

    #[test]
    fn ignores_alternatives_that_reject_objects() {
        let (schema, _) = rooted(&json!({"anyOf": [
            {"properties": {"a": {}}}, {"const": null}, {"enum": ["x"]}, {"type": "string"},
        ]}));

        assert_eq!(
            schema,
            Ok(json!({"type": "object", "properties": {"a": {}}}))
        );
    }

    #[test]
    fn inlines_root_reference_without_loss() {
        let (schema, losses) = rooted(&json!({
            "$ref": "#/$defs/A",
            "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}},
        }));

        assert_eq!(
            schema,
            Ok(json!({
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/A"}},
                "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}},
            }))
        );
        assert!(losses.is_empty());
    }

    #[test]
    fn references_keep_targets_after_merge() {
        let (schema, losses) = rooted(&json!({
            "properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}, "c": {"$ref": "#/allOf/0/properties/a"}},
            "allOf": [{"properties": {"a": {"maxLength": 1}}}],
        }));

        assert_eq!(
            schema,
            Ok(json!({
                "type": "object",
                "properties": {
                    "a": {"type": "string", "maxLength": 1},
                    "b": {"$ref": "#/$defs/moved_1"},
                    "c": {"$ref": "#/$defs/moved_2"},
                },
                "$defs": {"moved_1": {"type": "string"}, "moved_2": {"maxLength": 1}},
            }))
        );
        assert_eq!(losses, Vec::<String>::new());
    }

    #[test]
    fn rejects_non_object_root() {
        for schema in [
            json!(false),
            json!({"type": "string"}),
            json!({"type": ["array", "null"]}),
        ] {
            assert!(rooted(&schema).0.is_err(), "{schema}");
        }
    }

    #[test]
    fn converts_permissive_root_to_empty_object() {
        for schema in [json!(true), json!({}), json!({"type": ["object", "null"]})] {
            assert_eq!(
                rooted(&schema).0,
                Ok(json!({"type": "object", "properties": {}})),
                "{schema}"
            );
        }
    }

    #[test]
    fn terminates_on_self_referencing_root() {
        let (schema, losses) = rooted(&json!({"$ref": "#"}));

        assert!(schema.is_ok());
        assert_eq!(losses.len(), 1);
    }

    fn merged(schema: &Value) -> (Value, Vec<String>) {
        let mut marked = mark(schema);
        let mut losses = Losses::new("f");
        merge_alternatives(&mut marked, &mut losses);
        let pointers = losses.distinct().into_iter().map(|loss| loss.pointer);
        (unmark(marked), pointers.collect())
    }

    #[test]
    fn merges_alternatives_into_properties_with_loss() {
        let (schema, losses) = merged(&json!({"items": {
            "properties": {"kind": {"type": "string"}},
            "required": ["kind"],
            "anyOf": [
                {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
            ],
        }}));

        assert_eq!(
            schema,
            json!({"items": {
                "properties": {
                    "kind": {"type": "string"},
                    "a": {"type": "string", "description": "Not with `b`."},
                    "b": {"type": "integer", "description": "Not with `a`."},
                },
                "required": ["kind"],
            }})
        );
        assert_eq!(losses, ["/items/anyOf"]);
    }

    #[test]
    fn merges_reference_into_properties_without_loss() {
        let point =
            json!({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]});
        let (schema, losses) = merged(&json!({
            "items": {"type": "object", "properties": {"kind": {"const": "Move"}}, "required": ["kind"], "$ref": "#/$defs/Point"},
            "$defs": {"Point": point},
        }));

        assert_eq!(
            schema["items"],
            json!({
                "type": "object",
                "properties": {"kind": {"const": "Move"}, "x": {"type": "integer"}},
                "required": ["kind", "x"],
            })
        );
        assert!(losses.is_empty());
    }

    #[test]
    fn keeps_alternatives_without_properties() {
        let schema = json!({"anyOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/A"}], "$defs": {"A": {}}});

        assert_eq!(merged(&schema), (schema, vec![]));
    }
}
