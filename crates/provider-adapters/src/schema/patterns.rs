//! Keywords that a provider supports only with certain values.

use serde_json::Value;

use super::Losses;
use super::describe::describe;
use super::merge::as_list;
use crate::Object;

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
