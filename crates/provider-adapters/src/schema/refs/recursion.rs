//! Detection of recursive definitions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tool_core::LossKind;

use super::reference;
use crate::schema::Losses;
use crate::schema::walk::{has_any, items, outer_first, visit_all};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Returns `true` if any reference is recursive.
pub(crate) fn is_recursive(schema: &Value) -> bool {
    has_any(schema, &["$ref"]) && !recursive_references(schema).is_empty()
}

/// Makes required properties optional if their schemas are recursive, with a loss.
pub(crate) fn relax_recursion(schema: &mut Value, losses: &mut Losses) {
    if !has_any(schema, &["$ref"]) {
        return;
    }
    let recursive = recursive_references(schema);
    if recursive.is_empty() {
        return;
    }
    let Value::Object(root) = schema else { return };
    // Without the definitions, of which some aren't recursive and keep their required properties.
    let mut definitions = root.shift_remove("$defs");
    for (name, definition) in definitions
        .iter_mut()
        .filter_map(Value::as_object_mut)
        .flatten()
    {
        if recursive.contains(&format!("#/$defs/{name}")) {
            make_optional(definition, &recursive, losses);
        }
    }
    if recursive.contains("#") {
        make_optional(schema, &recursive, losses);
    }
    if let (Some(definitions), Value::Object(root)) = (definitions, schema) {
        root.insert("$defs".to_owned(), definitions);
    }
}

fn make_optional(schema: &mut Value, recursive: &BTreeSet<String>, losses: &mut Losses) {
    outer_first(schema, &mut |object| {
        let endless: Vec<Value> = items(object, "required")
            .filter(|name| {
                object
                    .get("properties")
                    .and_then(|properties| properties.get(name.as_str()?))
                    .is_some_and(|property| refers_to(property, recursive))
            })
            .cloned()
            .collect();
        if endless.is_empty() {
            return;
        }
        let detail = "the provider supports recursive properties only if they are optional";
        losses.add_at(object, "required", LossKind::Widened, detail);
        if let Some(Value::Array(names)) = object.get_mut("required") {
            names.retain(|name| !endless.contains(name));
        }
    });
}

fn refers_to(schema: &Value, references: &BTreeSet<String>) -> bool {
    targets(schema)
        .iter()
        .any(|target| references.contains(target))
}

fn targets(schema: &Value) -> BTreeSet<String> {
    let mut targets = BTreeSet::new();
    visit_all(schema, &mut |object| {
        targets.extend(reference(object).map(str::to_owned));
    });
    targets
}

/// Returns the references that are part of a cycle or on a path between two cycles.
fn recursive_references(schema: &Value) -> BTreeSet<String> {
    // Without leaves in either direction, only cycles and the paths between them are left.
    let mut graph = graph(schema);
    remove_leaves(&mut graph);
    let mut reversed = Graph::new();
    for (from, targets) in &graph {
        for to in targets.iter().filter(|to| graph.contains_key(*to)) {
            reversed.entry(to.clone()).or_default().insert(from.clone());
        }
    }
    // In this direction as well: a schema that only uses a recursive definition is not recursive.
    remove_leaves(&mut reversed);
    reversed.into_keys().collect()
}

fn graph(schema: &Value) -> Graph {
    let mut graph = Graph::new();
    let definitions = schema.get("$defs").and_then(Value::as_object);
    for (name, definition) in definitions.into_iter().flatten() {
        graph.insert(format!("#/$defs/{name}"), targets(definition));
    }
    let mut body = schema.clone();
    if let Value::Object(root) = &mut body {
        // A definition that nothing refers to must not make the root recursive.
        root.shift_remove("$defs");
    }
    graph.insert("#".to_owned(), targets(&body));
    graph
}

/// Repeatedly removes the references without a target in the remaining graph.
fn remove_leaves(graph: &mut Graph) {
    let mut incoming: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    for (from, targets) in graph.iter() {
        let known = targets.iter().filter(|to| graph.contains_key(*to));
        let mut count = 0;
        for to in known {
            incoming.entry(to.clone()).or_default().push(from.clone());
            count += 1;
        }
        open.insert(from.clone(), count);
    }
    let mut ended: Vec<String> = open
        .iter()
        .filter(|(_, count)| **count == 0)
        .map(|(name, _)| name.clone())
        .collect();
    while let Some(name) = ended.pop() {
        graph.remove(&name);
        for from in incoming.remove(&name).unwrap_or_default() {
            if let Some(count) = open.get_mut(&from) {
                *count -= 1;
                if *count == 0 {
                    ended.push(from);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::schema::origin::{mark, unmark};

    use super::*;

    #[test]
    fn detects_recursion_through_several_definitions() {
        let acyclic = json!({"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {}}, "$ref": "#/$defs/A"});
        let cyclic =
            json!({"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"items": {"$ref": "#/$defs/A"}}}});
        let of_root = json!({"properties": {"next": {"$ref": "#"}}});

        for (schema, expected) in [(acyclic, false), (cyclic, true), (of_root, true)] {
            assert_eq!(is_recursive(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn keeps_reference_into_cycle_required() {
        let given = json!({
            "properties": {"n": {"$ref": "#/$defs/N"}},
            "required": ["n"],
            "$defs": {"N": {"properties": {"next": {"$ref": "#/$defs/N"}}}},
        });
        let mut schema = mark(&given);
        let mut losses = Losses::new("f");

        relax_recursion(&mut schema, &mut losses);

        assert_eq!(unmark(schema), given);
        assert!(losses.distinct().is_empty());
    }

    #[test]
    fn makes_only_recursive_property_optional() {
        let mut schema = mark(&json!({
            "$defs": {"N": {
                "properties": {"id": {"type": "string"}, "next": {"$ref": "#/$defs/N"}},
                "required": ["id", "next"],
            }},
        }));
        let mut losses = Losses::new("f");

        relax_recursion(&mut schema, &mut losses);

        assert_eq!(unmark(schema)["$defs"]["N"]["required"], json!(["id"]));
        assert_eq!(losses.distinct()[0].pointer, "/$defs/N/required");
    }
}
