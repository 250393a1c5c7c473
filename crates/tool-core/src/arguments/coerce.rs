//! Lossless conversion of values to the types in a schema.

use std::fmt;

use serde_json::{Map, Number, Value, json};
use tool_json::{Tape, parse};

use crate::schema::{resolve, type_name, types_of};
use crate::{ArgumentChange, ChangeKind};

/// Maximum number of changes per call; further values are not converted.
const MAX_CHANGES: usize = 1000;
const MAX_DEPTH: usize = 64;

/// Converts `value` to match `schema` and returns the changes. Ambiguous values are not converted;
/// a second validation reports them.
pub(super) fn coerce(value: &mut Value, schema: &Value) -> Vec<ArgumentChange> {
    let mut coercion = Coercion {
        root: schema,
        changes: Vec::new(),
    };
    coercion.at(value, schema, &Pointer::Root, MAX_DEPTH);
    coercion.changes
}

struct Coercion<'s> {
    root: &'s Value,
    changes: Vec<ArgumentChange>,
}

impl<'s> Coercion<'s> {
    fn at(&mut self, value: &mut Value, schema: &'s Value, pointer: &Pointer<'_>, depth: usize) {
        if depth == 0 || self.changes.len() >= MAX_CHANGES {
            return;
        }
        let schema = self.best_branch(value, resolve(schema, self.root));
        self.scalar(value, schema, pointer);
        match value {
            Value::Object(object) => self.members(object, schema, pointer, depth),
            Value::Array(items) => self.items(items, schema, pointer, depth),
            _ => {}
        }
        for part in list(schema, "allOf") {
            self.at(value, part, pointer, depth - 1);
        }
    }

    /// Returns the only branch of a choice that accepts the value's type, or else the only branch
    /// it can be converted for.
    fn best_branch(&self, value: &Value, schema: &'s Value) -> &'s Value {
        let branches: Vec<&Value> = list(schema, "anyOf")
            .chain(list(schema, "oneOf"))
            .map(|branch| resolve(branch, self.root))
            .collect();
        if branches.is_empty() {
            return schema;
        }
        let taken: Vec<_> = branches
            .iter()
            .filter(|branch| accepts(branch, value))
            .collect();
        match taken.as_slice() {
            [only] => only,
            [] => {
                let mut able = branches
                    .iter()
                    .filter(|branch| changed(value, branch, self.root).is_some());
                match (able.next(), able.next()) {
                    (Some(only), None) => only,
                    _ => schema,
                }
            }
            _ => schema,
        }
    }

    fn scalar(&mut self, value: &mut Value, schema: &Value, pointer: &Pointer<'_>) {
        if let Some((kind, to)) = changed(value, schema, self.root) {
            self.changes.push(ArgumentChange::new(
                pointer.to_string(),
                kind,
                shown(value),
                shown(&to),
            ));
            *value = to;
        }
    }

    fn members(
        &mut self,
        object: &mut Map<String, Value>,
        schema: &'s Value,
        pointer: &Pointer<'_>,
        depth: usize,
    ) {
        let properties = schema.get("properties").and_then(Value::as_object);
        self.drop_nulls(object, schema, pointer);
        for (name, member) in object {
            let known = properties.and_then(|properties| properties.get(name));
            if let Some(known) = known.or_else(|| schema.get("additionalProperties")) {
                self.at(member, known, &Pointer::Member(pointer, name), depth - 1);
            }
        }
    }

    fn drop_nulls(
        &mut self,
        object: &mut Map<String, Value>,
        schema: &'s Value,
        pointer: &Pointer<'_>,
    ) {
        if !object.values().any(Value::is_null) {
            return;
        }
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        let required: Vec<&str> = list(schema, "required").filter_map(Value::as_str).collect();
        let root = self.root;
        let changes = &mut self.changes;
        object.retain(|name, member| {
            let Some(known) = properties.get(name).filter(|_| member.is_null()) else {
                return true;
            };
            if required.contains(&name.as_str()) || takes_null(known, root) {
                return true;
            }
            let place = Pointer::Member(pointer, name).to_string();
            changes.push(ArgumentChange::new(
                place,
                ChangeKind::NullToAbsent,
                Value::Null,
                Value::Null,
            ));
            false
        });
    }

    fn items(
        &mut self,
        items: &mut [Value],
        schema: &'s Value,
        pointer: &Pointer<'_>,
        depth: usize,
    ) {
        let leading: Vec<&Value> = list(schema, "prefixItems").collect();
        for (index, item) in items.iter_mut().enumerate() {
            if let Some(known) = leading.get(index).copied().or_else(|| schema.get("items")) {
                self.at(item, known, &Pointer::Item(pointer, index), depth - 1);
            }
        }
    }
}

/// Converts `value` to the types in `schema`. Returns `None` if it matches, or if no conversion is
/// unambiguous.
fn changed(value: &Value, schema: &Value, root: &Value) -> Option<(ChangeKind, Value)> {
    let types = types_of(schema);
    if are_of(&types, value) {
        return None;
    }
    let wants = |name: &str| types.contains(&name);
    match value {
        Value::String(text) => {
            if (wants("integer") || wants("number"))
                && let Some(number) = number_of(text, wants("number"))
            {
                Some((ChangeKind::TextToNumber, number))
            } else if wants("boolean")
                && let Some(boolean) = boolean_of(text)
            {
                Some((ChangeKind::TextToBoolean, boolean))
            } else if (wants("object") || wants("array"))
                && let Some(parsed) = json_of(text, &types)
            {
                Some((ChangeKind::TextToJson, parsed))
            } else {
                item_of(value, &types, schema, root)
            }
        }
        Value::Number(_) | Value::Bool(_) if wants("string") => {
            Some((ChangeKind::ScalarToText, Value::String(value.to_string())))
        }
        Value::Null => None,
        _ => item_of(value, &types, schema, root),
    }
}

/// Wraps `value` in an array if it matches the type of the items.
fn item_of(
    value: &Value,
    types: &[&str],
    schema: &Value,
    root: &Value,
) -> Option<(ChangeKind, Value)> {
    if types != ["array"] || value.is_array() {
        return None;
    }
    let items = resolve(schema.get("items")?, root);
    let fits = accepts(items, value) || changed(value, items, root).is_some();
    fits.then(|| (ChangeKind::ItemToArray, json!([value])))
}

fn accepts(schema: &Value, value: &Value) -> bool {
    are_of(&types_of(schema), value)
}

/// Returns `true` if the types include the type of the value; an empty list includes all types.
fn are_of(types: &[&str], value: &Value) -> bool {
    let own = type_name(value);
    types.is_empty() || types.contains(&own) || (own == "integer" && types.contains(&"number"))
}

fn takes_null(schema: &Value, root: &Value) -> bool {
    let schema = resolve(schema, root);
    let mut branches = list(schema, "anyOf")
        .chain(list(schema, "oneOf"))
        .peekable();
    if branches.peek().is_some() {
        return branches.any(|branch| accepts(resolve(branch, root), &Value::Null));
    }
    accepts(schema, &Value::Null)
}

/// Returns the exact number in a decimal string; fractions only if `fractions` is set.
fn number_of(text: &str, fractions: bool) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(whole) || !plain(fraction) || (whole.len() > 1 && whole.starts_with('0')) {
        return None;
    }
    if fraction.bytes().all(|byte| byte == b'0') {
        let integer = text.split('.').next().unwrap_or_default();
        return integer
            .parse::<i64>()
            .map(Value::from)
            .or_else(|_| integer.parse::<u64>().map(Value::from))
            .ok();
    }
    // A double cannot represent more digits exactly.
    if !fractions || whole.len() + fraction.trim_end_matches('0').len() > 15 {
        return None;
    }
    Number::from_f64(text.parse().ok()?).map(Value::Number)
}

