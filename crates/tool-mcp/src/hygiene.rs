//! Foreign text: removing what people do not see, and digests of what they have reviewed.

use std::iter::Peekable;
use std::str::Chars;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Maximum length of the description of a parameter in characters.
const MAX_PARAMETER: usize = 512;

/// Marker at the end of truncated text.
const CUT: char = '…';

/// Returns the SHA-256 of a text in hexadecimal digits.
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
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let removed = hidden_from(character, &mut characters);
        if removed > 0 {
            cleaned.hidden += removed;
        // Count the rest instead of stopping, so that the report can say how much was cut.
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
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if hidden_from(character, &mut characters) > 0 {
            return false;
        }
    }
    true
}

/// Returns the number of hidden characters that begin with `character`, and skips the others.
fn hidden_from(character: char, after: &mut Peekable<Chars<'_>>) -> usize {
    match character {
        '\u{1b}' => 1 + escape_sequence(after),
        // Part of a Windows line ending.
        '\r' if after.peek() == Some(&'\n') => 1,
        selector if is_selector(selector) => {
            // One selector chooses the form of a character; runs encode text.
            let mut run = 0;
            while after.next_if(|next| is_selector(*next)).is_some() {
                run += 1;
            }
            if run == 0 { 0 } else { run + 1 }
        }
        other => usize::from(is_hidden(other)),
    }
}

/// Skips a control sequence of a terminal after its escape character.
fn escape_sequence(after: &mut Peekable<Chars<'_>>) -> usize {
    if after.next_if_eq(&'[').is_none() {
        return 0;
    }
    let mut skipped = 1;
    while after
        .next_if(|next| matches!(next, '0'..='?' | ' '..='/'))
        .is_some()
    {
        skipped += 1;
    }
    skipped + usize::from(after.next_if(|next| matches!(next, '@'..='~')).is_some())
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns `true` for characters that people do not see. Spaces of other kinds are visible, and names may contain them.
fn is_hidden(character: char) -> bool {
    !matches!(character, '\n' | '\t') && tool_json::text::is_invisible(character)
}

/// Cleans the descriptions of a schema. Returns the number of changed descriptions.
///
/// # Errors
/// Returns the location of a name or value with hidden characters: without them, calls with this
/// name or value would be rejected by the server.
pub(crate) fn clean_schema(schema: &mut Value) -> Result<usize, String> {
    let mut changed = 0;
    walk(schema, &mut String::new(), &mut changed)?;
    Ok(changed)
}

fn walk(schema: &mut Value, path: &mut String, changed: &mut usize) -> Result<(), String> {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                if !is_clean(name) {
                    return Err(path.clone());
                }
                let length = path.len();
                path.push('/');
                path.push_str(name);
                walk_member(name, member, path, changed)?;
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            for item in items {
                walk(item, path, changed)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn walk_member(
    name: &str,
    member: &mut Value,
    path: &mut String,
    changed: &mut usize,
) -> Result<(), String> {
    match (name, &mut *member) {
        ("description" | "title" | "$comment", Value::String(text)) => {
            let cleaned = clean(text, MAX_PARAMETER);
            if cleaned.hidden + cleaned.cut > 0 {
                *text = cleaned.text;
                *changed += 1;
            }
            Ok(())
        }
        ("enum" | "const" | "default" | "examples" | "pattern", value) => {
            if is_clean_value(value) {
                Ok(())
            } else {
                Err(path.clone())
            }
        }
        _ => walk(member, path, changed),
    }
}

fn is_clean_value(value: &Value) -> bool {
    match value {
        Value::String(text) => is_clean(text),
        Value::Array(items) => items.iter().all(is_clean_value),
        Value::Object(members) => members
            .iter()
            .all(|(name, member)| is_clean(name) && is_clean_value(member)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
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
