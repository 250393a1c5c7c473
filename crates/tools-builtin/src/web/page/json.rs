//! JSON formatter.

use std::iter;

use serde::de::IgnoredAny;

/// Maximum size of the output in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Maximum nesting depth.
const MAX_DEPTH: usize = 128;

/// Returns the JSON with one member or item per line, or `None` if the text is invalid, nested more
/// than 128 levels deep, or too long.
///
/// Formats the text instead of a parsed value, which preserves member order, all digits and
/// duplicate members.
pub(super) fn indented(text: &str) -> Option<String> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let mut out = String::new();
    let mut depth = 0_usize;
    let (mut is_string, mut is_escaped) = (false, false);
    for character in text.chars() {
        if is_string {
            is_string = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
        } else if character.is_ascii_whitespace() {
            continue;
        } else {
            let closes = matches!(character, '}' | ']');
            depth = depth.saturating_sub(usize::from(closes));
            let is_first = out.ends_with(['{', '[']);
            // Empty objects and arrays stay on one line.
            let starts_line = if closes {
                !is_first
            } else {
                is_first || out.ends_with(',')
            };
            if starts_line {
                out.push('\n');
                out.extend(iter::repeat_n("  ", depth));
            }
            depth += usize::from(matches!(character, '{' | '['));
            is_string = character == '"';
        }
        out.push(character);
        if !is_string && character == ':' {
            out.push(' ');
        }
        if out.len() > MAX_BYTES || depth > MAX_DEPTH {
            return None;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn preserves_member_order_and_digits() {
        let text = r#" {"b":1.10,"a":[123456789012345678901234567890,{"c":"x\"},{ ","d":[]},{}],"b":null}"#;

        let indented = indented(text).unwrap();

        assert_eq!(
            indented,
            "{\n  \"b\": 1.10,\n  \"a\": [\n    123456789012345678901234567890,\n    {\n      \"c\": \"x\\\"},{ \",\n      \"d\": []\n    },\n    {}\n  ],\n  \"b\": null\n}"
        );
    }

    #[test]
    fn keeps_scalars_and_empty_containers_on_one_line() {
        for text in ["1", "\"a\"", "true", "[]", "{}"] {
            assert_eq!(indented(text).as_deref(), Some(text));
        }
        assert_eq!(indented("[ ]").as_deref(), Some("[]"));
    }

    #[test]
    fn rejects_invalid_deep_and_expanding_json() {
        assert_eq!(indented("{'a': 1}"), None);
        assert_eq!(indented("{\"a\": 1} {\"a\": 2}"), None);
        assert_eq!(indented(""), None);
        assert_eq!(indented(&"[".repeat(100_000)), None);
        assert_eq!(
            indented(&format!("{}{}", "[".repeat(200), "]".repeat(200))),
            None
        );
        let wide = format!(
            "{}{}1{}",
            "[".repeat(120),
            "1,".repeat(200_000),
            "]".repeat(120)
        );
        assert_eq!(indented(&wide), None);
    }

    fn any_json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(serde_json::Value::from),
            any::<i64>().prop_map(serde_json::Value::from),
            ".{0,8}".prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
                prop::collection::btree_map(".{0,4}", inner, 0..4)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn output_equals_serde_json_pretty(value in any_json()) {
            let pretty = serde_json::to_string_pretty(&value).unwrap();

            prop_assert_eq!(indented(&value.to_string()), Some(pretty));
        }
    }
}
