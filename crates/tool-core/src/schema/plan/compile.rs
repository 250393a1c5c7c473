//! Compiles a schema to a plan.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::{Constraints, Member, Plan, TypeSet};

/// Maximum number of members per object, because they are searched linearly.
const MAX_MEMBERS: usize = 64;

/// The dialect of plans, which most tools do not name. It does not validate formats.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Keywords that do not affect validity.
const SILENT: &str = "\
    $comment $defs default definitions deprecated description example examples format readOnly title \
    writeOnly required";

impl Plan {
    /// Compiles a plan. Returns `None` if `schema` has keywords that only the validator supports.
    pub(in crate::schema) fn of(schema: &Value) -> Option<Self> {
        let is_known = |dialect: &Value| dialect == DIALECT;
        if !schema.get("$schema").is_none_or(is_known) {
            return None;
        }
        let mut compiler = Compiler {
            root: schema,
            schemas: Vec::new(),
            referred: HashMap::from([("#".to_owned(), 0)]),
        };
        compiler.constraints(schema)?;
        let schemas: Option<Vec<_>> = compiler.schemas.into_iter().collect();
        Some(Self { schemas: schemas? })
    }
}

struct Compiler<'s> {
    root: &'s Value,
    /// `None` while the constraints are read.
    schemas: Vec<Option<Constraints>>,
    /// The demands of reference targets.
    referred: HashMap<String, usize>,
}

impl<'s> Compiler<'s> {
    /// Adds the demand of `schema` and returns its index.
    fn constraints(&mut self, schema: &'s Value) -> Option<usize> {
        if let Some(reference) = lone(schema, "$ref") {
            return self.reference(reference.as_str()?);
        }
        let place = self.schemas.len();
        self.schemas.push(None);
        self.fill(place, schema)?;
        Some(place)
    }

    fn fill(&mut self, place: usize, schema: &'s Value) -> Option<()> {
        let mut constraints = match lone(schema, "anyOf") {
            Some(branches) => self.nullable(branches)?,
            None => self.keywords(schema)?,
        };
        constraints.has_only_type = constraints.says_nothing_but_kinds();
        *self.schemas.get_mut(place)? = Some(constraints);
        Some(())
    }

    /// Returns the constraints of a choice between a value and null.
    fn nullable(&mut self, branches: &'s Value) -> Option<Constraints> {
        let is_null = |schema: &Value| *schema == json!({"type": "null"});
        let value = match branches.as_array()?.as_slice() {
            [value, null] | [null, value] if is_null(null) => value,
            _ => return None,
        };
        let place = self.constraints(value)?;
        let mut constraints = self.schemas.get(place)?.clone()?;
        constraints.types = constraints.types.or(TypeSet::NULL);
        Some(constraints)
    }

    fn keywords(&mut self, schema: &'s Value) -> Option<Constraints> {
        let mut constraints = Constraints::default();
        match schema {
            Value::Bool(true) => {}
            Value::Bool(false) => constraints.types = TypeSet::NONE,
            Value::Object(keywords) => {
                for (keyword, value) in keywords {
                    self.keyword(&mut constraints, keyword, value, keywords)?;
                }
                if !keywords.contains_key("properties") && keywords.contains_key("required") {
                    return None;
                }
            }
            _ => return None,
        }
        Some(constraints)
    }

    fn keyword(
        &mut self,
        constraints: &mut Constraints,
        keyword: &str,
        value: &'s Value,
        siblings: &'s Map<String, Value>,
    ) -> Option<()> {
        match keyword {
            "type" => constraints.types = constraints.types.and(types(value)?),
            "const" => constraints.allow(std::slice::from_ref(value))?,
            "enum" => constraints.allow(value.as_array()?)?,
            "minimum" => constraints.at_least = integer(value)?,
            "maximum" => constraints.at_most = integer(value)?,
            "minLength" => constraints.length.least = Some(size(value)?),
            "maxLength" => constraints.length.most = Some(size(value)?),
            "minItems" => constraints.count.least = Some(size(value)?),
            "maxItems" => constraints.count.most = Some(size(value)?),
            "items" => constraints.items = Some(self.constraints(value)?),
            "properties" => {
                self.members(constraints, value.as_object()?, siblings.get("required"))?;
            }
            "additionalProperties" => constraints.is_closed = !value.as_bool()?,
            "$schema" if std::ptr::eq(siblings, self.root.as_object()?) => {}
            // Any other keyword may constrain something, so that there is no plan.
            _ if is_silent(keyword) => {}
            _ => return None,
        }
        Some(())
    }

