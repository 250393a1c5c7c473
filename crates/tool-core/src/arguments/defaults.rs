//! Defaults of a schema, filled into each call at any depth.
//!
//! Properties, items, map members and local references are followed, including recursive references. Branches of `anyOf` and
//! `oneOf` are not, because the matching branch is known only after validation. A default is added unchanged: members that it
//! lacks are not added to it.

use std::collections::HashSet;
use std::ptr;

use serde_json::{Value, json};
use tool_json::{Addition, ParseError, ParseErrorKind, Tape};

use super::Arguments;
use crate::schema::{Validator, resolve};
use crate::{JsonRef, ToolError, text};

/// Maximum number of values added to one call, equal to the maximum in JSON text.
const MAX_ADDED: usize = 1 << 20;
/// Maximum depth at which defaults are checked against their schemas.
const MAX_DEPTH: usize = 64;
/// Maximum number of references and single `allOf` parts followed from one schema.
const MAX_STEPS: usize = 16;
/// Keywords with subschemas that are followed.
const APPLICATORS: [&str; 4] = ["properties", "items", "prefixItems", "additionalProperties"];

/// A schema with defaults, all of which match it.
#[derive(Debug)]
pub(crate) struct Defaults(Value);

/// Default that its own schema rejects.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InvalidDefault {
    /// JSON pointer to the parameter.
    pub(crate) pointer: String,
    /// Reason for the rejection.
    pub(crate) reason: String,
}

impl Defaults {
    /// Returns the defaults of `schema`; `None` if it has none.
    ///
    /// A default that the schema rejects is omitted and reported, so that defaults never invalidate a call. A rejected
    /// null means "no default" and is omitted silently.
    pub(crate) fn of(schema: &Value, validator: &Validator) -> (Option<Self>, Vec<InvalidDefault>) {
        if !has_defaults(schema) {
            return (None, Vec::new());
        }
        let mut check = Check {
            root: schema,
            validator,
            seen: HashSet::new(),
            rejected: Vec::new(),
            invalid: Vec::new(),
        };
        check.visit(schema, &mut Vec::new());
        let valid = without(schema, &check.rejected);
        (Some(Self(valid)), check.invalid)
    }

    /// Returns the missing members of `tape`. Allocates only if members are missing.
    ///
    /// # Errors
    /// Returns an error if the call would exceed the maximum number of values.
    pub(crate) fn missing_members<'d>(
        &'d self,
        tape: &Tape<'_>,
    ) -> Result<Vec<Addition<'d>>, ToolError> {
        let mut filling = Filling {
            tape,
            root: &self.0,
            additions: Vec::new(),
            added: 0,
        };
        filling.at(tape.root(), &self.0).map_err(ParseError::from)?;
        Ok(filling.additions)
    }
}

impl<'a> Arguments<'a> {
    /// Adds missing members that have a default.
    ///
    /// # Errors
    /// Returns [`ErrorCode::ArgumentsTooLarge`](crate::ErrorCode::ArgumentsTooLarge) if the
    /// defaults would exceed the maximum number of values.
    #[inline]
    pub(crate) fn fill_defaults(&mut self, defaults: &'a Defaults) -> Result<(), ToolError> {
        let additions = defaults.missing_members(&self.tape)?;
        self.add(additions);
        Ok(())
    }
}

/// Returns `true` if `schema` contains a default, to skip most tools quickly.
fn has_defaults(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("default") || members.values().any(has_defaults)
        }
        Value::Array(items) => items.iter().any(has_defaults),
        _ => false,
    }
}

struct Filling<'f, 'd> {
    tape: &'f Tape<'f>,
    root: &'d Value,
    additions: Vec<Addition<'d>>,
    added: usize,
}

impl<'d> Filling<'_, 'd> {
    /// Fills `node`. The depth of the tape limits the recursion.
    fn at(&mut self, node: JsonRef<'_>, schema: &'d Value) -> Result<(), ParseErrorKind> {
        if node.is_object() {
            self.object(node, followed(schema, self.root))
        } else if node.items().next().is_some() {
            let (leading, others) = items_of(followed(schema, self.root));
            let mut items = node.items().enumerate();
            items.try_for_each(|(index, item)| match leading.get(index).or(others) {
                Some(inside) => self.at(item, inside),
                None => Ok(()),
            })
        } else {
            Ok(())
        }
    }

    fn object(&mut self, node: JsonRef<'_>, schema: &'d Value) -> Result<(), ParseErrorKind> {
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            if let Some(default) = default_of(property, self.root)
                && node.get(name).is_none()
            {
                self.add(node, name, default)?;
            }
        }
        let others = additional(schema);
        for (name, value) in node.members() {
            let property = properties.and_then(|properties| properties.get(name));
            if let Some(inside) = property.or(others) {
                self.at(value, inside)?;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        node: JsonRef<'_>,
        key: &'d str,
        value: &'d Value,
    ) -> Result<(), ParseErrorKind> {
        self.added += size(value);
        // Each of many short items may get a long default, so a small call could become gigabytes.
        if self.added > MAX_ADDED {
            return Err(ParseErrorKind::TooManyValues(MAX_ADDED));
        }
        self.additions.push(Addition {
            object: self.tape.position(node),
            key,
            value,
        });
        Ok(())
    }
}

