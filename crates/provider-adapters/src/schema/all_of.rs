//! Merging of `allOf` into the enclosing schema.

use serde_json::Value;
use tool_core::LossKind;

use super::Losses;
use super::merge::merge_into;
use super::origin::is_origin_key;
use super::refs::{reference, resolve};
use super::walk::{has_any, inner_first};
use crate::Object;

/// Maximum number of references to follow in the `allOf` of one schema.
// Definitions that refer to the next one twice would otherwise take exponential time.
const MAX_FOLLOWED: usize = 500;

/// Merges every `allOf`. If two rules have no common form, the first one is kept, with a loss.
pub(crate) fn merge_all_of(schema: &mut Value, losses: &mut Losses) {
    if !has_any(schema, &["allOf"]) {
        return;
    }
    let given = schema.clone();
    let mut followed = 0;
    inner_first(schema, &mut |object| {
        if let Some(Value::Array(members)) = object.shift_remove("allOf") {
            let alone = members.len() == 1 && is_plain(object);
            for member in members {
                let Value::Object(mut member) = member else {
                    continue;
                };
                if !alone {
                    follow(&mut member, &given, &mut followed, losses);
                }
                merge_into(object, member, losses);
            }
        }
    });
}

/// Returns `true` if the schema contains only annotations, so that a reference can be next to them.
fn is_plain(object: &Object) -> bool {
    object.keys().all(|key| {
        is_origin_key(key)
            || matches!(
                key.as_str(),
                "title" | "description" | "default" | "examples"
            )
    })
}

fn follow(member: &mut Object, given: &Value, followed: &mut usize, losses: &mut Losses) {
    while let Some(found) = reference(member).and_then(|target| resolve(given, target)) {
        *followed += 1;
        if *followed > MAX_FOLLOWED {
            let detail = "too many references inside `allOf`";
            losses.add_at(member, "$ref", LossKind::Dropped, detail);
            member.shift_remove("$ref");
            return;
        }
        let found = found.clone();
        member.shift_remove("$ref");
        merge_into(member, found, losses);
    }
    // The target of a reference may itself contain `allOf`.
    if let Some(Value::Array(inner)) = member.shift_remove("allOf") {
        for mut inner in inner {
            if let Value::Object(inner) = &mut inner {
                let inner = std::mem::take(inner);
                follow_into(member, inner, given, followed, losses);
            }
        }
    }
}

fn follow_into(
    member: &mut Object,
    mut inner: Object,
    given: &Value,
    followed: &mut usize,
    losses: &mut Losses,
) {
    *followed += 1;
    if *followed <= MAX_FOLLOWED {
        follow(&mut inner, given, followed, losses);
        merge_into(member, inner, losses);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::origin::{mark, unmark};
    use super::*;

    fn merged(schema: &Value) -> (Value, usize) {
        let mut marked = mark(schema);
        let mut losses = Losses::new("f");
        merge_all_of(&mut marked, &mut losses);
        (unmark(marked), losses.distinct().len())
    }

    #[test]
    fn merges_members_into_one_object() {
        let schema = json!({
            "$defs": {"A": {"properties": {"a": {"type": "string"}}, "required": ["a"]}},
            "properties": {"x": {"allOf": [{"$ref": "#/$defs/A"}, {"properties": {"b": {}}}]}},
        });

        let (schema, losses) = merged(&schema);

        assert_eq!(
            schema["properties"]["x"],
            json!({"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]})
        );
        assert_eq!(losses, 0);
    }

    #[test]
    fn keeps_single_reference_with_description() {
        let schema = json!({"description": "D", "allOf": [{"$ref": "#/$defs/A"}]});

        assert_eq!(
            merged(&schema),
            (json!({"description": "D", "$ref": "#/$defs/A"}), 0)
        );
    }

    #[test]
    fn terminates_on_recursive_all_of() {
        let schema =
            json!({"$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}, {"type": "object"}]}}});

        let (schema, _) = merged(&schema);

        assert_eq!(schema["$defs"]["A"]["type"], json!("object"));
    }
}
