//! Compiles a schema to a plan.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{Demand, Kinds, Member, Plan, QuotedKey};

/// Maximum number of members per object, because they are searched linearly.
const MOST_MEMBERS: usize = 64;

/// Keywords that do not affect validity. `format` is one only if the dialect does not validate
/// formats.
const SILENT: [&str; 13] = [
    "$comment",
    "$defs",
    "default",
    "definitions",
    "deprecated",
    "description",
    "example",
    "examples",
    "format",
    "readOnly",
    "title",
    "writeOnly",
    "required",
];

impl Plan {
    /// Compiles a plan. Returns `None` if `schema` has keywords that only the validator supports.
    pub(in crate::schema) fn of(schema: &Value) -> Option<Self> {
        let mut compiler = Compiler {
            root: schema,
            dialect: Dialect::of(schema)?,
            demands: Vec::new(),
            referred: HashMap::from([("#".to_owned(), 0)]),
        };
        compiler.demands.push(Demand::default());
        compiler.fill(0, schema)?;
        Some(Self {
            demands: compiler.demands,
        })
    }
}

/// The JSON Schema dialect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// Does not validate formats.
    Draft202012,
    /// Validates formats and ignores siblings of `$ref`. A plan also checks the siblings, which is
    /// stricter and therefore safe.
    Draft7,
}

impl Dialect {
    /// Reads the dialect from `$schema`. Returns `None` if it is unsupported.
    fn of(schema: &Value) -> Option<Self> {
        let Some(named) = schema.get("$schema") else {
            return Some(Self::Draft202012);
        };
        let named = named.as_str()?;
        match named.strip_suffix('#').unwrap_or(named) {
            "https://json-schema.org/draft/2020-12/schema" => Some(Self::Draft202012),
            "http://json-schema.org/draft-07/schema" => Some(Self::Draft7),
            _ => None,
        }
    }
}

struct Compiler<'s> {
    root: &'s Value,
    dialect: Dialect,
    demands: Vec<Demand>,
    /// The demands of reference targets.
    referred: HashMap<String, usize>,
}

impl<'s> Compiler<'s> {
    /// Adds the demand of `schema` and returns its index.
    fn demand(&mut self, schema: &'s Value) -> Option<usize> {
        if let Some(reference) = lone_reference(schema) {
            return self.reference(reference);
        }
        let place = self.demands.len();
        self.demands.push(Demand::default());
        self.fill(place, schema)?;
        Some(place)
    }

    fn fill(&mut self, place: usize, schema: &'s Value) -> Option<()> {
        let mut demand = Demand::default();
        match schema {
            Value::Bool(true) => {}
            Value::Bool(false) => demand.kinds = Kinds::NONE,
            Value::Object(keywords) => {
                for (keyword, value) in keywords {
                    self.keyword(&mut demand, keyword, value, keywords)?;
                }
                if !keywords.contains_key("properties") && keywords.contains_key("required") {
                    return None;
                }
            }
            _ => return None,
        }
        demand.is_of_kind_only = demand.says_nothing_but_kinds();
        *self.demands.get_mut(place)? = demand;
        Some(())
    }

    fn keyword(
        &mut self,
        demand: &mut Demand,
        keyword: &str,
        value: &'s Value,
        siblings: &'s Map<String, Value>,
    ) -> Option<()> {
        match keyword {
            "type" => demand.kinds = demand.kinds.and(kinds(value)?),
            "const" => demand.allow(std::slice::from_ref(value))?,
            "enum" => demand.allow(value.as_array()?)?,
            "minimum" => demand.at_least = integer(value)?,
            "maximum" => demand.at_most = integer(value)?,
            "minLength" => demand.length.least = Some(size(value)?),
            "maxLength" => demand.length.most = Some(size(value)?),
            "minItems" => demand.count.least = Some(size(value)?),
            "maxItems" => demand.count.most = Some(size(value)?),
            "items" => demand.items = Some(self.demand(value)?),
            "properties" => self.members(demand, value.as_object()?, siblings.get("required"))?,
            "additionalProperties" => demand.is_closed = !value.as_bool()?,
            "allOf" => demand.all.extend(self.demands(value)?),
            "anyOf" => {
                let group = self.demands(value)?;
                demand.any.push(group);
            }
            "oneOf" => {
                let group = self.demands(value)?;
                demand.any.push(self.exclusive(group)?);
            }
            "$ref" => {
                let referred = self.reference(value.as_str()?)?;
                demand.all.push(referred);
            }
            "$schema" if std::ptr::eq(siblings, self.root.as_object()?) => {}
            "format" if self.dialect == Dialect::Draft7 => return None,
            _ if SILENT.contains(&keyword) => {}
            _ => return None,
        }
        Some(())
    }

