//! Keywords that a provider supports only with certain values: `const`, `enum`, `format`, `pattern` and bounds.

use serde_json::{Value, json};
use tool_json::text::type_name;

use super::Losses;
use super::describe::describe;
use super::merge::{as_list, one_or_list};
use super::modernize::wrap_with_null;
use crate::Object;

/// Converts `const` to an `enum` of one value.
pub(crate) fn const_to_enum(object: &mut Object) {
    if let Some(value) = object.shift_remove("const") {
        object.insert("enum".to_owned(), json!([value]));
    }
}

/// Moves a `const` or `enum` with a value that is not `allowed` to the description, with a loss.
///
/// A missing type is set to the types of the values.
pub(crate) fn describe_values(
    object: &mut Object,
    allowed: fn(&Value) -> bool,
    losses: &mut Losses,
) {
    for keyword in ["const", "enum"] {
        let values = values_of(object, keyword);
        if !values.iter().all(allowed) {
            // First, because only the values tell the type.
            type_of_values(object);
            describe(object, &[keyword], losses);
        }
    }
}

fn values_of(object: &Object, keyword: &str) -> Vec<Value> {
    match object.get(keyword) {
        Some(Value::Array(values)) if keyword == "enum" => values.clone(),
        Some(value) if keyword == "const" => vec![value.clone()],
        _ => Vec::new(),
    }
}

/// Adds a missing type to fixed values.
pub(crate) fn type_of_values(object: &mut Object) {
    if object.contains_key("type") {
        return;
    }
    let mut values = values_of(object, "const");
    values.extend(values_of(object, "enum"));
    let kinds = kinds_of(&values);
    object.extend(kinds.map(|kind| ("type".to_owned(), kind)));
}

/// Converts a null in `enum` to an alternative, for a provider that supports only strings and
/// numbers there.
pub(crate) fn null_value_to_branch(object: &mut Object) {
    let Some(Value::Array(values)) = object.get_mut("enum") else {
        return;
    };
    let before = values.len();
    values.retain(|value| !value.is_null());
    if values.len() == before {
        return;
    }
    let mut is_null_only = values.is_empty();
    if let Some(mut kinds) = object.get("type").map(as_list) {
        let allows_null = kinds.contains(&"null".into());
        if !allows_null && !is_null_only {
            return;
        }
        kinds.retain(|kind| kind != "null");
        // Without another type, the type allows none of the other values.
        is_null_only |= kinds.is_empty();
        object.insert("type".to_owned(), one_or_list(kinds));
    }
    if is_null_only {
        object.shift_remove("enum");
        object.insert("type".to_owned(), "null".into());
        return;
    }
    wrap_with_null(object);
}

fn kinds_of(values: &[Value]) -> Option<Value> {
    let mut kinds: Vec<Value> = Vec::new();
    for value in values {
        let kind = Value::from(type_name(value));
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    (!kinds.is_empty()).then(|| one_or_list(kinds))
}

/// Formats that OpenAI enforces.
pub(crate) const OPENAI_FORMATS: [&str; 9] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

/// Formats that Anthropic enforces.
pub(crate) const ANTHROPIC_FORMATS: [&str; 10] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
];

/// Moves a format that is not in `known` to the description.
pub(crate) fn describe_format(object: &mut Object, known: &[&str], losses: &mut Losses) {
    let is_known = |format: &Value| {
        format
            .as_str()
            .is_some_and(|format| known.contains(&format))
    };
    if object.get("format").is_some_and(|format| !is_known(format)) {
        describe(object, &["format"], losses);
    }
}

/// Moves a pattern with look-around or backreferences to the description.
pub(crate) fn describe_hard_pattern(object: &mut Object, losses: &mut Losses) {
    let pattern = object.get("pattern").and_then(Value::as_str);
    if pattern.is_some_and(is_hard) {
        describe(object, &["pattern"], losses);
    }
}

fn is_hard(pattern: &str) -> bool {
    let looks = ["(?=", "(?!", "(?<=", "(?<!", "(?P="];
    // An escaped backslash does not escape the next character.
    let escapes = pattern.replace("\\\\", "");
    let refers = escapes
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [b'\\', b'1'..=b'9' | b'k' | b'b' | b'B']));
    refers || looks.iter().any(|look| pattern.contains(look))
}

