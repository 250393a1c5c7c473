//! Expression of `oneOf` and tuples with keywords that most providers support.

use std::collections::HashSet;

use serde_json::{Value, json};
use tool_core::LossKind;

use super::Losses;
use super::merge::has_type;
use super::origin::{empty_with_origin, unmark};
use super::subset::{drop_conditions, drop_impossible};
use super::walk::contains_any;
use crate::Object;

/// Removes conditions and impossible alternatives, and expresses `oneOf` and tuples with keywords that most providers
/// support.
pub(crate) fn simplify(object: &mut Object, losses: &mut Losses) {
    drop_conditions(object, losses);
    drop_impossible(object, losses);
    weaken_one_of(object, losses);
    flatten_tuple(object, losses);
    bound_tuple(object);
}

/// Converts `oneOf` to `anyOf`, with a loss. If the schema already has `anyOf`, `oneOf` is dropped.
pub(crate) fn weaken_one_of(object: &mut Object, losses: &mut Losses) {
    let Some(branches) = object.shift_remove("oneOf") else {
        return;
    };
    if object.contains_key("anyOf") {
        let detail = "the provider does not support `oneOf` next to `anyOf`";
        losses.add_at(object, "oneOf", LossKind::Dropped, detail);
        return;
    }
    let detail = "converted to `anyOf`, which also allows values that match several alternatives";
    losses.add_at(object, "oneOf", LossKind::Widened, detail);
    object.insert("anyOf".to_owned(), branches);
}

/// Converts `prefixItems` to `items` that may match the schema of any position, with a loss.
pub(crate) fn flatten_tuple(object: &mut Object, losses: &mut Losses) {
    let Some(Value::Array(positions)) = object.shift_remove("prefixItems") else {
        return;
    };
    let detail = "the order of the items is no longer enforced";
    losses.add_at(object, "prefixItems", LossKind::Widened, detail);
    let rest = object.shift_remove("items");
    if rest == Some(Value::Bool(false)) {
        bound(object, positions.len());
    }
    if rest.as_ref().is_none_or(|rest| *rest == Value::Bool(true)) {
        let detail = "additional items must match one of the listed schemas";
        losses.add_at(object, "prefixItems", LossKind::Narrowed, detail);
    }
    let mut kinds: Vec<Value> = Vec::new();
    let mut known = HashSet::new();
    for kind in positions.into_iter().chain(rest.filter(Value::is_object)) {
        // Without the origin keys, which differ between equal schemas.
        if known.insert(unmark(kind.clone()).to_string()) {
            kinds.push(kind);
        }
    }
    let items = match <[Value; 1]>::try_from(kinds) {
        Ok([only]) => only,
        Err(kinds) => json!({"anyOf": kinds}),
    };
    object.insert("items".to_owned(), items);
}

/// Converts `items: false` to `maxItems`, without loss.
pub(crate) fn bound_tuple(object: &mut Object) {
    if !allows_no_further_item(object) {
        return;
    }
    object.shift_remove("items");
    object.shift_remove("unevaluatedItems");
    let positions = object.get("prefixItems").and_then(Value::as_array);
    bound(object, positions.map_or(0, Vec::len));
}

fn allows_no_further_item(object: &Object) -> bool {
    let never = Some(&Value::Bool(false));
    if object.get("items") != never && object.get("unevaluatedItems") != never {
        return false;
    }
    // Sibling keywords may evaluate items, too.
    let evaluating = ["$ref", "allOf", "anyOf", "contains", "if", "items", "oneOf"];
    let alone = !contains_any(object, &evaluating);
    object.get("items") == never || (alone && object.get("unevaluatedItems") == never)
}

fn bound(object: &mut Object, positions: usize) {
    let most = object.get("maxItems").and_then(Value::as_u64);
    if most.is_none_or(|most| most > positions as u64) {
        object.insert("maxItems".to_owned(), positions.into());
    }
}

/// Adds a missing `items`, which allows any value, to every array. Some providers require it.
pub(crate) fn require_items(object: &mut Object) {
    let is_array = has_type(object, "array");
    if !is_array && object.get("items") == Some(&Value::Bool(true)) {
        object.shift_remove("items");
    }
    if is_array && !object.get("items").is_some_and(Value::is_object) {
        object.insert("items".to_owned(), Value::Object(empty_with_origin(object)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::origin::mark;

    #[test]
    fn converts_one_of_to_any_of_with_loss() {
        let mut schema = json!({"oneOf": [{}, {}]});
        let mut losses = Losses::new("f");

        weaken_one_of(schema.as_object_mut().unwrap(), &mut losses);

        assert_eq!(schema, json!({"anyOf": [{}, {}]}));
        assert_eq!(losses.distinct()[0].action, LossKind::Widened);
    }

    #[test]
    fn converts_tuple_to_array_of_alternatives() {
        let mut schema = json!({"type": "array", "items": false, "prefixItems": [{"type": "string"}, {"type": "integer"}]});
        let mut losses = Losses::new("f");

        flatten_tuple(schema.as_object_mut().unwrap(), &mut losses);

        assert_eq!(
            schema,
            json!({"type": "array", "maxItems": 2, "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}})
        );
        assert_eq!(losses.distinct()[0].action, LossKind::Widened);
    }

    #[test]
    fn converts_excluded_items_to_max_items() {
        for (schema, expected) in [
            (
                json!({"items": false, "prefixItems": [true, true]}),
                json!({"prefixItems": [true, true], "maxItems": 2}),
            ),
            (json!({"items": false}), json!({"maxItems": 0})),
            (json!({"items": true}), json!({"items": true})),
            (
                json!({"unevaluatedItems": false, "prefixItems": [true]}),
                json!({"prefixItems": [true], "maxItems": 1}),
            ),
            (
                json!({"unevaluatedItems": false, "contains": true}),
                json!({"unevaluatedItems": false, "contains": true}),
            ),
        ] {
            let mut bounded = schema;

            bound_tuple(bounded.as_object_mut().unwrap());

            assert_eq!(bounded, expected);
        }
    }

    #[test]
    fn adds_items_only_to_arrays() {
        for (schema, expected) in [
            (
                json!({"type": "array"}),
                json!({"type": "array", "items": {}}),
            ),
            (json!({"type": "string"}), json!({"type": "string"})),
            (
                json!({"type": "string", "items": true}),
                json!({"type": "string"}),
            ),
        ] {
            let mut required = mark(&schema);

            require_items(required.as_object_mut().unwrap());

            assert_eq!(unmark(required), expected);
        }
    }
}
