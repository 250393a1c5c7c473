//! Lossless conversion of values to the types in a schema.

use std::collections::HashMap;
use std::ptr;

use serde_json::{Map, Value, json};
use tool_json::{ParseLimits, RepairKind, Tape, parse, repair};

use super::{Arguments, State};
use crate::definition::{JSON, MEDIA_TYPE};
use crate::schema::{Choice, Validator, branches, is_empty, resolve, type_name, types_of};
use crate::{ArgumentChange, ChangeKind, text};

/// Maximum number of changes per call; further values are not converted.
const MAX_CHANGES: usize = 1000;
const MAX_DEPTH: usize = 64;

impl Arguments<'_> {
    /// Converts values to the types in `schema` without loss and adds the changes to `changes`.
    /// Does nothing if the result would exceed the nesting limit.
    pub(crate) fn coerce(&mut self, schema: &Value, changes: &mut Vec<ArgumentChange>) {
        let mut value = self.to_value();
        let coerced = coerce(&mut value, schema);
        if coerced.is_empty() {
            return;
        }
        let Ok(tape) = Tape::from_value(&value, &ParseLimits::default()) else {
            return;
        };
        self.tape = tape.into_owned();
        self.state = State::Modified;
        changes.extend(coerced);
    }
}

/// Converts `value` to match `schema` and returns the changes. Ambiguous values are not converted;
/// a second validation reports them.
pub(super) fn coerce(value: &mut Value, schema: &Value) -> Vec<ArgumentChange> {
    let mut coercion = Coercion {
        root: schema,
        validators: HashMap::new(),
        changes: Vec::new(),
    };
    coercion.at(value, schema, "", MAX_DEPTH);
    coercion.changes
}

struct Coercion<'s> {
    root: &'s Value,
    /// Compiled choices by their address in `root`; `None` if one cannot be compiled alone.
    validators: HashMap<*const Value, Option<Validator>>,
    changes: Vec<ArgumentChange>,
}

impl<'s> Coercion<'s> {
    fn at(&mut self, value: &mut Value, schema: &'s Value, pointer: &str, depth: usize) {
        // A schema may refer to itself, and the arguments may be hostile.
        if depth == 0 || self.changes.len() >= MAX_CHANGES {
            return;
        }
        let whole = resolve(schema, self.root);
        let choice = Choice::of(whole, self.root);
        if choice.is_some() && self.accepts(value, whole) {
            return;
        }
        if choice.is_some() && !self.is_allowed_text(value, whole) {
            self.convert(value, json_of_object(value), pointer);
        }
        let form = choice.as_ref().zip(value.as_object());
        let form = form.and_then(|(choice, object)| choice.selected(object));
        let schema = form.map_or_else(|| self.best_branch(value, whole), |form| form.schema);
        self.scalar(value, schema, pointer);
        if let (Value::Object(object), Some(choice), Some(form)) = (&mut *value, &choice, form) {
            // The members that all forms share.
            self.members(object, whole, pointer, depth);
            let shared = whole.get("properties");
            let is_unwanted = |name: &str, member: &Value| {
                let is_shared = shared.is_some_and(|all| all.get(name).is_some());
                is_empty(member) && !is_shared && choice.is_foreign(form, name)
            };
            self.drop_members(object, pointer, is_unwanted);
        }
        match value {
            Value::Object(object) => self.members(object, schema, pointer, depth),
            Value::Array(items) => self.items(items, schema, pointer, depth),
            _ => {}
        }
        for part in list(schema, "allOf") {
            self.at(value, part, pointer, depth - 1);
        }
    }

