//! Validation of schemas.

use std::collections::HashSet;

use serde_json::Value;

use super::keywords::{TYPES, Wants, wants};
use super::regular::pattern_fault;
use crate::schema::place::step;

/// Maximum characters of a pointer in a reason.
const MAX_POINTER: usize = 200;

/// Error in a schema, with its location.
#[derive(Debug)]
pub(super) struct Fault {
    /// Segments of the pointer, in reverse order.
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

    /// Converts the fault to the reason for rejecting the tool.
    pub(super) fn into_reason(self) -> String {
        let mut pointer = String::new();
        for part in self.path.iter().rev() {
            step(&mut pointer, part);
        }
        let place = match pointer.chars().count() {
            0 => "the root".to_owned(),
            1..=MAX_POINTER => format!("`{pointer}`"),
            _ => {
                let start: String = pointer.chars().take(MAX_POINTER).collect();
                format!("`{start}…`")
            }
        };
        format!(
            "the schema is not valid JSON Schema: {place} {}",
            self.words
        )
    }
}

/// Validates a schema of 2020-12 or draft 7. Returns the first fault.
pub(super) fn check(schema: &Value) -> Checked {
    match schema {
        Value::Bool(_) => Ok(()),
        Value::Object(object) => object
            .iter()
            .try_for_each(|(keyword, value)| check_keyword(keyword, value)),
        _ => Err(Fault::new(
            "is not a schema; use an object, `true` or `false`",
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
        _ => Err(Fault::new("is not a non-empty array of schemas")),
    }
}

fn check_named(wanted: Wants, value: &Value) -> Checked {
    let Value::Object(members) = value else {
        return Err(Fault::new("is not an object"));
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

/// Returns the fault of a value that contains no schemas, if it has one.
pub(super) fn fault_of(wanted: Wants, value: &Value) -> Option<&'static str> {
    let (fits, words) = match wanted {
        Wants::Type => (
            is_type(value),
            "is neither a JSON Schema type nor an array of unique types",
        ),
        Wants::Names => (is_names(value), "is not an array of unique names"),
        Wants::Text | Wants::Note => (value.is_string(), "is not a string"),
        Wants::Pattern => match value.as_str() {
            Some(pattern) => return pattern_fault(pattern),
            None => (false, "is not a string"),
        },
        Wants::Number => (value.is_number(), "is not a number"),
        Wants::Positive => (
            value.as_f64().is_some_and(|number| number > 0.0),
            "is not a number greater than 0",
        ),
        Wants::Bound => (value.is_number() || value.is_boolean(), "is not a number"),
        Wants::Count => (is_count(value), "is not a non-negative integer"),
        Wants::Flag | Wants::Mark => (value.is_boolean(), "is not a boolean"),
        Wants::List | Wants::Samples => (value.is_array(), "is not an array"),
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

/// Returns `true` if the keyword is an annotation.
pub(super) fn is_for_people(wanted: Wants) -> bool {
    matches!(wanted, Wants::Note | Wants::Mark | Wants::Samples)
}
