//! Whether a schema is one.

use std::collections::HashSet;

use serde_json::Value;

use super::keywords::{TYPES, Wants, wants};
use super::regular::pattern_fault;
use crate::schema::place::step;

/// The most characters of a pointer in a sentence.
const MAX_POINTER: usize = 200;

/// What is wrong with a schema, and where.
#[derive(Debug)]
pub(super) struct Fault {
    /// The parts of the pointer, the last one first.
    path: Vec<String>,
    words: &'static str,
}

type Checked = Result<(), Fault>;

impl Fault {
    fn new(words: &'static str) -> Self {
        Self {
            path: Vec::new(),
            words,
        }
    }

    fn under(mut self, part: &str) -> Self {
        self.path.push(part.to_owned());
        self
    }

    /// The fault as the reason why a tool is refused.
    pub(super) fn into_reason(self) -> String {
        let mut pointer = String::new();
        for part in self.path.iter().rev() {
            step(&mut pointer, part);
        }
        let place = match pointer.chars().count() {
            0 => "its root".to_owned(),
            1..=MAX_POINTER => format!("`{pointer}`"),
            _ => {
                let start: String = pointer.chars().take(MAX_POINTER).collect();
                format!("`{start}…`")
            }
        };
        format!("its schema is no JSON Schema: {place} {}", self.words)
    }
}

/// Whether this is a schema of 2020-12 or draft 7; the first fault says why not.
pub(super) fn check(schema: &Value) -> Checked {
    match schema {
        Value::Bool(_) => Ok(()),
        Value::Object(object) => object
            .iter()
            .try_for_each(|(keyword, value)| check_keyword(keyword, value)),
        _ => Err(Fault::new(
            "is no schema; a schema is an object, or true or false",
        )),
    }
}

fn check_keyword(keyword: &str, value: &Value) -> Checked {
    let Some(wanted) = wants(keyword) else {
        return Ok(());
    };
    let checked = match wanted {
        Wants::Schema => check(value),
        Wants::SchemaOrList if !value.is_array() => check(value),
        Wants::Schemas | Wants::SchemaOrList => check_list(value),
        Wants::Named | Wants::ByPattern | Wants::NamesByName | Wants::Dependencies => {
            check_named(wanted, value)
        }
        _ => fault_of(wanted, value).map_or(Ok(()), |words| Err(Fault::new(words))),
    };
    checked.map_err(|fault| fault.under(keyword))
}

fn check_list(value: &Value) -> Checked {
    match value.as_array() {
        Some(list) if !list.is_empty() => list.iter().enumerate().try_for_each(|(at, schema)| {
            check(schema).map_err(|fault| fault.under(&at.to_string()))
        }),
        _ => Err(Fault::new("is no list of one or more schemas")),
    }
}

fn check_named(wanted: Wants, value: &Value) -> Checked {
    let Value::Object(members) = value else {
        return Err(Fault::new("is no object"));
    };
    members.iter().try_for_each(|(name, member)| {
        let checked = match wanted {
            Wants::NamesByName => check_names(member),
            Wants::Dependencies if member.is_array() => check_names(member),
            Wants::ByPattern => match pattern_fault(name) {
                Some(words) => Err(Fault::new(words)),
                None => check(member),
            },
            _ => check(member),
        };
        checked.map_err(|fault| fault.under(name))
    })
}

fn check_names(value: &Value) -> Checked {
    fault_of(Wants::Names, value).map_or(Ok(()), |words| Err(Fault::new(words)))
}

/// What is wrong with a value that holds no schemas.
pub(super) fn fault_of(wanted: Wants, value: &Value) -> Option<&'static str> {
    let (fits, words) = match wanted {
        Wants::Type => (
            is_type(value),
            "is neither a type of JSON Schema nor a list of different ones",
        ),
        Wants::Names => (is_names(value), "is no list of different names"),
        Wants::Text | Wants::Note => (value.is_string(), "is no text"),
        Wants::Pattern => match value.as_str() {
            Some(pattern) => return pattern_fault(pattern),
            None => (false, "is no text"),
        },
        Wants::Number => (value.is_number(), "is no number"),
        Wants::Positive => (
            value.as_f64().is_some_and(|number| number > 0.0),
            "is no number above 0",
        ),
        Wants::Bound => (value.is_number() || value.is_boolean(), "is no number"),
        Wants::Count => (is_count(value), "is no whole number from 0 up"),
        Wants::Flag | Wants::Mark => (value.is_boolean(), "is neither true nor false"),
        Wants::List | Wants::Samples => (value.is_array(), "is no list"),
        _ => (true, ""),
    };
    (!fits).then_some(words)
}

fn is_type(value: &Value) -> bool {
    let is_known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    match value {
        Value::Array(kinds) => {
            !kinds.is_empty()
                && kinds.len() <= TYPES.len()
                && kinds.iter().all(is_known)
                && is_names(value)
        }
        kind => is_known(kind),
    }
}

fn is_names(value: &Value) -> bool {
    let Some(names) = value.as_array() else {
        return false;
    };
    let mut seen = HashSet::with_capacity(names.len());
    names
        .iter()
        .all(|name| name.as_str().is_some_and(|name| seen.insert(name)))
}

fn is_count(value: &Value) -> bool {
    value.as_u64().is_some()
        || value
            .as_f64()
            .is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
}

/// Whether the keyword only tells people something.
pub(super) fn is_for_people(wanted: Wants) -> bool {
    matches!(wanted, Wants::Note | Wants::Mark | Wants::Samples)
}
