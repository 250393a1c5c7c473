//! References: resolution, relocation to `$defs`, inlining and recursion.

mod inline;
mod recursion;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tool_core::LossKind;

pub(crate) use inline::inline;
pub(crate) use recursion::{is_recursive, relax_recursion};

use crate::Object;
use crate::schema::Losses;
use crate::schema::limits::MAX_VALUES;
use crate::schema::origin::empty_with_origin;
use crate::schema::walk::{has_any, outer_first};

/// Returns the reference of a schema, if it has one.
pub(crate) fn reference(schema: &Object) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)
}

/// Returns the object schema that a reference within `root` refers to.
pub(crate) fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Object> {
    resolve_value(root, reference)?.as_object()
}

/// Like [`resolve`], but the target may be any value.
pub(crate) fn resolve_value<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let fragment = percent_decoded(reference.strip_prefix('#')?)?;
    root.pointer(&fragment)
}

/// Maximum number of consecutive references.
const MAX_CHAIN: usize = 64;

/// Returns `true` if a reference resolves to a schema and is not part of a cycle.
fn resolves(root: &Value, target: &str) -> bool {
    let Some(mut found) = resolve(root, target) else {
        return false;
    };
    for _ in 0..MAX_CHAIN {
        match reference(found).and_then(|next| resolve(root, next)) {
            Some(next) => found = next,
            None => return true,
        }
    }
    false
}

/// Decodes percent-encoded characters: a reference is part of a URI and may contain `%24defs`.
fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns the number of values in a schema.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// Copies the targets of references outside `$defs` to `$defs`. A dangling reference then allows
/// any value.
///
/// # Errors
/// Returns an error if the copies are too large.
pub(crate) fn hoist(schema: &mut Value, losses: &mut Losses) -> Result<(), String> {
    if !has_any(schema, &["$ref"]) {
        return Ok(());
    }
    // References are resolved in the original: a dropped reference removes the rest of its object.
    let given = schema.clone();
    let mut hoister = Hoister {
        given: &given,
        names: BTreeMap::new(),
        waiting: Vec::new(),
        losses,
    };
    hoister.rewrite(schema);
    let moved = hoister.copied_definitions()?;
    if let (false, Value::Object(root)) = (moved.is_empty(), schema) {
        let definitions = root.entry("$defs").or_insert_with(|| json!({}));
        if let Value::Object(definitions) = definitions {
            definitions.extend(moved);
        }
    }
    Ok(())
}

struct Hoister<'s> {
    given: &'s Value,
    /// Names of the new definitions, by reference.
    names: BTreeMap<String, String>,
    /// References whose target is not yet copied.
    waiting: Vec<String>,
    losses: &'s mut Losses,
}

impl Hoister<'_> {
    fn rewrite(&mut self, schema: &mut Value) {
        outer_first(schema, &mut |object| {
            let Some(target) = reference(object).map(str::to_owned) else {
                return;
            };
            if !resolves(self.given, &target) {
                drop_reference(object, self.losses);
            } else if !is_root_or_definition(&target) {
                let name = self.name(&target);
                object.insert("$ref".to_owned(), format!("#/$defs/{name}").into());
            }
        });
    }

    fn name(&mut self, target: &str) -> String {
        if let Some(name) = self.names.get(target) {
            return name.clone();
        }
        let name = free_name(self.given, self.names.len() + 1);
        self.names.insert(target.to_owned(), name.clone());
        self.waiting.push(target.to_owned());
        name
    }

    fn copied_definitions(&mut self) -> Result<Object, String> {
        let mut moved = Object::new();
        // A target may contain other targets, which are copied again, so the copies can exceed the schema many times.
        let mut budget = MAX_VALUES;
        while let Some(target) = self.waiting.pop() {
            let Some(found) = resolve(self.given, &target) else {
                continue;
            };
            let mut copy = Value::Object(found.clone());
            budget = budget
                .checked_sub(size(&copy))
                .ok_or("the references expand to too many values")?;
            self.rewrite(&mut copy);
            moved.insert(self.name(&target), copy);
        }
        Ok(moved)
    }
}

