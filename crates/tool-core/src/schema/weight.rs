//! Bounds the cost of a schema, because references can expand a short schema to many steps.

use std::collections::HashMap;
use std::ptr;

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// Maximum number of subschemas, counting each reference.
const MAX_STEPS: u64 = 100_000;
/// Maximum nesting of schemas and references.
const MAX_LEVELS: usize = 512;

/// Keywords whose values are not schemas.
const VALUES: [&str; 4] = ["enum", "const", "default", "examples"];
/// Keywords whose schemas count only if a reference uses them.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// Keywords whose members are schemas.
const MAPS: [&str; 3] = ["properties", "patternProperties", "dependentSchemas"];
/// Keywords that refer to another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The expanded size of a schema. A reference to an enclosing schema counts once.
#[derive(Debug, Clone, Copy)]
struct Weight {
    steps: u64,
    levels: usize,
}

impl Weight {
    const ONE: Self = Self {
        steps: 1,
        levels: 1,
    };
}

/// Rejects a schema that references expand beyond the limits.
pub(super) fn check_weight(schema: &Value) -> Result<(), String> {
    let mut visitor = WeightVisitor {
        root: schema,
        anchors: HashMap::new(),
        known: HashMap::new(),
    };
    visitor.find_anchors(schema);
    visitor.schema(schema, 0).map(drop)
}

struct WeightVisitor<'s> {
    root: &'s Value,
    anchors: HashMap<&'s str, &'s Value>,
    /// Weights by address. `None` while the weight is being computed.
    known: HashMap<usize, Option<Weight>>,
}

impl<'s> WeightVisitor<'s> {
    fn find_anchors(&mut self, schema: &'s Value) {
        match schema {
            Value::Object(members) => {
                for (name, member) in members {
                    if let ("$anchor" | "$dynamicAnchor" | "$id", Value::String(anchor)) =
                        (name.as_str(), member)
                    {
                        self.anchors.insert(anchor.trim_start_matches('#'), schema);
                    }
                    self.find_anchors(member);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.find_anchors(item)),
            _ => {}
        }
    }

    fn schema(&mut self, schema: &'s Value, level: usize) -> Result<Weight, String> {
        let Value::Object(members) = schema else {
            return Ok(Weight::ONE);
        };
        let address = ptr::from_ref(schema).addr();
        match self.known.get(&address) {
            Some(Some(weight)) => return within_limits(*weight, level),
            // A schema that contains itself is expanded at call time, as deep as the arguments are.
            Some(None) => return Ok(Weight::ONE),
            None => self.known.insert(address, None),
        };
        let mut weight = within_limits(Weight::ONE, level)?;
        for (name, member) in members {
            for part in self.parts_of(name, member) {
                self.add(&mut weight, part, level)?;
            }
        }
        self.known.insert(address, Some(weight));
        within_limits(weight, level)
    }

    /// Returns the schemas that a member contains or refers to.
    fn parts_of(&self, name: &str, member: &'s Value) -> Vec<&'s Value> {
        match member {
            Value::Object(properties) if MAPS.contains(&name) => properties.values().collect(),
            _ if MAPS.contains(&name) || VALUES.contains(&name) => Vec::new(),
            Value::String(reference) if REFERENCES.contains(&name) => {
                self.target(reference).into_iter().collect()
            }
            Value::Array(parts) => parts.iter().collect(),
            Value::Object(_) if !DEFINITIONS.contains(&name) => vec![member],
            _ => Vec::new(),
        }
    }

    fn add(&mut self, weight: &mut Weight, part: &'s Value, level: usize) -> Result<(), String> {
        let added = self.schema(part, level + 1)?;
        weight.steps = weight.steps.saturating_add(added.steps);
        weight.levels = weight.levels.max(added.levels + 1);
        Ok(())
    }

    /// Returns the target of a local reference.
    fn target(&self, reference: &str) -> Option<&'s Value> {
        if let Some(target) = self.anchors.get(reference.trim_start_matches('#')) {
            return Some(target);
        }
        let (id, fragment) = reference.split_once('#')?;
        let base = if id.is_empty() {
            self.root
        } else {
            self.anchors.get(id)?
        };
        let fragment = percent_decode_str(fragment).decode_utf8_lossy();
        base.pointer(&fragment)
            .or_else(|| self.anchors.get(&*fragment).copied())
    }
}

fn within_limits(weight: Weight, level: usize) -> Result<Weight, String> {
    if weight.steps > MAX_STEPS {
        return Err(format!(
            "the schema has more than {MAX_STEPS} parts with references expanded"
        ));
    }
    if level + weight.levels > MAX_LEVELS {
        return Err(format!(
            "the schema is more than {MAX_LEVELS} levels deep with references expanded"
        ));
    }
    Ok(weight)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    /// Builds `levels` schemas, each linked to the next with `link`.
    fn chain(levels: usize, link: impl Fn(String) -> Value) -> Value {
        let mut definitions: Map<String, Value> = (0..levels)
            .map(|n| (format!("l{n}"), link(format!("#/$defs/l{}", n + 1))))
            .collect();
        definitions.insert(format!("l{levels}"), json!({"$anchor": "end"}));
        json!({"$ref": "#/$defs/l0", "$defs": definitions})
    }

    #[test]
    fn rejects_reference_bombs_of_any_kind() {
        let of_parts = |keyword: &'static str| move |next: String| json!({keyword: [{"$ref": next}, {"$ref": next}]});
        let of_properties =
            |next: String| json!({"properties": {"enum": {"$ref": next}, "$ref": {"$ref": next}}});
        let encoded = |next: String| {
            let next = next.replace('$', "%24");
            json!({"not": {"$ref": next}, "if": {"$ref": next}})
        };
        for bomb in [
            chain(40, of_parts("allOf")),
            chain(40, of_parts("anyOf")),
            chain(40, of_parts("oneOf")),
            chain(40, of_properties),
            chain(40, encoded),
        ] {
            assert_eq!(
                check_weight(&bomb),
                Err("the schema has more than 100000 parts with references expanded".to_owned())
            );
        }
    }

    #[test]
    fn rejects_anchor_bomb() {
        let levels: Map<String, Value> = (0..40)
            .map(|n| {
                let next = json!({"$ref": format!("#l{}", n + 1)});
                (
                    format!("d{n}"),
                    json!({"$anchor": format!("l{n}"), "allOf": [next, next]}),
                )
            })
            .collect();

        assert!(check_weight(&json!({"$ref": "#l0", "$defs": levels})).is_err());
    }

    #[test]
    fn rejects_reference_chain_deeper_than_stack() {
        for (levels, is_taken) in [(250, true), (300, false), (8000, false)] {
            let schema = chain(levels, |next| json!({"items": {"$ref": next}}));

            assert_eq!(check_weight(&schema).is_ok(), is_taken, "{levels}");
        }
    }

    #[test]
    fn accepts_shared_and_recursive_schemas() {
        let tree = json!({
            "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}, "leaf": {"$ref": "#/$defs/leaf"}},
            "anyOf": [{"$ref": "#/$defs/leaf"}, {"items": {"$ref": "#"}}],
            "$defs": {"leaf": {"enum": [[1], {"a": {}}]}},
        });

        assert_eq!(check_weight(&tree), Ok(()));
        assert_eq!(
            check_weight(&chain(
                12,
                |next| json!({"allOf": [{"$ref": next}, {"$ref": next}]})
            )),
            Ok(())
        );
    }
}
