//! Removal of known secrets from text.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::Value;

use crate::secret::{REDACTED, Secret};

/// Minimum length of a secret in bytes.
const MIN_LENGTH: usize = 6;
/// Maximum number of learned secrets, because each one costs a search per string.
const MAX_VALUES: usize = 256;
/// Maximum length of a learned secret in bytes. Tokens and private keys have a few KiB.
const MAX_LENGTH: usize = 64 * 1024;

/// Removes known secrets from text. A registry with a redactor scrubs the output of every tool,
/// progress and partial output, previews and file lists of approval requests, logged error sources,
/// and audit log entries. The arguments in an approval request are not scrubbed, because they are
/// the arguments to execute.
///
/// Finds secrets verbatim and as escaped in JSON, including overlapping ones. Does not find other
/// encodings, such as base64, or secrets split across strings. Each secret costs one search per
/// string.
///
/// Clones share the secrets that one of them [learns](Self::learn), so keep a clone to add a secret while the registry is in
/// use, or use [`Registry::redactor`](crate::Registry::redactor).
///
/// # Examples
/// ```
/// use tool_core::{Redactor, Registry, Secret};
///
/// let key = Secret::new("sk-12345".to_owned());
/// let redactor = Redactor::new().with_value(&key)?;
/// assert_eq!(redactor.scrub("Authorization: Bearer sk-12345"), "Authorization: Bearer [redacted]");
/// let registry = Registry::builder().redactor(redactor).build();
/// # Ok::<_, tool_core::LearnError>(())
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    values: Vec<SecretForms>,
    /// Secrets learned at run time, oldest first. Reads take no lock.
    learned: Arc<ArcSwap<Vec<Arc<SecretForms>>>>,
}

/// A secret in the forms in which it appears in text.
#[derive(Clone, PartialEq, Eq)]
struct SecretForms {
    verbatim: Box<str>,
    /// The secret within a JSON string, if this differs.
    escaped: Option<Box<str>>,
}

impl SecretForms {
    fn of(value: &str) -> Result<Self, LearnError> {
        if value.len() < MIN_LENGTH {
            return Err(LearnError::TooShort);
        }
        // Outputs often contain JSON, in which a secret with a quote or a newline looks different.
        let quoted = Value::from(value).to_string();
        let escaped = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        Ok(Self {
            verbatim: value.into(),
            escaped: (escaped != value).then(|| escaped.into()),
        })
    }

    /// Adds the places of the secret in `text`.
    fn find_in(&self, text: &str, found: &mut Vec<Range<usize>>) {
        let forms = [Some(&self.verbatim), self.escaped.as_ref()];
        for form in forms.into_iter().flatten() {
            let places = text.match_indices(form.as_ref());
            found.extend(places.map(|(at, form)| at..at + form.len()));
        }
    }
}

impl Redactor {
    /// Creates a redactor without secrets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a secret.
    ///
    /// # Errors
    /// Returns [`LearnError::TooShort`] if the secret has fewer than 6 bytes.
    pub fn with_value(mut self, value: &Secret<String>) -> Result<Self, LearnError> {
        self.values.push(SecretForms::of(value.expose())?);
        Ok(self)
    }

    /// Adds a secret at run time, such as an OAuth token. It is removed from everything that is scrubbed afterwards, by this
    /// redactor and by its clones.
    ///
    /// A redactor keeps the last 256 different secrets that it learned, so replaced tokens are forgotten first. Secrets
    /// added by [`with_value`](Self::with_value) are always kept.
    ///
    /// # Errors
    /// Returns [`LearnError::TooShort`] if the secret has fewer than 6 bytes, and [`LearnError::TooLong`] if it has more than
    /// 64 KiB.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{Redactor, Registry, Secret};
    ///
    /// let redactor = Redactor::new();
    /// let registry = Registry::builder().redactor(redactor.clone()).build();
    ///
    /// redactor.learn(&Secret::new("token-1".to_owned()))?;
    /// let scrubbed = registry.redactor().map(|redactor| redactor.scrub("Bearer token-1"));
    /// assert_eq!(scrubbed.as_deref(), Some("Bearer [redacted]"));
    /// # Ok::<_, tool_core::LearnError>(())
    /// ```
    pub fn learn(&self, value: &Secret<String>) -> Result<(), LearnError> {
        let value = value.expose();
        if value.len() > MAX_LENGTH {
            return Err(LearnError::TooLong);
        }
        let added = Arc::new(SecretForms::of(value)?);
        self.learned.rcu(|known| {
            let others = known.iter().filter(|other| **other != added);
            let mut next: Vec<Arc<SecretForms>> = others.cloned().collect();
            // The oldest go first: tokens are refreshed, and an expired one is worth little.
            let surplus = (next.len() + 1).saturating_sub(MAX_VALUES);
            next.drain(..surplus);
            next.push(Arc::clone(&added));
            next
        });
        Ok(())
    }

    /// Returns `text` with each secret replaced by `[redacted]`.
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let learned = self.learned.load();
        for value in self.values.iter().chain(learned.iter().map(Arc::as_ref)) {
            value.find_in(text, &mut found);
        }
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        found.sort_by_key(|range| range.start);
        Cow::Owned(redact_ranges(text, found))
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
                // Names, too: a tool may use a token as a key.
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
fn redact_ranges(text: &str, found: Vec<Range<usize>>) -> String {
    let mut scrubbed = String::with_capacity(text.len());
    let mut end = 0;
    for range in found {
        // Adjacent secrets become one marker.
        if range.start >= end && (end == 0 || range.start > end) {
            scrubbed.push_str(text.get(end..range.start).unwrap_or_default());
            scrubbed.push_str(REDACTED);
        }
        end = end.max(range.end);
    }
    scrubbed.push_str(text.get(end..).unwrap_or_default());
    scrubbed
}

debug_fields!(Redactor, this => values: this.values.len() + this.learned.load().len());

/// Reason why a redactor cannot remove a secret.
///
/// # Examples
/// ```
/// use tool_core::{LearnError, Redactor, Secret};
///
/// let rejected = Redactor::new().learn(&Secret::new("abc".to_owned()));
/// assert_eq!(rejected, Err(LearnError::TooShort));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// The secret has fewer than 6 bytes.
    #[error(
        "a secret of fewer than {MIN_LENGTH} bytes would match ordinary text; use a longer one"
    )]
    TooShort,
    /// The secret has more than 64 KiB.
    #[error(
        "a secret of more than {MAX_LENGTH} bytes cannot be learned; add its sensitive part only"
    )]
    TooLong,
}

#[cfg(test)]
mod tests;