    fn members(
        &mut self,
        constraints: &mut Constraints,
        properties: &'s Map<String, Value>,
        required: Option<&'s Value>,
    ) -> Option<()> {
        // A bit per member tells duplicates apart while the text is read.
        if properties.len() > MAX_MEMBERS {
            return None;
        }
        let required = required.map_or(Some(HashSet::new()), |names| {
            names.as_array()?.iter().map(Value::as_str).collect()
        })?;
        for (name, schema) in properties {
            constraints.members.push(Member {
                name: name.as_str().into(),
                quoted: quoted(name),
                constraints: self.constraints(schema)?,
                is_required: required.contains(name.as_str()),
            });
        }
        // A required member without a schema could have any value.
        let is_known = |name: &&str| properties.contains_key(*name);
        constraints.required = required.len();
        required.iter().all(is_known).then_some(())
    }

    /// Returns the index of the demand that a local `reference` points to.
    fn reference(&mut self, reference: &str) -> Option<usize> {
        if let Some(place) = self.referred.get(reference) {
            return Some(*place);
        }
        let pointer = reference.strip_prefix('#')?;
        // Anchors and escapes are left to the validator.
        if !pointer.starts_with('/') || pointer.contains('%') {
            return None;
        }
        let root = self.root;
        let schema = root.pointer(pointer)?;
        let place = self.schemas.len();
        self.schemas.push(None);
        self.referred.insert(reference.to_owned(), place);
        self.fill(place, schema)?;
        Some(place)
    }
}

impl Constraints {
    fn says_nothing_but_kinds(&self) -> bool {
        let has_bounds = (self.at_least, self.at_most) != (i128::MIN, i128::MAX)
            || !self.length.are_none()
            || !self.count.are_none();
        let looks_inside = self.items.is_some()
            || !self.members.is_empty()
            || self.required > 0
            || self.types.has(TypeSet::OBJECT);
        self.choices.is_none() && !has_bounds && !looks_inside
    }

    /// Allows only these strings, and null if `values` contains it.
    fn allow(&mut self, values: &[Value]) -> Option<()> {
        if self.choices.is_some() {
            return None;
        }
        let mut types = TypeSet::NONE;
        let mut choices = Vec::new();
        for value in values {
            match value {
                Value::Null => types = types.or(TypeSet::NULL),
                Value::String(text) => {
                    types = types.or(TypeSet::STRING);
                    choices.push(text.as_str().into());
                }
                _ => return None,
            }
        }
        self.types = self.types.and(types);
        self.choices = Some(choices);
        Some(())
    }
}

fn is_silent(keyword: &str) -> bool {
    SILENT.split(' ').any(|silent| silent == keyword)
}

/// Returns the value of a keyword if the schema has no other constraints.
fn lone<'s>(schema: &'s Value, keyword: &str) -> Option<&'s Value> {
    let keywords = schema.as_object()?;
    let has_no_effect = |other: &String| other == keyword || is_silent(other);
    let is_lone = keywords.keys().all(has_no_effect) && !keywords.contains_key("required");
    is_lone.then(|| keywords.get(keyword)).flatten()
}

fn types(value: &Value) -> Option<TypeSet> {
    let kind = |name: &Value| match name.as_str()? {
        "null" => Some(TypeSet::NULL),
        "boolean" => Some(TypeSet::BOOLEAN),
        "integer" => Some(TypeSet::INTEGER),
        "number" => Some(TypeSet::INTEGER.or(TypeSet::FRACTION)),
        "string" => Some(TypeSet::STRING),
        "array" => Some(TypeSet::ARRAY),
        "object" => Some(TypeSet::OBJECT),
        _ => None,
    };
    match value {
        Value::Array(names) => names
            .iter()
            .try_fold(TypeSet::NONE, |types, name| Some(types.or(kind(name)?))),
        name => kind(name),
    }
}

/// Returns a key as JSON text writes it; `None` if it needs an escape, because JSON can write such a key in several ways.
fn quoted(name: &str) -> Option<Box<str>> {
    let text = Value::from(name).to_string();
    (text.len() == name.len() + 2).then(|| text.into())
}

fn integer(value: &Value) -> Option<i128> {
    let signed = value.as_i64().map(i128::from);
    signed.or_else(|| value.as_u64().map(i128::from))
}

fn size(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}
