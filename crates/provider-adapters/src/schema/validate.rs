//! Validation of schemas. Tools with invalid ones are rejected, like in the registry.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Value, json};
use tool_core::LossKind;

use super::Losses;
use super::origin::push_segment;
use super::walk::{Subschemas, outer_first, subschemas};

/// Returns the original schema, or one in which empty objects replace the empty arrays of PHP, with a loss.
///
/// # Errors
/// Returns the reason and location if the schema is valid neither in 2020-12 nor in draft 7.
pub(crate) fn validated<'s>(
    given: &'s Value,
    losses: &mut Losses,
) -> Result<Cow<'s, Value>, String> {
    // Providers reject the complete request because of one invalid schema, so only this tool is omitted.
    let Err(error) = check(given) else {
        return Ok(Cow::Borrowed(given));
    };
    let mut objects = given.clone();
    outer_first(&mut objects, &mut |object| {
        for (keyword, value) in object.iter_mut() {
            lists_to_objects(subschemas(keyword), value);
        }
    });
    if check(&objects).is_err() {
        return Err(error.into_reason());
    }
    let detail =
        "an empty object replaces each empty array that stands for a schema or a map of schemas";
    losses.add("", "input_schema", LossKind::Merged, detail);
    Ok(Cow::Owned(objects))
}

/// Checks a schema that is sent unchanged.
///
/// # Errors
/// Returns the reason and location if the schema is invalid.
pub(crate) fn ensure_valid(schema: &Value) -> Result<(), String> {
    check(schema).map_err(SchemaError::into_reason)
}

/// Replaces an empty array with an empty object, in the value of a keyword and in its members: PHP does not distinguish
/// them.
fn lists_to_objects(kind: Option<Subschemas>, value: &mut Value) {
    let empty = json!([]);
    match (kind, &mut *value) {
        (Some(Subschemas::One | Subschemas::Named), list) if *list == empty => *value = json!({}),
        (Some(Subschemas::Named), Value::Object(schemas)) => {
            let lists = schemas.values_mut().filter(|schema| **schema == empty);
            lists.for_each(|schema| *schema = json!({}));
        }
        _ => {}
    }
}

/// Maximum characters of a pointer in a reason.
const MAX_POINTER: usize = 200;

/// Error in a schema, with its location.
#[derive(Debug)]
struct SchemaError {
    /// Segments of the pointer, in reverse order.
    path: Vec<String>,
    message: &'static str,
}

type CheckResult = Result<(), SchemaError>;

impl SchemaError {
    fn new(message: &'static str) -> Self {
        Self {
            path: Vec::new(),
            message,
        }
    }

    fn inside(mut self, part: &str) -> Self {
        self.path.push(part.to_owned());
        self
    }

    /// Converts the error to the reason for rejecting the tool.
    fn into_reason(self) -> String {
        let mut pointer = String::new();
        for part in self.path.iter().rev() {
            push_segment(&mut pointer, part);
        }
        let location = match pointer.chars().count() {
            0 => "the root".to_owned(),
            1..=MAX_POINTER => format!("`{pointer}`"),
            _ => {
                let start: String = pointer.chars().take(MAX_POINTER).collect();
                format!("`{start}…`")
            }
        };
        format!(
            "the schema is not valid JSON Schema: {location} {}",
            self.message
        )
    }
}

/// Validates a schema of 2020-12 or draft 7. Returns the first error.
fn check(schema: &Value) -> CheckResult {
    match schema {
        Value::Bool(_) => Ok(()),
        Value::Object(object) => object
            .iter()
            .try_for_each(|(keyword, value)| check_keyword(keyword, value)),
        _ => Err(SchemaError::new(
            "is not a schema; use an object, `true` or `false`",
        )),
    }
}

