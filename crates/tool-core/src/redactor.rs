//! Removal of known secrets from text.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde_json::Value;

use crate::secret::{REDACTED, Secret};

/// Minimum length of a secret in bytes.
const SHORTEST: usize = 6;

/// Removes known secrets from text. A registry with a redactor scrubs the output of every tool,
/// progress and partial output, previews and file lists of approval requests, logged error sources,
/// and audit log entries. The arguments in an approval request are not scrubbed, because they are
/// the arguments to execute.
///
/// Finds secrets verbatim and as escaped in JSON, including overlapping ones. Does not find other
/// encodings, such as base64, or secrets split across strings. Each secret costs one search per
/// string.
///
/// # Examples
/// ```
/// use tool_core::{Redactor, Registry, Secret};
///
/// let key = Secret::new("sk-12345".to_owned());
/// let redactor = Redactor::new().with_value(&key)?;
/// assert_eq!(redactor.scrub("Authorization: Bearer sk-12345"), "Authorization: Bearer [redacted]");
/// let registry = Registry::builder().redactor(redactor).build();
/// # Ok::<_, tool_core::redactor::ShortSecret>(())
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    values: Vec<String>,
}

/// A secret of fewer than 6 bytes, which would match ordinary text.
///
/// # Examples
/// ```
/// use tool_core::redactor::ShortSecret;
/// use tool_core::{Redactor, Secret};
///
/// let refused = Redactor::new().with_value(&Secret::new("abc".to_owned()));
/// assert_eq!(refused.err(), Some(ShortSecret));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secret of fewer than {SHORTEST} bytes would match ordinary text")]
pub struct ShortSecret;

impl Redactor {
    /// Creates a redactor without secrets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a secret.
    ///
    /// # Errors
    /// Returns [`ShortSecret`] if the secret has fewer than 6 bytes.
    pub fn with_value(mut self, value: &Secret<String>) -> Result<Self, ShortSecret> {
        let value = value.expose();
        if value.len() < SHORTEST {
            return Err(ShortSecret);
        }
        let quoted = Value::from(value.as_str()).to_string();
        let escaped = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        if escaped != value {
            self.values.push(escaped.to_owned());
        }
        self.values.push(value.clone());
        Ok(self)
    }

    /// Returns `text` with each secret replaced by `[redacted]`.
    #[must_use]
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for value in &self.values {
            let places = text.match_indices(value.as_str());
            found.extend(places.map(|(at, value)| at..at + value.len()));
        }
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        found.sort_by_key(|range| range.start);
        Cow::Owned(without(text, found))
    }

    pub(crate) fn scrub_text(&self, text: &mut String) {
        if let Cow::Owned(scrubbed) = self.scrub(text) {
            *text = scrubbed;
        }
    }

    /// Scrubs every string of a value, including member names.
    pub fn scrub_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.scrub_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.scrub_value(item)),
            Value::Object(members) => {
                let has_secret = |name: &String| matches!(self.scrub(name), Cow::Owned(_));
                if members.keys().any(has_secret) {
                    let scrubbed =
                        |(name, member): (String, Value)| (self.scrub(&name).into_owned(), member);
                    *members = std::mem::take(members).into_iter().map(scrubbed).collect();
                }
                members
                    .values_mut()
                    .for_each(|member| self.scrub_value(member));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Replaces the ranges in `text`. Overlapping and adjacent ranges become one.
fn without(text: &str, found: Vec<Range<usize>>) -> String {
    let mut scrubbed = String::with_capacity(text.len());
    let mut end = 0;
    for range in found {
        if range.start >= end && (end == 0 || range.start > end) {
            scrubbed.push_str(text.get(end..range.start).unwrap_or_default());
            scrubbed.push_str(REDACTED);
        }
        end = end.max(range.end);
    }
    scrubbed.push_str(text.get(end..).unwrap_or_default());
    scrubbed
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} values)", self.values.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn redactor(values: &[&str]) -> Redactor {
        let add = |redactor: Redactor, value: &&str| {
            redactor
                .with_value(&Secret::new((*value).to_owned()))
                .unwrap()
        };
        values.iter().fold(Redactor::new(), add)
    }

    #[test]
    fn removes_every_known_secret() {
        let redactor = redactor(&["secret-one", "one-and-two", "with \"quotes\""]);
        for (text, scrubbed) in [
            ("nothing here", "nothing here"),
            ("secret-one", "[redacted]"),
            ("a secret-one, b secret-one.", "a [redacted], b [redacted]."),
            ("secret-one-and-two!", "[redacted]!"),
            (r#"{"k":"with \"quotes\""}"#, r#"{"k":"[redacted]"}"#),
            ("x with \"quotes\" y", "x [redacted] y"),
        ] {
            assert_eq!(redactor.scrub(text), scrubbed);
        }
    }

    #[test]
    fn scrubs_value_at_any_depth() {
        let mut value = json!({"a": ["x secret-one"], "secret-one": {"b": "secret-one"}, "n": 5});

        redactor(&["secret-one"]).scrub_value(&mut value);

        assert_eq!(
            value,
            json!({"a": ["x [redacted]"], "[redacted]": {"b": "[redacted]"}, "n": 5})
        );
    }

    #[test]
    fn debug_output_hides_secrets() {
        assert_eq!(
            format!("{:?}", redactor(&["secret-one"])),
            "Redactor(1 values)"
        );
    }

    proptest! {
        #[test]
        fn no_known_secret_remains(
            values in prop::collection::vec("[ab]{6,8}", 1..4),
            text in "[abc]{0,60}",
        ) {
            let known: Vec<&str> = values.iter().map(String::as_str).collect();

            let scrubbed = redactor(&known).scrub(&text).into_owned();

            for piece in scrubbed.split(REDACTED) {
                prop_assert!(known.iter().all(|value| !piece.contains(value)), "{scrubbed}");
            }
        }
    }
}
