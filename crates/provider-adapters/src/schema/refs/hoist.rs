//! References to anywhere become references to `$defs`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tool_core::LossKind;

use super::{leads_somewhere, reference, resolve, size};
use crate::schema::Losses;
use crate::schema::measure::MAX_VALUES;
use crate::schema::place::{place_of, same_place};
use crate::schema::walk::{has_any, outer_first};

/// Copies what references outside `$defs` lead to into `$defs`. A reference to nothing allows anything.
///
/// # Errors
/// When the copies grow too large.
pub(crate) fn hoist(schema: &mut Value, losses: &mut Losses) -> Result<(), String> {
    if !has_any(schema, &["$ref"]) {
        return Ok(());
    }
    let given = schema.clone();
    let mut hoister = Hoister {
        given: &given,
        names: BTreeMap::new(),
        waiting: Vec::new(),
        losses,
    };
    hoister.rewrite(schema);
    let moved = hoister.copies()?;
    if let (false, Value::Object(root)) = (moved.is_empty(), schema) {
        let definitions = root
            .entry("$defs")
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(definitions) = definitions {
            definitions.extend(moved);
        }
    }
    Ok(())
}

struct Hoister<'s> {
    given: &'s Value,
    /// The name of each definition that is to be, by the reference that it is for.
    names: BTreeMap<String, String>,
    /// The references whose target is not yet copied.
    waiting: Vec<String>,
    losses: &'s mut Losses,
}

impl Hoister<'_> {
    fn rewrite(&mut self, schema: &mut Value) {
        outer_first(schema, &mut |object| {
            let Some(target) = reference(object).map(str::to_owned) else {
                return;
            };
            if !leads_somewhere(self.given, &target) {
                forget_reference(object, self.losses);
            } else if !stays(&target) {
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

    fn copies(&mut self) -> Result<Map<String, Value>, String> {
        let mut moved = Map::new();
        let mut budget = MAX_VALUES;
        while let Some(target) = self.waiting.pop() {
            let Some(found) = resolve(self.given, &target) else {
                continue;
            };
            let mut copy = Value::Object(found.clone());
            budget = budget
                .checked_sub(size(&copy))
                .ok_or("its references lead to too many values")?;
            self.rewrite(&mut copy);
            moved.insert(self.name(&target), copy);
        }
        Ok(moved)
    }
}

/// A name that no definition has; the number tells it from those given before.
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

/// Whether the reference leads to the root or to a definition.
fn stays(reference: &str) -> bool {
    reference == "#"
        || reference
            .strip_prefix("#/$defs/")
            .is_some_and(|name| !name.contains('/'))
}

/// Takes out references that lead nowhere, with a loss; the others stay as they are.
pub(crate) fn forget_unknown(schema: &mut Value, losses: &mut Losses) {
    forget(schema, |_| true, losses);
}

/// The same for references within the schema alone: others may lead to what the client knows.
pub(crate) fn forget_unknown_here(schema: &mut Value, losses: &mut Losses) {
    forget(schema, |target| target.starts_with('#'), losses);
}

fn forget(schema: &mut Value, is_meant: fn(&str) -> bool, losses: &mut Losses) {
    if !has_any(schema, &["$ref"]) {
        return;
    }
    let given = schema.clone();
    outer_first(schema, &mut |object| {
        let unknown = reference(object)
            .is_some_and(|target| is_meant(target) && !leads_somewhere(&given, target));
        if unknown {
            forget_reference(object, losses);
        }
    });
}

/// Takes out a reference that leads nowhere in this schema.
pub(super) fn forget_reference(object: &mut Map<String, Value>, losses: &mut Losses) {
    losses.add(
        place_of(object, "$ref"),
        "$ref",
        LossKind::Dropped,
        "the reference leads to nothing in this schema, so that anything is allowed",
    );
    let description = object.shift_remove("description");
    *object = same_place(object);
    object.extend(description.map(|text| ("description".to_owned(), text)));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::schema::place::{mark, unmark};

    use super::*;

    #[test]
    fn a_reference_to_a_property_leads_to_a_definition_instead() {
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
    fn a_reference_to_nothing_allows_anything_and_is_reported() {
        let mut schema = mark(&json!({"properties": {"a": {"$ref": "http://example.org/a"}}}));
        let mut losses = Losses::new("f");

        hoist(&mut schema, &mut losses).unwrap();

        assert_eq!(unmark(schema), json!({"properties": {"a": {}}}));
        assert_eq!(losses.distinct()[0].pointer, "/properties/a/$ref");
    }

    #[test]
    fn references_in_a_circle_lead_nowhere() {
        let given = json!({
            "properties": {"a": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
        });
        let mut schema = mark(&given);
        let mut losses = Losses::new("f");

        forget_unknown(&mut schema, &mut losses);

        assert_eq!(
            unmark(schema),
            json!({"properties": {"a": {}}, "$defs": {"A": {}, "B": {}}})
        );
        assert_eq!(losses.distinct().len(), 3);
    }

    #[test]
    fn only_references_to_nothing_are_forgotten() {
        let mut schema = mark(&json!({
            "properties": {"a": {"$ref": "#/$defs/Gone"}, "b": {"$ref": "#/properties/a"}},
        }));
        let mut losses = Losses::new("f");

        forget_unknown(&mut schema, &mut losses);

        assert_eq!(
            unmark(schema),
            json!({"properties": {"a": {}, "b": {"$ref": "#/properties/a"}}})
        );
        assert_eq!(losses.distinct().len(), 1);
    }
}