    /// Returns whether a choice accepts a value unchanged. A form that has most of its members would convert them, although
    /// another one accepts it.
    fn accepts(&mut self, value: &Value, choice: &'s Value) -> bool {
        let root = self.root;
        let compiled = || {
            let mut alone = Map::from_iter([("allOf".to_owned(), json!([choice]))]);
            for name in ["$defs", "definitions"] {
                if let Some(known) = root.get(name) {
                    alone.insert(name.to_owned(), known.clone());
                }
            }
            Validator::compile(&alone.into()).ok()
        };
        let validator = self.validators.entry(ptr::from_ref(choice));
        let validator = validator.or_insert_with(compiled).as_ref();
        validator.is_some_and(|validator| validator.accepts(value))
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
            // If several branches accept the value, none is chosen: the validator decides, and nothing is converted.
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

    fn scalar(&mut self, value: &mut Value, schema: &Value, pointer: &str) {
        let to = changed(value, schema, self.root);
        self.convert(value, to, pointer);
    }

    fn convert(&mut self, value: &mut Value, to: Option<(ChangeKind, Value)>, pointer: &str) {
        if let Some((kind, to)) = to {
            self.changes
                .push(ArgumentChange::new(pointer, kind, shown(value), shown(&to)));
            if let (ChangeKind::TextToJson, Some(Ok((_, repairs)))) =
                (kind, value.as_str().map(repair))
            {
                let repairs = repairs.into_iter().map(ArgumentChange::from);
                self.changes.extend(repairs.map(|change| ArgumentChange {
                    pointer: format!("{pointer}{}", change.pointer),
                    ..change
                }));
            }
            *value = to;
        }
    }

    fn members(
        &mut self,
        object: &mut Map<String, Value>,
        schema: &'s Value,
        pointer: &str,
        depth: usize,
    ) {
        let properties = schema.get("properties").and_then(Value::as_object);
        self.drop_nulls(object, schema, pointer);
        for (name, member) in object {
            let known = properties.and_then(|properties| properties.get(name));
            if let Some(known) = known.or_else(|| schema.get("additionalProperties")) {
                self.at(member, known, &member_of(pointer, name), depth - 1);
            }
        }
    }

    /// Drops nulls of optional members. Models write null for what they omit, which serde rejects for a member with a default.
    fn drop_nulls(&mut self, object: &mut Map<String, Value>, schema: &'s Value, pointer: &str) {
        let root = self.root;
        let is_unwanted = |name: &str, member: &Value| {
            let property = || schema.get("properties")?.get(name);
            member.is_null()
                && !list(schema, "required").any(|other| other == name)
                && property().is_some_and(|known| !takes_null(known, root))
        };
        self.drop_members(object, pointer, is_unwanted);
    }

    fn drop_members(
        &mut self,
        object: &mut Map<String, Value>,
        pointer: &str,
        is_unwanted: impl Fn(&str, &Value) -> bool,
    ) {
        object.retain(|name, member| {
            let is_kept = !is_unwanted(name, member);
            if !is_kept {
                self.changes.push(ArgumentChange::new(
                    member_of(pointer, name),
                    ChangeKind::NullToAbsent,
                    member.take(),
                    Value::Null,
                ));
            }
            is_kept
        });
    }

    /// Returns whether an alternative accepts a string, so that JSON in it stays text.
    fn is_allowed_text(&self, value: &Value, schema: &Value) -> bool {
        let mut branches = branches(schema).into_iter().flatten();
        branches.any(|branch| {
            let branch = resolve(branch, self.root);
            let values = branch.get("enum").and_then(Value::as_array);
            accepts(branch, value) && values.is_none_or(|values| values.contains(value))
        })
    }

    fn items(&mut self, items: &mut [Value], schema: &'s Value, pointer: &str, depth: usize) {
        let leading: Vec<&Value> = list(schema, "prefixItems").collect();
        for (index, item) in items.iter_mut().enumerate() {
            if let Some(known) = leading.get(index).copied().or_else(|| schema.get("items")) {
                self.at(item, known, &format!("{pointer}/{index}"), depth - 1);
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
        Value::Object(_) | Value::Array(_) if wants("string") && is_json_text(schema) => {
            Some((ChangeKind::JsonToText, format!("{value:#}\n").into()))
        }
        // Null means that nothing was given, not a list of nothing.
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
    // If the schema allows another type as well, the model may have meant the single value. A list that could not be
    // read must not become one item.
    if types != ["array"] || value.is_array() || value.as_str().is_some_and(is_like_list) {
        return None;
    }
    let items = resolve(schema.get("items")?, root);
    let fits = accepts(items, value) || changed(value, items, root).is_some();
    fits.then(|| (ChangeKind::ItemToArray, json!([value])))
}

/// Returns whether a string may be passed as the JSON that it contains.
fn is_json_text(schema: &Value) -> bool {
    schema.get(MEDIA_TYPE).is_some_and(|kind| kind == JSON)
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
    let is_decimal = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    // The parser rejects a leading zero, which is a hint at an identifier, such as a postal code.
    let number = parse(text).ok().filter(|_| text.bytes().all(is_decimal))?;
    let number = number.to_value();
    // A double cannot represent more than 15 digits exactly.
    let digits = text.trim_matches(['-', '0']).len().saturating_sub(1);
    (!number.is_f64() || (fractions && digits <= 15)).then_some(number)
}

fn boolean_of(text: &str) -> Option<Value> {
    [("true", true), ("false", false)]
        .into_iter()
        .find(|(name, _)| text.eq_ignore_ascii_case(name))
        .map(|(_, value)| Value::Bool(value))
}

/// Returns the object in a string.
fn json_of_object(value: &Value) -> Option<(ChangeKind, Value)> {
    let parsed = json_of(value.as_str()?, &["object"])?;
    Some((ChangeKind::TextToJson, parsed))
}

/// Returns the object or array in a string, which is repaired if it can mean only one thing.
fn json_of(text: &str, types: &[&str]) -> Option<Value> {
    let (tape, repairs) = repair(text).ok()?;
    // A string with JSON in it is not the JSON.
    let is_all = !repairs
        .iter()
        .any(|repair| repair.kind == RepairKind::SurroundingText);
    let value = tape.to_value();
    let is_wanted = types.contains(&type_name(&value)) && (value.is_object() || value.is_array());
    (is_all && is_wanted).then_some(value)
}

/// Returns `true` for a string that begins like an array, a code fence, or a list in Markdown or YAML.
fn is_like_list(text: &str) -> bool {
    let text = text.trim();
    let is_entry = |line: &str| {
        ["- ", "* "]
            .iter()
            .any(|mark| line.trim_start().starts_with(mark))
    };
    text.starts_with('[')
        || text.starts_with("```")
        || text.contains('\n') && text.lines().all(is_entry)
}

/// Returns the pointer to a member.
fn member_of(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", text::escaped(name))
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
        text::short(&text, 200).into()
    }
}

#[cfg(test)]
mod laws;

#[cfg(test)]
mod tests;