fn boolean_of(text: &str) -> Option<Value> {
    [("true", true), ("false", false)]
        .into_iter()
        .find(|(name, _)| text.eq_ignore_ascii_case(name))
        .map(|(_, value)| Value::Bool(value))
}

fn json_of(text: &str, types: &[&str]) -> Option<Value> {
    let value = parse(text).ok()?.to_value();
    types
        .contains(&type_name(&value))
        .then_some(value)
        .filter(|value| value.is_object() || value.is_array())
}

fn list<'s>(schema: &'s Value, keyword: &str) -> impl Iterator<Item = &'s Value> + use<'s> {
    schema
        .get(keyword)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Shortens a value for the list of changes: long values become the start of their JSON text.
fn shown(value: &Value) -> Value {
    let text = value.to_string();
    if text.len() <= 200 {
        value.clone()
    } else {
        crate::text::short(&text, 200).into()
    }
}

/// Returns `true` if [`coerce`](coerce) may change something. Avoids a copy of the
/// arguments.
pub(super) fn may_coerce(tape: &Tape<'_>, targets: TargetTypes) -> bool {
    tape.descendants().any(|node| {
        if let Some(text) = node.as_str() {
            return targets.arrays || may_be_other_type(text);
        }
        let is_scalar = node.as_bool().is_some() || node.as_f64().is_some();
        node.is_null()
            || (targets.texts && is_scalar)
            || (targets.arrays && (is_scalar || node.is_object()))
    })
}

/// Returns `true` if a string may be a number, a boolean, an array or an object.
fn may_be_other_type(text: &str) -> bool {
    text.contains(['{', '[']) || number_of(text, true).is_some() || boolean_of(text).is_some()
}

/// Types in a schema that other values may be converted to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TargetTypes {
    texts: bool,
    arrays: bool,
}

impl TargetTypes {
    pub(crate) fn by(schema: &Value) -> Self {
        let mut targets = Self::default();
        let mut open = vec![schema];
        while let Some(part) = open.pop() {
            match part {
                // A type name, or another string that equals one.
                Value::String(name) => {
                    targets.texts |= name == "string";
                    targets.arrays |= name == "array";
                }
                Value::Array(parts) => open.extend(parts),
                Value::Object(keywords) => {
                    for (keyword, part) in keywords {
                        if keyword == "enum" || keyword == "const" {
                            targets.constants(keyword, part);
                        }
                        open.push(part);
                    }
                }
                _ => {}
            }
        }
        targets
    }

    /// Constants imply types, too.
    fn constants(&mut self, keyword: &str, part: &Value) {
        let all = part.as_array().filter(|_| keyword == "enum");
        for constant in all.map_or(std::slice::from_ref(part), Vec::as_slice) {
            self.texts |= constant.is_string();
            self.arrays |= constant.is_array();
        }
    }
}

/// Position in the arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pointer<'p> {
    Root,
    Member(&'p Pointer<'p>, &'p str),
    Item(&'p Pointer<'p>, usize),
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(parent, name) => {
                write!(f, "{parent}/{}", name.replace('~', "~0").replace('/', "~1"))
            }
            Self::Item(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

#[cfg(test)]
mod laws;

#[cfg(test)]
mod tests;