    fn demands(&mut self, schemas: &'s Value) -> Option<Vec<usize>> {
        let schemas = schemas.as_array()?;
        schemas.iter().map(|schema| self.demand(schema)).collect()
    }

    fn members(
        &mut self,
        demand: &mut Demand,
        properties: &'s Map<String, Value>,
        required: Option<&'s Value>,
    ) -> Option<()> {
        if properties.len() > MOST_MEMBERS {
            return None;
        }
        let required = required.map_or(Some(HashSet::new()), |names| {
            names.as_array()?.iter().map(Value::as_str).collect()
        })?;
        for (name, schema) in properties {
            demand.members.push(Member {
                name: name.as_str().into(),
                quoted: QuotedKey::of(name),
                demand: self.demand(schema)?,
                is_required: required.contains(name.as_str()),
            });
        }
        // A required member without a schema could have any value.
        let is_known = |name: &&str| properties.contains_key(*name);
        demand.required = required.len();
        required.iter().all(is_known).then_some(())
    }

    /// Returns the group if no value can match two of its demands.
    fn exclusive(&self, group: Vec<usize>) -> Option<Vec<usize>> {
        let mut kinds = Kinds::NONE;
        let mut choices = HashSet::new();
        for place in &group {
            let demand = self.demands.get(*place)?;
            match &demand.choices {
                Some(texts) if demand.kinds == Kinds::TEXT => {
                    if !texts.iter().all(|text| choices.insert(text)) {
                        return None;
                    }
                }
                _ if kinds.has(demand.kinds) => return None,
                _ => kinds = kinds.or(demand.kinds),
            }
        }
        let is_apart = choices.is_empty() || !kinds.has(Kinds::TEXT);
        is_apart.then_some(group)
    }

    /// Returns the index of the demand that a local `reference` points to.
    fn reference(&mut self, reference: &str) -> Option<usize> {
        if let Some(place) = self.referred.get(reference) {
            return Some(*place);
        }
        let pointer = reference.strip_prefix('#')?;
        if !pointer.starts_with('/') || pointer.contains('%') {
            return None;
        }
        let root = self.root;
        let schema = root.pointer(pointer)?;
        let place = self.demands.len();
        self.demands.push(Demand::default());
        self.referred.insert(reference.to_owned(), place);
        self.fill(place, schema)?;
        Some(place)
    }
}

impl Demand {
    fn says_nothing_but_kinds(&self) -> bool {
        let has_bounds = (self.at_least, self.at_most) != (i128::MIN, i128::MAX)
            || !self.length.are_none()
            || !self.count.are_none();
        let looks_inside = self.items.is_some()
            || !self.members.is_empty()
            || self.required > 0
            || self.kinds.has(Kinds::OBJECT);
        self.choices.is_none() && !has_bounds && !looks_inside && self.is_alone()
    }

    /// Allows only these strings, and null if `values` contains it.
    fn allow(&mut self, values: &[Value]) -> Option<()> {
        if self.choices.is_some() {
            return None;
        }
        let mut kinds = Kinds::NONE;
        let mut choices = Vec::new();
        for value in values {
            match value {
                Value::Null => kinds = kinds.or(Kinds::NULL),
                Value::String(text) => {
                    kinds = kinds.or(Kinds::TEXT);
                    choices.push(text.as_str().into());
                }
                _ => return None,
            }
        }
        self.kinds = self.kinds.and(kinds);
        self.choices = Some(choices);
        Some(())
    }
}

/// Returns the reference if the schema has no other constraints.
fn lone_reference(schema: &Value) -> Option<&str> {
    let keywords = schema.as_object()?;
    let is_silent = |keyword: &String| keyword == "$ref" || SILENT.contains(&keyword.as_str());
    let is_lone = keywords.keys().all(is_silent) && !keywords.contains_key("required");
    is_lone.then(|| keywords.get("$ref")?.as_str()).flatten()
}

fn kinds(value: &Value) -> Option<Kinds> {
    let kind = |name: &Value| match name.as_str()? {
        "null" => Some(Kinds::NULL),
        "boolean" => Some(Kinds::BOOLEAN),
        "integer" => Some(Kinds::INTEGER),
        "number" => Some(Kinds::INTEGER.or(Kinds::FRACTION)),
        "string" => Some(Kinds::TEXT),
        "array" => Some(Kinds::ARRAY),
        "object" => Some(Kinds::OBJECT),
        _ => None,
    };
    match value {
        Value::Array(names) => names
            .iter()
            .try_fold(Kinds::NONE, |kinds, name| Some(kinds.or(kind(name)?))),
        name => kind(name),
    }
}

fn integer(value: &Value) -> Option<i128> {
    let signed = value.as_i64().map(i128::from);
    signed.or_else(|| value.as_u64().map(i128::from))
}

fn size(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}
