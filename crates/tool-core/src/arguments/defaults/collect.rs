//! Collection of the places in a schema that may have defaults.

use std::collections::{HashMap, VecDeque};
use std::ptr;

use serde_json::{Map, Value};

use crate::schema::resolve;

/// Maximum depth of places. Recursive schemas are still filled at any depth.
const MAX_DEPTH: usize = 64;
/// Maximum number of references and single `allOf` parts followed from one place.
const MAX_STEPS: usize = 16;

/// Keywords with subschemas that are followed.
const LEADING_ON: [&str; 4] = ["properties", "items", "prefixItems", "additionalProperties"];

/// Place in the schema that may have defaults inside.
#[derive(Debug)]
pub(super) struct Draft<'s> {
    pub(super) depth: usize,
    /// Schema path, in the format of the validator.
    pub(super) path: String,
    pub(super) properties: Option<&'s Map<String, Value>>,
    pub(super) members: Vec<DraftMember<'s>>,
    pub(super) leading: Vec<Option<Edge>>,
    pub(super) items: Option<Edge>,
    pub(super) others: Option<Edge>,
}

#[derive(Debug)]
pub(super) struct DraftMember<'s> {
    pub(super) name: &'s str,
    pub(super) default: Option<&'s Value>,
    pub(super) inside: Option<Edge>,
}

/// Link to a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) place: usize,
    /// Whether this link discovered the place. The first links form a tree.
    pub(super) is_first: bool,
}

impl Draft<'_> {
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> {
        let members = self.members.iter().map(|member| member.inside);
        let items = self.leading.iter().copied();
        members
            .chain(items)
            .chain([self.items, self.others])
            .flatten()
    }

    pub(super) fn knows(&self, name: &str) -> bool {
        self.properties
            .is_some_and(|properties| properties.contains_key(name))
    }
}

/// Returns `true` if `schema` contains a default, to skip most tools quickly.
pub(super) fn has_defaults(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("default") || members.values().any(has_defaults)
        }
        Value::Array(items) => items.iter().any(has_defaults),
        _ => false,
    }
}

/// Returns the places of `schema` in breadth-first order. Each schema is one place, even if several
/// links lead to it.
pub(super) fn collect(schema: &Value) -> Vec<Draft<'_>> {
    let mut collecting = Collecting {
        root: schema,
        known: HashMap::new(),
        found: 0,
        waiting: VecDeque::new(),
    };
    collecting.edge(schema, 0, String::new());
    let mut drafts = Vec::new();
    while let Some(next) = collecting.waiting.pop_front() {
        drafts.push(collecting.draft(next));
    }
    drafts
}

struct Waiting<'s> {
    schema: &'s Value,
    depth: usize,
    path: String,
}

struct Collecting<'s> {
    root: &'s Value,
    /// Places by address of their schema.
    known: HashMap<usize, usize>,
    found: usize,
    waiting: VecDeque<Waiting<'s>>,
}

impl<'s> Collecting<'s> {
    /// Returns the link to the place of `schema`, or `None` if it cannot have defaults inside.
    fn edge(&mut self, schema: &'s Value, depth: usize, path: String) -> Option<Edge> {
        let (schema, path) = self.meant(schema, path);
        let leads_on = LEADING_ON.iter().any(|word| schema.get(word).is_some());
        if !leads_on {
            return None;
        }
        let address = ptr::from_ref(schema).addr();
        if let Some(place) = self.known.get(&address) {
            return Some(Edge {
                place: *place,
                is_first: false,
            });
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let place = self.found;
        self.found += 1;
        self.known.insert(address, place);
        self.waiting.push_back(Waiting {
            schema,
            depth,
            path,
        });
        Some(Edge {
            place,
            is_first: true,
        })
    }

    /// Follows references and single `allOf` parts, which older generators emit.
    fn meant(&self, schema: &'s Value, mut path: String) -> (&'s Value, String) {
        let mut current = schema;
        for _ in 0..MAX_STEPS {
            if current.get("$ref").is_some() {
                let target = resolve(current, self.root);
                if ptr::eq(target, current) {
                    break;
                }
                current = target;
                path.push_str("/$ref");
            } else if let Some(part) = only_part(current) {
                current = part;
                path.push_str("/allOf/0");
            } else {
                break;
            }
        }
        (current, path)
    }

    fn draft(&mut self, of: Waiting<'s>) -> Draft<'s> {
        let (schema, depth, path) = (of.schema, of.depth, of.path);
        let members = self.members(schema, depth, &path);
        let (list, items) = match schema.get("items") {
            Some(Value::Array(items)) => (Some(("items", items)), None),
            items => (
                schema
                    .get("prefixItems")
                    .and_then(Value::as_array)
                    .map(|list| ("prefixItems", list)),
                items,
            ),
        };
        let leading = list.into_iter().flat_map(|(keyword, list)| {
            list.iter()
                .enumerate()
                .map(move |(index, item)| (format!("/{keyword}/{index}"), item))
        });
        let leading = leading
            .map(|(step, item)| self.edge(item, depth + 1, path.clone() + &step))
            .collect();
        let items = items.and_then(|items| self.edge(items, depth + 1, path.clone() + "/items"));
        let others = schema
            .get("additionalProperties")
            .filter(|_| schema.get("patternProperties").is_none())
            .and_then(|others| {
                self.edge(others, depth + 1, path.clone() + "/additionalProperties")
            });
        Draft {
            depth,
            path,
            properties: schema.get("properties").and_then(Value::as_object),
            members,
            leading,
            items,
            others,
        }
    }

    fn members(&mut self, schema: &'s Value, depth: usize, path: &str) -> Vec<DraftMember<'s>> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut members = Vec::new();
        for (name, property) in properties.into_iter().flatten() {
            let default = property
                .get("default")
                .or_else(|| self.meant(property, String::new()).0.get("default"));
            members.push(DraftMember {
                name,
                default,
                inside: self.edge(property, depth + 1, path_of_property(path, name)),
            });
        }
        members
    }
}

/// Returns the only `allOf` part of a schema without keywords for members or items.
fn only_part(schema: &Value) -> Option<&Value> {
    if LEADING_ON.iter().any(|word| schema.get(word).is_some()) {
        return None;
    }
    match schema.get("allOf")?.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// Returns the schema path of property `name` of the place at `path`.
pub(super) fn path_of_property(path: &str, name: &str) -> String {
    let name = name.replace('~', "~0").replace('/', "~1");
    format!("{path}/properties/{name}")
}