/// Returns a name that no definition has. `number` must differ from that of earlier calls.
fn free_name(given: &Value, number: usize) -> String {
    let mut name = format!("moved_{number}");
    while given
        .get("$defs")
        .is_some_and(|definitions| definitions.get(&name).is_some())
    {
        name.push('_');
    }
    name
}

/// Returns `true` if the target of the reference is the root or a definition.
fn is_root_or_definition(reference: &str) -> bool {
    reference == "#"
        || reference
            .strip_prefix("#/$defs/")
            .is_some_and(|name| !name.contains('/'))
}

/// Removes dangling references, with a loss. Other references are unchanged.
pub(crate) fn drop_dangling(schema: &mut Value, losses: &mut Losses) {
    drop_references(schema, |_| true, losses);
}

/// Like [`drop_dangling`], but only for pointers into the schema, because an MCP client may know other targets.
pub(crate) fn drop_dangling_pointers(schema: &mut Value, losses: &mut Losses) {
    drop_references(schema, |target| target.starts_with("#/"), losses);
}

fn drop_references(schema: &mut Value, applies: fn(&str) -> bool, losses: &mut Losses) {
    if !has_any(schema, &["$ref"]) {
        return;
    }
    let given = schema.clone();
    outer_first(schema, &mut |object| {
        let is_dangling = |target: &str| applies(target) && !resolves(&given, target);
        if reference(object).is_some_and(is_dangling) {
            drop_reference(object, losses);
        }
    });
}

/// Removes a reference without a target in this schema.
pub(crate) fn drop_reference(object: &mut Object, losses: &mut Losses) {
    let detail = "the reference has no target in this schema, so any value is allowed";
    losses.add_at(object, "$ref", LossKind::Dropped, detail);
    let description = object.shift_remove("description");
    *object = empty_with_origin(object);
    object.extend(description.map(|text| ("description".to_owned(), text)));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::origin::{mark, unmark};

    #[test]
    fn moves_referenced_property_to_definitions() {
        let mut schema = mark(
            &json!({"properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}}),
        );

        hoist(&mut schema, &mut Losses::new("f")).unwrap();

        assert_eq!(
            unmark(schema),
            json!({
                "$defs": {"moved_1": {"type": "string"}},
                "properties": {"a": {"type": "string"}, "b": {"$ref": "#/$defs/moved_1"}},
            })
        );
    }

    #[test]
    fn replaces_dangling_reference_with_loss() {
        let mut schema = mark(&json!({"properties": {"a": {"$ref": "http://example.org/a"}}}));
        let mut losses = Losses::new("f");

        hoist(&mut schema, &mut losses).unwrap();

        assert_eq!(unmark(schema), json!({"properties": {"a": {}}}));
        assert_eq!(losses.distinct()[0].pointer, "/properties/a/$ref");
    }

    #[test]
    fn treats_reference_cycles_as_dangling() {
        let given = json!({
            "properties": {"a": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
        });
        let mut schema = mark(&given);
        let mut losses = Losses::new("f");

        drop_dangling(&mut schema, &mut losses);

        assert_eq!(
            unmark(schema),
            json!({"properties": {"a": {}}, "$defs": {"A": {}, "B": {}}})
        );
        assert_eq!(losses.distinct().len(), 3);
    }

    #[test]
    fn removes_only_dangling_references() {
        let mut schema = mark(&json!({
            "properties": {"a": {"$ref": "#/$defs/Gone"}, "b": {"$ref": "#/properties/a"}},
        }));
        let mut losses = Losses::new("f");

        drop_dangling(&mut schema, &mut losses);

        assert_eq!(
            unmark(schema),
            json!({"properties": {"a": {}, "b": {"$ref": "#/properties/a"}}})
        );
        assert_eq!(losses.distinct().len(), 1);
    }
}
