//! Foreign text: removing what people do not see, and digests of what they have reviewed.

use serde_json::Value;
use sha2::{Digest, Sha256};
use tool_json::text::VisibleFilter;

/// Maximum length of the description of a parameter in characters.
const MAX_PARAMETER: usize = 512;

/// Marker at the end of truncated text.
const CUT: char = '…';

/// Returns the SHA-256 of a string in hexadecimal digits.
pub(crate) fn digest(text: &str) -> String {
    tool_json::text::hexadecimal(&Sha256::digest(text))
}

/// Text without hidden characters.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Cleaned {
    pub(crate) text: String,
    /// Number of removed characters.
    pub(crate) hidden: usize,
    /// Number of characters after the limit.
    pub(crate) cut: usize,
}

/// Removes hidden characters, and characters after the first `limit`.
pub(crate) fn clean(text: &str, limit: usize) -> Cleaned {
    let mut cleaned = Cleaned {
        text: String::with_capacity(text.len().min(limit)),
        ..Cleaned::default()
    };
    let mut kept = 0;
    let mut filter = VisibleFilter::default();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character == '\u{1b}' {
            let sequence = escape_sequence(rest.as_str());
            cleaned.hidden += 1 + sequence;
            // Sequences consist of ASCII characters.
            rest = rest.as_str().get(sequence..).unwrap_or_default().chars();
        } else if !filter.keeps(character) {
            cleaned.hidden += 1;
        // Count the rest instead of stopping, so that the report can say how much was truncated.
        } else if kept == limit {
            cleaned.cut += 1;
        } else {
            cleaned.text.push(character);
            kept += 1;
        }
    }
    if cleaned.cut > 0 && cleaned.text.pop().is_some() {
        cleaned.text.push(CUT);
    }
    cleaned
}

/// Returns `true` if `text` has no hidden characters.
pub(crate) fn is_clean(text: &str) -> bool {
    let mut filter = VisibleFilter::default();
    text.chars().all(|character| filter.keeps(character))
}

/// Returns the length of a control sequence of a terminal after its escape character.
fn escape_sequence(text: &str) -> usize {
    let Some(sequence) = text.strip_prefix('[') else {
        return 0;
    };
    let end = sequence.find(|next| !matches!(next, ' '..='?'));
    let end = end.unwrap_or(sequence.len());
    let is_ended = sequence
        .get(end..)
        .is_some_and(|end| end.starts_with(|next| matches!(next, '@'..='~')));
    1 + end + usize::from(is_ended)
}

/// Cleans the descriptions of a schema. Returns the number of changed descriptions.
///
/// # Errors
/// Returns the location of a name or value with hidden characters: without them, calls with this
/// name or value would be rejected by the server.
pub(crate) fn clean_schema(schema: &mut Value) -> Result<usize, String> {
    let mut changed = 0;
    walk(schema, "", &mut changed)?;
    Ok(changed)
}

fn walk(schema: &mut Value, path: &str, changed: &mut usize) -> Result<(), String> {
    match schema {
        Value::Object(members) => members.iter_mut().try_for_each(|(name, member)| {
            if !is_clean(name) {
                return Err(path.to_owned());
            }
            match (name.as_str(), member) {
                ("description" | "title" | "$comment", Value::String(text)) => {
                    let cleaned = clean(text, MAX_PARAMETER);
                    *changed += usize::from(cleaned.hidden + cleaned.cut > 0);
                    *text = cleaned.text;
                    Ok(())
                }
                (name, member) => walk(member, &format!("{path}/{name}"), changed),
            }
        }),
        Value::Array(items) => items
            .iter_mut()
            .try_for_each(|item| walk(item, path, changed)),
        Value::String(text) if !is_clean(text) => Err(path.to_owned()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn removes_hidden_characters() {
        for (text, cleaned, hidden) in [
            ("plain text\n\tline", "plain text\n\tline", 0),
            ("zero\u{200b}width\u{200d}\u{2060}", "zerowidth", 3),
            (
                "می\u{200c}خواهم 👨\u{200d}👩",
                "می\u{200c}خواهم 👨\u{200d}👩",
                0,
            ),
            ("\u{202e}desrever\u{202c}", "desrever", 2),
            ("\u{2066}isolated\u{2069}", "isolated", 2),
            ("tag\u{e0001}\u{e0041}\u{e007f}", "tag", 3),
            ("\u{feff}mark", "mark", 1),
            ("soft\u{ad}hyphen", "softhyphen", 1),
            ("red \u{1b}[31mtext\u{1b}[0m", "red text", 9),
            ("escape\u{1b}", "escape", 1),
            ("\u{1b}[2J\u{1b}[1;1Hx", "x", 10),
            ("bell\u{7}nul\u{0}", "bellnul", 2),
            ("windows\r\nline", "windows\nline", 1),
            ("carriage\rreturn", "carriagereturn", 1),
            ("heart ❤\u{fe0f} stays", "heart ❤\u{fe0f} stays", 0),
            ("run\u{fe01}\u{fe02}\u{fe03}", "run", 3),
            ("run\u{e0100}\u{e0101}", "run", 2),
            ("filler\u{3164}\u{115f}", "filler", 2),
            ("line\u{2028}separator", "lineseparator", 1),
            ("\u{85}next line", "next line", 1),
            ("grüße 日本語 🎉", "grüße 日本語 🎉", 0),
        ] {
            let expected = Cleaned {
                text: cleaned.to_owned(),
                hidden,
                cut: 0,
            };
            assert_eq!(clean(text, 100), expected, "{text:?}");
            assert_eq!(is_clean(text), hidden == 0, "{text:?}");
        }
    }

    #[test]
    fn marks_truncated_text() {
        let cleaned = clean("abcdef", 4);

        assert_eq!(
            cleaned,
            Cleaned {
                text: "abc…".into(),
                hidden: 0,
                cut: 2
            }
        );
    }

    #[test]
    fn cleans_descriptions_of_schema() {
        let mut schema = json!({"properties": {
            "description": {"type": "string", "description": "a\u{200b}b"},
            "long": {"description": "x".repeat(600)},
        }});

        assert_eq!(clean_schema(&mut schema), Ok(2));
        assert_eq!(schema["properties"]["description"]["description"], "ab");
        assert_eq!(
            schema["properties"]["long"]["description"]
                .as_str()
                .unwrap()
                .chars()
                .count(),
            512
        );
    }

    #[test]
    fn rejects_hidden_characters_in_names_and_values() {
        for (schema, path) in [
            (json!({"properties": {"a\u{200b}": {}}}), "/properties"),
            (
                json!({"properties": {"a": {"enum": ["x\u{202e}"]}}}),
                "/properties/a/enum",
            ),
            (
                json!({"properties": {"a": {"default": {"b\u{7}": 1}}}}),
                "/properties/a/default",
            ),
            (json!({"anyOf": [{"const": "\u{e0041}"}]}), "/anyOf/const"),
        ] {
            assert_eq!(
                clean_schema(&mut schema.clone()),
                Err(path.to_owned()),
                "{schema}"
            );
        }
    }

    proptest! {
        #[test]
        fn cleaned_text_has_no_hidden_characters(text in any::<String>(), limit in 1..200_usize) {
            let cleaned = clean(&text, limit).text;

            prop_assert!(is_clean(&cleaned), "{cleaned:?}");
            prop_assert!(cleaned.chars().count() <= limit);
        }
    }
}
