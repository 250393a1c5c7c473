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
    // JSON Schema treats unknown keywords as annotations (Core, 6.5).
    let Some(kind) = value_kind(keyword) else {
        return Ok(());
    };
    let checked = match kind {
        ValueKind::Schema => check(value),
        ValueKind::SchemaOrList if !value.is_array() => check(value),
        ValueKind::Schemas | ValueKind::SchemaOrList => check_list(value),
        ValueKind::SchemasByName
        | ValueKind::SchemasByPattern
        | ValueKind::NamesByName
        | ValueKind::Dependencies => check_named(kind, value),
        _ => check_value(kind, value),
    };
    checked.map_err(|error| error.inside(keyword))
}

fn check_list(value: &Value) -> CheckResult {
    match value.as_array() {
        Some(list) if !list.is_empty() => list.iter().enumerate().try_for_each(|(at, schema)| {
            check(schema).map_err(|error| error.inside(&at.to_string()))
        }),
        _ => Err(SchemaError::new("is not a non-empty array of schemas")),
    }
}

fn check_named(kind: ValueKind, value: &Value) -> CheckResult {
    let Value::Object(members) = value else {
        return Err(SchemaError::new("is not an object"));
    };
    members.iter().try_for_each(|(name, member)| {
        let checked = match kind {
            ValueKind::NamesByName => check_value(ValueKind::Names, member),
            ValueKind::Dependencies if member.is_array() => check_value(ValueKind::Names, member),
            ValueKind::SchemasByPattern => match pattern_error(name) {
                Some(message) => Err(SchemaError::new(message)),
                None => check(member),
            },
            _ => check(member),
        };
        checked.map_err(|error| error.inside(name))
    })
}

fn check_value(kind: ValueKind, value: &Value) -> CheckResult {
    value_error(kind, value).map_or(Ok(()), |message| Err(SchemaError::new(message)))
}

/// Returns the error of a value that contains no schemas, if it has one.
fn value_error(kind: ValueKind, value: &Value) -> Option<&'static str> {
    let (fits, message) = match kind {
        ValueKind::Type => (
            is_type(value),
            "is neither a JSON Schema type nor an array of unique types",
        ),
        ValueKind::Names => (is_names(value), "is not an array of unique names"),
        ValueKind::String => (value.is_string(), "is not a string"),
        ValueKind::Pattern => match value.as_str() {
            Some(pattern) => return pattern_error(pattern),
            None => (false, "is not a string"),
        },
        ValueKind::Number => (value.is_number(), "is not a number"),
        ValueKind::Positive => (
            value.as_f64().is_some_and(|number| number > 0.0),
            "is not a number greater than 0",
        ),
        // Draft 4 has booleans here, which `modernize` converts.
        ValueKind::Bound => (value.is_number() || value.is_boolean(), "is not a number"),
        ValueKind::Count => (is_count(value), "is not a non-negative integer"),
        ValueKind::Boolean => (value.is_boolean(), "is not a boolean"),
        ValueKind::List => (value.is_array(), "is not an array"),
        _ => (true, ""),
    };
    (!fits).then_some(message)
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
    // `2.0` is an integer in JSON Schema (Validation, 6.1.1).
    value.as_u64().is_some()
        || value
            .as_f64()
            .is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
}

/// Value type of a keyword, in 2020-12 or draft 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Schema,
    /// One or more schemas.
    Schemas,
    /// One schema, or a list of schemas as in draft 7.
    SchemaOrList,
    /// Schemas by name.
    SchemasByName,
    /// Schemas by name pattern.
    SchemasByPattern,
    /// One type or several unique types.
    Type,
    /// Unique names.
    Names,
    /// Lists of unique names by name.
    NamesByName,
    /// Lists of names or schemas by name.
    Dependencies,
    String,
    Pattern,
    Number,
    Positive,
    Count,
    /// A number, or a boolean as in draft 4.
    Bound,
    Boolean,
    List,
}

/// Returns the value type of `keyword`, or `None` for an unknown keyword, which may have any value.
fn value_kind(keyword: &str) -> Option<ValueKind> {
    let value_kind = match keyword {
        "type" => ValueKind::Type,
        "properties" | "$defs" | "definitions" | "dependentSchemas" => ValueKind::SchemasByName,
        "patternProperties" => ValueKind::SchemasByPattern,
        "required" => ValueKind::Names,
        "items" => ValueKind::SchemaOrList,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => ValueKind::Schemas,
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => ValueKind::Schema,
        "enum" | "examples" => ValueKind::List,
        "pattern" => ValueKind::Pattern,
        "minimum" | "maximum" => ValueKind::Number,
        "exclusiveMinimum" | "exclusiveMaximum" => ValueKind::Bound,
        "multipleOf" => ValueKind::Positive,
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minItems"
        | "minLength" | "minProperties" => ValueKind::Count,
        "deprecated" | "nullable" | "readOnly" | "uniqueItems" | "writeOnly" => ValueKind::Boolean,
        "dependentRequired" => ValueKind::NamesByName,
        "dependencies" => ValueKind::Dependencies,
        "$anchor" | "$comment" | "$dynamicAnchor" | "$dynamicRef" | "$id" | "$ref" | "$schema"
        | "contentEncoding" | "contentMediaType" | "description" | "format" | "title" => {
            ValueKind::String
        }
        _ => return None,
    };
    Some(value_kind)
}

/// Names of the JSON Schema types.
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