fn check_keyword(keyword: &str, value: &Value) -> CheckResult {
    let checked = match keyword {
        "type" => check_type(value),
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            check_named(value, check)
        }
        "dependentRequired" => check_named(value, check_names),
        "dependencies" => check_named(value, check_dependency),
        "required" => check_names(value),
        "pattern" => check_pattern(value),
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => check_list(value),
        "items" if value.is_array() => check_list(value),
        "items"
        | "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => check(value),
        "enum" | "examples" => ensure(value.is_array(), "is not an array"),
        "minimum" | "maximum" => ensure(value.is_number(), "is not a number"),
        // Draft 4 has booleans here, which `modernize` converts.
        "exclusiveMinimum" | "exclusiveMaximum" => {
            ensure(value.is_number() || value.is_boolean(), "is not a number")
        }
        "multipleOf" => {
            let is_positive = value.as_f64().is_some_and(|number| number > 0.0);
            ensure(is_positive, "is not a number greater than 0")
        }
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minItems"
        | "minLength" | "minProperties" => ensure(is_count(value), "is not a non-negative integer"),
        "deprecated" | "nullable" | "readOnly" | "uniqueItems" | "writeOnly" => {
            ensure(value.is_boolean(), "is not a boolean")
        }
        "$anchor" | "$comment" | "$dynamicAnchor" | "$dynamicRef" | "$id" | "$ref" | "$schema"
        | "contentEncoding" | "contentMediaType" | "description" | "format" | "title" => {
            ensure(value.is_string(), "is not a string")
        }
        // JSON Schema treats unknown keywords as annotations (Core, 6.5).
        _ => Ok(()),
    };
    checked.map_err(|error| error.inside(keyword))
}

fn check_dependency(value: &Value) -> CheckResult {
    if value.is_array() {
        check_names(value)
    } else {
        check(value)
    }
}

fn ensure(fits: bool, message: &'static str) -> CheckResult {
    if fits {
        Ok(())
    } else {
        Err(SchemaError::new(message))
    }
}

fn check_list(value: &Value) -> CheckResult {
    match value.as_array() {
        Some(list) if !list.is_empty() => list.iter().enumerate().try_for_each(|(at, schema)| {
            check(schema).map_err(|error| error.inside(&at.to_string()))
        }),
        _ => Err(SchemaError::new("is not a non-empty array of schemas")),
    }
}

fn check_named(value: &Value, check_member: fn(&Value) -> CheckResult) -> CheckResult {
    let Value::Object(members) = value else {
        return Err(SchemaError::new("is not an object"));
    };
    members
        .iter()
        .try_for_each(|(name, member)| check_member(member).map_err(|error| error.inside(name)))
}

fn check_type(value: &Value) -> CheckResult {
    let is_known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    let is_type = match value {
        Value::Array(kinds) => !kinds.is_empty() && kinds.iter().all(is_known) && is_names(value),
        kind => is_known(kind),
    };
    let message = "is neither a JSON Schema type nor an array of unique types";
    ensure(is_type, message)
}

fn check_names(value: &Value) -> CheckResult {
    ensure(is_names(value), "is not an array of unique names")
}

fn check_pattern(value: &Value) -> CheckResult {
    let error = match value.as_str() {
        Some(pattern) => pattern_error(pattern),
        None => Some("is not a string"),
    };
    error.map_or(Ok(()), |message| Err(SchemaError::new(message)))
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
    // `2.0` is an integer in JSON Schema (Validation, 6.1.1).
    value.as_u64().is_some()
        || value
            .as_f64()
            .is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
}

const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// Returns the syntax error of a pattern, if it has one. Checks only brackets, groups and
/// repetitions, because all other syntax differs between dialects.
fn pattern_error(pattern: &str) -> Option<&'static str> {
    let mut characters = pattern.chars().peekable();
    let mut groups = 0_usize;
    let mut repeatable = false;
    while let Some(letter) = characters.next() {
        match letter {
            '\\' if characters.next().is_none() => return Some("ends with an unescaped backslash"),
            '[' if !skip_class(&mut characters) => return Some("has an unclosed `[`"),
            '(' => groups += 1,
            ')' if groups == 0 => return Some("has an unmatched `)`"),
            ')' => groups -= 1,
            '*' | '+' | '?' if !repeatable => return Some("has a repetition without an operand"),
            _ => {}
        }
        if letter == '(' && characters.peek() == Some(&'?') {
            // `(?` begins a special group, not a repetition.
            characters.next();
        }
        repeatable = !matches!(letter, '(' | '|');
    }
    (groups > 0).then_some("has an unclosed `(`")
}

/// Skips to the end of a character class. Returns `false` if the class is not closed.
fn skip_class(characters: &mut impl Iterator<Item = char>) -> bool {
    while let Some(letter) = characters.next() {
        match letter {
            ']' => return true,
            '\\' => {
                characters.next();
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests;