/// Returns the number of values and keys in a value.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => {
            1 + members
                .values()
                .map(|member| 1 + size(member))
                .sum::<usize>()
        }
        _ => 1,
    }
}

/// Returns the default of a property: its own, which overrides that of the schema it refers to.
fn default_of<'s>(property: &'s Value, root: &'s Value) -> Option<&'s Value> {
    // A default next to a reference is about this property; the one of the shared type comes second.
    let own = property.get("default");
    own.or_else(|| followed(property, root).get("default"))
}

/// Returns the schema of additional properties, if they have one.
fn additional(schema: &Value) -> Option<&Value> {
    let others = schema.get("additionalProperties")?;
    // Which members are additional would depend on the patterns.
    schema.get("patternProperties").is_none().then_some(others)
}

/// Returns the schemas of the first items, and the schema of the others.
fn items_of(schema: &Value) -> (&[Value], Option<&Value>) {
    let prefix = schema.get("prefixItems").and_then(Value::as_array);
    match schema.get("items") {
        Some(Value::Array(leading)) => (leading, None),
        others => (prefix.map_or(&[], Vec::as_slice), others),
    }
}

/// Follows references and single `allOf` parts, which older generators emit.
fn followed<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let mut current = schema;
    for _ in 0..MAX_STEPS {
        let Some(next) = next_step(current, root) else {
            break;
        };
        current = next;
    }
    current
}

/// Returns the only schema to which this one leads.
fn next_step<'s>(schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    if schema.get("$ref").is_some() {
        let target = resolve(schema, root);
        return (!ptr::eq(target, schema)).then_some(target);
    }
    // With other keywords, the schema is more than a wrapper of its `allOf`.
    if APPLICATORS.iter().any(|word| schema.get(word).is_some()) {
        return None;
    }
    match schema.get("allOf")?.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// Copies a schema without these defaults.
fn without(schema: &Value, rejected: &[&Value]) -> Value {
    let is_kept = |value: &Value| !rejected.iter().any(|rejected| ptr::eq(*rejected, value));
    match schema {
        Value::Object(members) => members
            .iter()
            .filter(|(_, member)| is_kept(member))
            .map(|(name, member)| (name.clone(), without(member, rejected)))
            .collect(),
        Value::Array(items) => items.iter().map(|item| without(item, rejected)).collect(),
        other => other.clone(),
    }
}

/// Name of an additional member in a sample.
const OTHER: &str = "any other name";

/// Finds the defaults that their own schemas reject.
struct Check<'s> {
    root: &'s Value,
    validator: &'s Validator,
    /// Addresses of the visited schemas, because a schema may refer to itself.
    seen: HashSet<usize>,
    rejected: Vec<&'s Value>,
    invalid: Vec<InvalidDefault>,
}

/// Step from the arguments to a value in them.
enum Step {
    Member(String),
    Item(usize),
}

impl<'s> Check<'s> {
    /// Visits the schema of the value at `place`.
    fn visit(&mut self, schema: &'s Value, place: &mut Vec<Step>) {
        let schema = followed(schema, self.root);
        if place.len() > MAX_DEPTH || !self.seen.insert(ptr::from_ref(schema).addr()) {
            return;
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            place.push(Step::Member(name.clone()));
            if let Some(default) = default_of(property, self.root) {
                self.check(default, place);
            }
            self.visit(property, place);
            place.pop();
        }
        let (leading, others) = items_of(schema);
        for (index, item) in leading.iter().chain(others).enumerate() {
            place.push(Step::Item(index));
            self.visit(item, place);
            place.pop();
        }
        if let Some(others) = additional(schema) {
            place.push(Step::Member(OTHER.to_owned()));
            self.visit(others, place);
            place.pop();
        }
    }

    /// Validates arguments that contain only this default. Issues of other places do not count.
    fn check(&mut self, default: &'s Value, place: &[Step]) {
        // Validated inside a sample, because keywords further up may constrain it, too. The sample is invalid for other
        // reasons as well, such as members that it lacks.
        let (sample, pointer) = sample(default, place);
        let sample = Tape::from(&sample);
        let rejection = self.validator.rejection(sample.root(), &pointer, self.root);
        let Some(reason) = rejection else { return };
        // A call without the member would be invalid forever, so the default counts as absent.
        self.rejected.push(default);
        if !default.is_null() {
            self.invalid.push(InvalidDefault { pointer, reason });
        }
    }
}

/// Returns arguments with only `value`, at `place`, and its pointer.
fn sample(value: &Value, place: &[Step]) -> (Value, String) {
    let mut pointer = String::new();
    for step in place {
        pointer.push('/');
        pointer.push_str(&match step {
            Step::Member(name) => text::escaped(name),
            Step::Item(index) => index.to_string(),
        });
    }
    let steps = place.iter().rev();
    let sample = steps.fold(value.clone(), |inside, step| match step {
        Step::Member(name) => json!({ name: inside }),
        Step::Item(index) => {
            let mut items = vec![Value::Null; *index];
            items.push(inside);
            items.into()
        }
    });
    (sample, pointer)
}

#[cfg(test)]
mod tests;