/// Converts exclusive bounds of an integer to inclusive ones, without loss.
pub(crate) fn include_bounds(object: &mut Object) {
    let whole = object.get("type").is_some_and(|kind| {
        as_list(kind)
            .iter()
            .all(|kind| kind == "integer" || kind == "null")
    });
    if !whole {
        return;
    }
    for (exclusive, inclusive, step) in [
        ("exclusiveMinimum", "minimum", 1),
        ("exclusiveMaximum", "maximum", -1),
    ] {
        let bound = object
            .get(exclusive)
            .and_then(Value::as_i64)
            .and_then(|bound| bound.checked_add(step));
        let Some(bound) = bound else { continue };
        let stricter_bound = match object.get(inclusive).map(Value::as_i64) {
            None => bound,
            // The narrower of two bounds implies the other.
            Some(Some(other)) if step > 0 => other.max(bound),
            Some(Some(other)) => other.min(bound),
            Some(None) => continue,
        };
        object.shift_remove(exclusive);
        object.insert(inclusive.to_owned(), stricter_bound.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::origin::{mark, unmark};

    #[test]
    fn moves_unsupported_values_to_description() {
        for (schema, expected, losses) in [
            (json!({"enum": ["a"]}), json!({"enum": ["a"]}), 0),
            (
                json!({"const": true}),
                json!({"type": "boolean", "description": "Always true."}),
                1,
            ),
            (
                json!({"enum": [1, 2]}),
                json!({"type": "integer", "description": "One of 1, 2."}),
                1,
            ),
        ] {
            let mut changed = mark(&schema);
            let mut recorded = Losses::new("f");

            describe_values(
                changed.as_object_mut().unwrap(),
                Value::is_string,
                &mut recorded,
            );

            assert_eq!(unmark(changed), expected);
            assert_eq!(recorded.distinct().len(), losses);
        }
    }

    #[test]
    fn converts_null_value_to_alternative() {
        let mut schema = mark(&json!({"type": ["string", "null"], "enum": ["a", null]}));

        null_value_to_branch(schema.as_object_mut().unwrap());

        assert_eq!(
            unmark(schema),
            json!({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]})
        );
    }

    #[test]
    fn drops_null_value_excluded_by_type() {
        let mut schema = json!({"type": "string", "enum": ["a", null]});

        null_value_to_branch(schema.as_object_mut().unwrap());

        assert_eq!(schema, json!({"type": "string", "enum": ["a"]}));
    }

    #[test]
    fn converts_only_null_value_to_type() {
        for schema in [
            json!({"enum": [null]}),
            json!({"type": "null", "enum": ["a", null]}),
            json!({"type": ["null"], "enum": ["a", null]}),
        ] {
            let mut alone = schema.clone();

            null_value_to_branch(alone.as_object_mut().unwrap());

            assert_eq!(alone, json!({"type": "null"}), "{schema}");
        }
    }

    #[test]
    fn converts_const_to_enum() {
        let mut schema = json!({"const": "a"});

        const_to_enum(schema.as_object_mut().unwrap());
        type_of_values(schema.as_object_mut().unwrap());

        assert_eq!(schema, json!({"type": "string", "enum": ["a"]}));
    }

    #[test]
    fn detects_unsupported_patterns() {
        for (pattern, hard) in [
            ("^[a-z]+$", false),
            ("\\d{3}", false),
            ("(?=a)b", true),
            ("(a)\\1", true),
            ("(?P<n>a)(?P=n)", true),
            ("\\\\b", false),
        ] {
            assert_eq!(is_hard(pattern), hard, "{pattern}");
        }
    }

    #[test]
    fn converts_exclusive_integer_bounds() {
        for (schema, expected) in [
            (
                json!({"type": "integer", "exclusiveMinimum": 0}),
                json!({"type": "integer", "minimum": 1}),
            ),
            (
                json!({"type": "integer", "minimum": 1, "exclusiveMinimum": 4, "maximum": 7, "exclusiveMaximum": 9}),
                json!({"type": "integer", "minimum": 5, "maximum": 7}),
            ),
            (
                json!({"type": "number", "exclusiveMinimum": 0}),
                json!({"type": "number", "exclusiveMinimum": 0}),
            ),
        ] {
            let mut included = schema;

            include_bounds(included.as_object_mut().unwrap());

            assert_eq!(included, expected);
        }
    }
}
