//! Collection of the nodes in a schema that may have defaults.

use std::collections::{HashMap, VecDeque};
use std::ptr;

use serde_json::{Map, Value};

use crate::schema::resolve;

/// Maximum depth of nodes. Recursive schemas are still filled at any depth.
const MAX_DEPTH: usize = 64;
/// Maximum number of references and single `allOf` parts followed from one node.
const MAX_STEPS: usize = 16;

/// Keywords with subschemas that are followed.
const APPLICATORS: [&str; 4] = ["properties", "items", "prefixItems", "additionalProperties"];

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
    pub(super) additional: Option<Edge>,
}

#[derive(Debug)]
pub(super) struct DraftMember<'s> {
    pub(super) name: &'s str,
    pub(super) default: Option<&'s Value>,
    pub(super) inside: Option<Edge>,
}

/// Link to a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) node: usize,
    /// Whether this link discovered the node. The first links form a tree.
    pub(super) is_first: bool,
}

impl Draft<'_> {
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> {
        let members = self.members.iter().map(|member| member.inside);
        let items = self.leading.iter().copied();
        members
            .chain(items)
            .chain([self.items, self.additional])
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

/// Returns the nodes of `schema` in breadth-first order. Each schema is one node, even if several
/// links lead to it.
pub(super) fn collect(schema: &Value) -> Vec<Draft<'_>> {
    let mut collector = Collector {
        root: schema,
        known: HashMap::new(),
        found: 0,
        waiting: VecDeque::new(),
    };
    collector.edge(schema, 0, String::new());
    let mut drafts = Vec::new();
    while let Some(next) = collector.waiting.pop_front() {
        drafts.push(collector.draft(next));
    }
    drafts
}

struct Waiting<'s> {
    schema: &'s Value,
    depth: usize,
    path: String,
}

struct Collector<'s> {
    root: &'s Value,
    /// Places by address of their schema.
    known: HashMap<usize, usize>,
    found: usize,
    waiting: VecDeque<Waiting<'s>>,
}

impl<'s> Collector<'s> {
    /// Returns the link to the node of `schema`, or `None` if it cannot have defaults inside.
    fn edge(&mut self, schema: &'s Value, depth: usize, path: String) -> Option<Edge> {
        let (schema, path) = self.resolved(schema, path);
        let has_applicator = APPLICATORS.iter().any(|word| schema.get(word).is_some());
        if !has_applicator {
            return None;
        }
        let address = ptr::from_ref(schema).addr();
        if let Some(node) = self.known.get(&address) {
            return Some(Edge {
                node: *node,
                is_first: false,
            });
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let node = self.found;
        self.found += 1;
        self.known.insert(address, node);
        self.waiting.push_back(Waiting {
            schema,
            depth,
            path,
        });
        Some(Edge {
            node,
            is_first: true,
        })
    }

    /// Follows references and single `allOf` parts, which older generators emit.
    fn resolved(&self, schema: &'s Value, mut path: String) -> (&'s Value, String) {
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
        let mut edge = |schema: Option<&'s Value>, step: &str| {
            self.edge(schema?, depth + 1, path.clone() + step)
        };
        let prefix = schema.get("prefixItems").and_then(Value::as_array);
        let (list, items) = match schema.get("items") {
            Some(Value::Array(items)) => (Some(("items", items)), None),
            items => (prefix.map(|list| ("prefixItems", list)), items),
        };
        let leading = list.into_iter().flat_map(|(keyword, list)| {
            list.iter()
                .enumerate()
                .map(move |(index, item)| (format!("/{keyword}/{index}"), item))
        });
        let leading = leading
            .map(|(step, item)| edge(Some(item), &step))
            .collect();
        let items = edge(items, "/items");
        let additional = schema.get("additionalProperties");
        let additional = additional.filter(|_| schema.get("patternProperties").is_none());
        let additional = edge(additional, "/additionalProperties");
        Draft {
            depth,
            path,
            properties: schema.get("properties").and_then(Value::as_object),
            members,
            leading,
            items,
            additional,
        }
    }

    fn members(&mut self, schema: &'s Value, depth: usize, path: &str) -> Vec<DraftMember<'s>> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut members = Vec::new();
        for (name, property) in properties.into_iter().flatten() {
            let default = property
                .get("default")
                .or_else(|| self.resolved(property, String::new()).0.get("default"));
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
    if APPLICATORS.iter().any(|word| schema.get(word).is_some()) {
        return None;
    }
    match schema.get("allOf")?.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// Returns the schema path of property `name` of the node at `path`.
pub(super) fn path_of_property(path: &str, name: &str) -> String {
    let name = name.replace('~', "~0").replace('/', "~1");
    format!("{path}/properties/{name}")
}
