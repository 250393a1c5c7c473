//! References to anywhere become references to `$defs`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tool_core::LossAction;

use super::{reference, resolve, size};
use crate::schema::Losses;
use crate::schema::measure::MAX_VALUES;
use crate::schema::place::{place_of, same_place};
use crate::schema::walk::outer_first;

/// Copies what references outside `$defs` lead to into `$defs`. A reference to nothing allows anything.
///
/// # Errors
/// When the copies grow too large.
pub(crate) fn hoist(schema: &mut Value, losses: &mut Losses) -> Result<(), String> {
    let given = schema.clone();
    let mut names = BTreeMap::new();
    let mut moved = Map::new();
    let mut budget = MAX_VALUES;
    rewrite(schema, &given, &mut names, losses);
    let mut done = 0;
    while done < names.len() {
        let open: Vec<(String, String)> = names
            .iter()
            .filter(|(_, name)| !moved.contains_key(*name))
            .map(|(reference, name): (&String, &String)| (reference.clone(), name.clone()))
            .collect();
        for (reference, name) in open {
            let Some(target) = resolve(&given, &reference) else {
                continue;
            };
            let mut copy = Value::Object(target.clone());
            budget = budget
                .checked_sub(size(&copy))
                .ok_or("its references lead to too many values")?;
            rewrite(&mut copy, &given, &mut names, losses);
            moved.insert(name, copy);
            done += 1;
        }
    }
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

fn rewrite(
    schema: &mut Value,
    given: &Value,
    names: &mut BTreeMap<String, String>,
    losses: &mut Losses,
) {
    outer_first(schema, &mut |object| {
        let Some(target) = reference(object).map(str::to_owned) else {
            return;
        };
        if resolve(given, &target).is_none() {
            forget_reference(object, losses);
        } else if !stays(&target) {
            let next = format!("moved_{}", names.len() + 1);
            let name = names.entry(target).or_insert(next);
            object.insert("$ref".to_owned(), format!("#/$defs/{name}").into());
        }
    });
}

/// Whether the reference leads to the root or to a definition.
fn stays(reference: &str) -> bool {
    reference == "#"
        || reference
            .strip_prefix("#/$defs/")
            .is_some_and(|name| !name.contains('/'))
}

/// Takes out a reference that leads nowhere in this schema.
pub(super) fn forget_reference(object: &mut Map<String, Value>, losses: &mut Losses) {
    losses.add(
        place_of(object, "$ref"),
        "$ref",
        LossAction::Dropped,
        "the reference leads to nothing in this schema, so that anything is allowed",
    );
    let description = object.remove("description");
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
        assert_eq!(losses.into_list()[0].pointer, "/properties/a/$ref");
    }
}
