//! Compiles a schema to a plan.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{Constraints, Member, Plan, TypeSet};

/// Maximum number of members per object, because they are searched linearly.
const MAX_MEMBERS: usize = 64;

/// Keywords that do not affect validity. `format` is one only if the dialect does not validate
/// formats.
const SILENT: &str = "\
    $comment $defs default definitions deprecated description example examples format readOnly title \
    writeOnly required";

impl Plan {
    /// Compiles a plan. Returns `None` if `schema` has keywords that only the validator supports.
    pub(in crate::schema) fn of(schema: &Value) -> Option<Self> {
        let mut compiler = Compiler {
            root: schema,
            dialect: Dialect::of(schema)?,
            schemas: Vec::new(),
            referred: HashMap::from([("#".to_owned(), 0)]),
        };
        compiler.schemas.push(Constraints::default());
        compiler.fill(0, schema)?;
        Some(Self {
            schemas: compiler.schemas,
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
    schemas: Vec<Constraints>,
    /// The demands of reference targets.
    referred: HashMap<String, usize>,
}

impl<'s> Compiler<'s> {
    /// Adds the demand of `schema` and returns its index.
    fn constraints(&mut self, schema: &'s Value) -> Option<usize> {
        if let Some(reference) = lone_reference(schema) {
            return self.reference(reference);
        }
        let place = self.schemas.len();
        self.schemas.push(Constraints::default());
        self.fill(place, schema)?;
        Some(place)
    }

    fn fill(&mut self, place: usize, schema: &'s Value) -> Option<()> {
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
        constraints.has_only_type = constraints.says_nothing_but_kinds();
        *self.schemas.get_mut(place)? = constraints;
        Some(())
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
            "allOf" => constraints.all.extend(self.schemas(value)?),
            "anyOf" => {
                let group = self.schemas(value)?;
                constraints.any.push(group);
            }
            "oneOf" => {
                let group = self.schemas(value)?;
                // If no value can match two branches, `oneOf` means the same as `anyOf`.
                constraints.any.push(self.exclusive(group)?);
            }
            "$ref" => {
                let referred = self.reference(value.as_str()?)?;
                constraints.all.push(referred);
            }
            "$schema" if std::ptr::eq(siblings, self.root.as_object()?) => {}
            // The validator checks formats in this draft only.
            "format" if self.dialect == Dialect::Draft7 => return None,
            // Any other keyword may constrain something, so that there is no plan.
            _ if is_silent(keyword) => {}
            _ => return None,
        }
        Some(())
    }

    fn schemas(&mut self, schemas: &'s Value) -> Option<Vec<usize>> {
        let schemas = schemas.as_array()?;
        schemas
            .iter()
            .map(|schema| self.constraints(schema))
            .collect()
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

    /// Returns the group if no value can match two of its demands.
    fn exclusive(&self, group: Vec<usize>) -> Option<Vec<usize>> {
        let mut types = TypeSet::NONE;
        let mut choices = HashSet::new();
        for place in &group {
            let constraints = self.schemas.get(*place)?;
            match &constraints.choices {
                Some(texts) if constraints.types == TypeSet::STRING => {
                    if !texts.iter().all(|text| choices.insert(text)) {
                        return None;
                    }
                }
                _ if types.has(constraints.types) => return None,
                _ => types = types.or(constraints.types),
            }
        }
        let is_apart = choices.is_empty() || !types.has(TypeSet::STRING);
        is_apart.then_some(group)
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
        self.schemas.push(Constraints::default());
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
        self.choices.is_none() && !has_bounds && !looks_inside && self.is_alone()
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

/// Returns the reference if the schema has no other constraints.
fn lone_reference(schema: &Value) -> Option<&str> {
    let keywords = schema.as_object()?;
    let has_no_effect = |keyword: &String| keyword == "$ref" || is_silent(keyword);
    let is_lone = keywords.keys().all(has_no_effect) && !keywords.contains_key("required");
    is_lone.then(|| keywords.get("$ref")?.as_str()).flatten()
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
