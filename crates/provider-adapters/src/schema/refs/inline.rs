//! Inlining of references, for providers that do not support them.

use serde_json::{Value, json};
use tool_core::LossKind;

use super::{drop_reference, reference, resolve, size};
use crate::Object;
use crate::schema::Losses;
use crate::schema::limits::MAX_VALUES;
use crate::schema::merge::merge_into;
use crate::schema::origin::empty_with_origin;
use crate::schema::walk::{for_each_child_mut, has_any};

/// Maximum depth of an inlined schema, which exceeds the limits of all providers.
const MAX_DEPTH: usize = 48;

const TOO_DEEP: &str = "the schema is nested too deeply; any object is allowed below this level";

const ENDLESS: &str = "the schema is recursive; any value of its type is allowed below this level";

/// Maximum number of times that a reference is inlined inside itself.
const MAX_TURNS: usize = 2;

/// Inlines every reference. Recursive references are truncated, with a loss.
///
/// # Errors
/// Returns an error if the inlined schema is too large.
pub(crate) fn inline(schema: &mut Value, losses: &mut Losses) -> Result<(), String> {
    if !has_any(schema, &["$ref"]) {
        if let Value::Object(root) = schema {
            root.shift_remove("$defs");
            root.shift_remove("definitions");
        }
        return Ok(());
    }
    let given = schema.clone();
    // Two turns show more of a recursive structure. If they exceed the budget, one has to do.
    for turns in (1..=MAX_TURNS).rev() {
        let mut trial = given.clone();
        let mut inliner = Inliner {
            given: &given,
            open: Vec::new(),
            turns,
            budget: MAX_VALUES,
            losses: losses.trial(),
        };
        if let Value::Object(root) = &mut trial {
            root.shift_remove("$defs");
            root.shift_remove("definitions");
        }
        inliner.expand(&mut trial, 0);
        if inliner.budget > 0 {
            losses.extend(inliner.losses);
            *schema = trial;
            return Ok(());
        }
    }
    Err(format!(
        "the references expand to more than {MAX_VALUES} values"
    ))
}

struct Inliner<'s> {
    given: &'s Value,
    /// References that are being inlined.
    open: Vec<String>,
    turns: usize,
    budget: usize,
    losses: Losses,
}

impl Inliner<'_> {
    fn expand(&mut self, schema: &mut Value, depth: usize) {
        self.budget = self.budget.saturating_sub(1);
        let Value::Object(object) = schema else {
            return;
        };
        if self.budget == 0 {
            return;
        }
        if depth > MAX_DEPTH {
            self.truncate(object, "object".into(), TOO_DEEP);
            return;
        }
        let opened = self.follow(object);
        for_each_child_mut(object, &mut |child| self.expand(child, depth + 1));
        self.open.truncate(self.open.len() - opened);
    }

    /// Inlines the references of this schema. Returns the number of opened references.
    fn follow(&mut self, object: &mut Object) -> usize {
        let mut opened = 0;
        while let Some(target) = reference(object).map(str::to_owned) {
            let Some(found) = resolve(self.given, &target) else {
                drop_reference(object, &mut self.losses);
                break;
            };
            let turns = self.open.iter().filter(|open| **open == target).count();
            if turns >= self.turns {
                let kind = found.get("type").cloned().unwrap_or("object".into());
                self.truncate(object, kind, ENDLESS);
                break;
            }
            object.shift_remove("$ref");
            let mut found = found.clone();
            // A reference to the root must not copy all definitions into the object.
            found.shift_remove("$defs");
            self.budget = self.budget.saturating_sub(found.values().map(size).sum());
            if self.budget == 0 {
                break;
            }
            merge_into(object, found, &mut self.losses);
            self.open.push(target);
            opened += 1;
        }
        opened
    }

    fn truncate(&mut self, object: &mut Object, kind: Value, detail: &str) {
        self.losses.add_at(object, "$ref", LossKind::Cut, detail);
        let description = object.shift_remove("description");
        *object = empty_with_origin(object);
        object.insert("type".to_owned(), kind);
        if object.get("type") == Some(&json!("array")) {
            object.insert("items".to_owned(), json!({"type": "object"}));
        }
        object.extend(description.map(|text| ("description".to_owned(), text)));
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::schema::origin::{mark, unmark};

    fn inlined(schema: &Value) -> (Result<Value, String>, Losses) {
        let mut marked = mark(schema);
        let mut losses = Losses::new("f");
        let outcome = inline(&mut marked, &mut losses);
        (outcome.map(|()| unmark(marked)), losses)
    }

    #[test]
    fn inlines_target_and_keeps_description() {
        let (schema, losses) = inlined(&json!({
            "$defs": {"A": {"type": "string", "description": "any"}},
            "properties": {"a": {"$ref": "#/%24defs/A", "description": "mine"}},
        }));

        assert_eq!(
            schema,
            Ok(json!({"properties": {"a": {"type": "string", "description": "mine"}}}))
        );
        assert!(losses.distinct().is_empty());
    }

    #[test]
    fn truncates_recursive_reference_with_loss() {
        let (schema, losses) = inlined(&json!({
            "$defs": {"N": {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}},
            "properties": {"n": {"$ref": "#/$defs/N"}},
        }));

        let inner = json!({"type": "object", "properties": {"next": {"type": "object"}}});
        let node = json!({"type": "object", "properties": {"next": inner}});
        assert_eq!(schema, Ok(json!({"properties": {"n": node}})));
        let losses = losses.distinct();
        assert_eq!(losses.len(), 1);
        assert_eq!(losses[0].pointer, "/$defs/N/properties/next/$ref");
    }

    #[test]
    fn rejects_reference_bomb_quickly() {
        let mut definitions = Object::new();
        for level in 0..40 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            definitions.insert(
                format!("d{level}"),
                json!({"type": "object", "properties": {"a": next, "b": next}}),
            );
        }
        definitions.insert("d40".to_owned(), json!({"type": "string"}));
        let start = Instant::now();

        let (schema, _) =
            inlined(&json!({"$defs": definitions, "properties": {"x": {"$ref": "#/$defs/d0"}}}));

        assert_eq!(
            schema,
            Err("the references expand to more than 20000 values".to_owned())
        );
        assert!(start.elapsed() < Duration::from_secs(2));
    }

    #[test]
    fn truncates_long_chain_of_references() {
        let mut definitions = Object::new();
        for level in 0..60 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            definitions.insert(
                format!("d{level}"),
                json!({"type": "object", "properties": {"a": next}}),
            );
        }
        definitions.insert("d60".to_owned(), json!({"type": "string"}));

        let (_, losses) =
            inlined(&json!({"$defs": definitions, "properties": {"x": {"$ref": "#/$defs/d0"}}}));

        let details: Vec<String> = losses
            .distinct()
            .into_iter()
            .map(|loss| loss.detail)
            .collect();
        assert_eq!(details, [TOO_DEEP]);
    }

    #[test]
    fn terminates_on_reference_cycle() {
        let (schema, losses) = inlined(&json!({
            "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
            "properties": {"a": {"$ref": "#/$defs/A"}},
        }));

        assert_eq!(schema, Ok(json!({"properties": {"a": {"type": "object"}}})));
        assert_eq!(losses.distinct().len(), 1);
    }
}
