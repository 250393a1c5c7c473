//! The JSON value in a model's response, without the text around it.
//!
//! A model that must return JSON often adds a sentence, a code fence or an example. Use this module if you
//! need the value anyway. These rules select it:
//!
//! 1. A response that is one JSON string has no other value in it.
//! 2. Otherwise every complete object and array is a candidate, inside and outside fences. Values inside a candidate, or inside
//!    invalid JSON, are not. A bracket that no JSON follows, as in `[see below]`, is prose.
//! 3. The longest candidate is selected; of equally long ones, the last. [`trim_to_accepted`] can reject candidates.
//! 4. A response that ends inside an object or array is truncated and rejected, even if it has complete candidates, because the
//!    truncated value may be the requested one.
//! 5. Nothing is repaired, completed or extracted from a string. JSON means RFC 8259, at most 127 levels, without duplicate keys.
//!
//! The time is linear in the length of the response.

mod scan;

use std::ops::Range;

use serde_json::Value;

use self::scan::{Scan, scan};
use crate::error::{ParseError, ParseLimits};
use crate::tape::Tape;
use crate::wide_numbers::parse_quoting;

/// Finds the object or array in a model's response. See the [module](self) for the rules.
///
/// # Errors
/// Returns [`TrimError`] if the response contains no object or array, or is truncated.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_json::trim::trim_to_json;
///
/// let found = trim_to_json(r#"The files are {"files": ["a.txt"]}. Anything else?"#)?;
/// assert_eq!(found.value(), &json!({"files": ["a.txt"]}));
/// assert_eq!((found.before(), found.after()), ("The files are ", ". Anything else?"));
/// # Ok::<_, tool_json::trim::TrimError>(())
/// ```
pub fn trim_to_json(response: &str) -> Result<TrimmedJson<'_>, TrimError> {
    trim_to_accepted(response, |_| true)
}

/// Like [`trim_to_json`], but selects only a value that `accepts`, for example one that matches a schema.
///
/// # Errors
/// Returns [`TrimError`] if no object or array is accepted, or if the response is truncated.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_json::trim::trim_to_accepted;
///
/// let response = r#"Of {"items": ["a", "b", "c"], "more": false} I count {"total": 3}."#;
/// let found = trim_to_accepted(response, |value| value["total"].is_u64())?;
/// assert_eq!(found.value(), &json!({"total": 3}));
/// # Ok::<_, tool_json::trim::TrimError>(())
/// ```
pub fn trim_to_accepted(
    response: &str,
    accepts: impl Fn(&Value) -> bool,
) -> Result<TrimmedJson<'_>, TrimError> {
    let max_bytes = ParseLimits::default().max_bytes;
    if response.len() > max_bytes {
        return Err(TrimError::TooLarge { max_bytes });
    }
    let text = response.trim();
    if text.starts_with('"') && parse(text).is_ok() {
        return Err(TrimError::NotFound);
    }
    let search = Search {
        accepts: &accepts,
        response,
        best: None,
        candidates: 0,
        error: TrimError::NotFound,
    };
    search.run()
}

/// Parses RFC 8259, in which numbers have no limit.
fn parse(text: &str) -> Result<Tape<'_>, ParseError> {
    parse_quoting(text, &ParseLimits::default())
}

/// State of the search of one response.
struct Search<'s, 't> {
    accepts: &'s dyn Fn(&Value) -> bool,
    response: &'t str,
    best: Option<(Range<usize>, Value)>,
    /// Number of complete objects and arrays.
    candidates: usize,
    /// Why nothing is found: what is invalid matters more than what is not accepted.
    error: TrimError,
}

impl<'t> Search<'_, 't> {
    fn run(mut self) -> Result<TrimmedJson<'t>, TrimError> {
        let mut at = 0;
        while let Some(start) = next_bracket(self.response, at) {
            at = match scan(self.response, start) {
                Scan::Complete(end) => {
                    self.candidate(start..end);
                    end
                }
                Scan::Prose(next) => next,
                Scan::Invalid(end) => {
                    self.invalid(start..end);
                    end
                }
                Scan::Truncated => return Err(TrimError::Truncated { start }),
            };
        }
        let (range, value) = self.best.ok_or(self.error)?;
        Ok(TrimmedJson {
            response: self.response,
            range,
            value,
            others: self.candidates - 1,
        })
    }

    fn candidate(&mut self, range: Range<usize>) {
        let text = self.response.get(range.clone()).unwrap_or_default();
        // The scan accepts duplicate keys and any depth, so the parser still has to confirm the value.
        let Ok(tape) = parse(text) else {
            return self.invalid(range);
        };
        self.candidates += 1;
        let longest = self.best.as_ref().map_or(0, |(best, _)| best.len());
        // Not the first: a model often shows an example or the old value before the answer.
        if range.len() < longest {
            return;
        }
        let value = tape.to_value();
        if (self.accepts)(&value) {
            self.best = Some((range, value));
        } else if self.error == TrimError::NotFound {
            self.error = TrimError::NotAccepted;
        }
    }

    /// Records the error of the first invalid text.
    fn invalid(&mut self, range: Range<usize>) {
        let text = self.response.get(range.clone()).unwrap_or_default();
        if !matches!(self.error, TrimError::Invalid { .. })
            && let Err(error) = parse(text)
        {
            self.error = TrimError::Invalid {
                start: range.start,
                reason: error.to_string(),
            };
        }
    }
}

fn next_bracket(text: &str, at: usize) -> Option<usize> {
    let found = text.get(at..)?.find(['{', '[']);
    found.map(|offset| at + offset)
}

/// Why a response has no usable JSON.
///
/// You can send the message to the model: it says what to return, and contains no text of the
/// response.
///
/// # Examples
/// ```
/// use tool_json::trim::{TrimError, trim_to_json};
///
/// let error = trim_to_json(r#"Sure: {"files": ["a.txt", "b."#).unwrap_err();
/// assert_eq!(error, TrimError::Truncated { start: 6 });
/// assert_eq!(
///     error.to_string(),
///     "The response is truncated: it ends inside a JSON value. Return the complete value again, and shorten it if it is long."
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrimError {
    /// The response has no object or array.
    #[error("The response contains no JSON object or array. Return only the JSON.")]
    NotFound,
    /// The response ends inside an object or array.
    #[error(
        "The response is truncated: it ends inside a JSON value. Return the complete value again, and shorten it if it is long."
    )]
    Truncated {
        /// Start of the truncated value in bytes.
        start: usize,
    },
    /// The response has an object or array that is not valid JSON.
    #[error("The JSON in the response is invalid: {reason}. Return only valid JSON.")]
    Invalid {
        /// Start of the invalid text in bytes.
        start: usize,
        /// Parse error, with line and column counted from `start`.
        reason: String,
    },
    /// The filter rejected all JSON values.
    #[error("The JSON in the response does not match the request. Return only the requested JSON.")]
    NotAccepted,
    /// The response is too long.
    #[error("The response has more than {max_bytes} bytes. Return a shorter one.")]
    TooLarge {
        /// Maximum size in bytes.
        max_bytes: usize,
    },
}

/// The JSON value of a response, and the text around it.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_json::trim::trim_to_json;
///
/// let response = "Here you are:\n```json\n{\"total\": 3}\n```\nAnything else?";
/// let found = trim_to_json(response)?;
/// assert_eq!(found.value(), &json!({"total": 3}));
/// assert_eq!(found.text(), r#"{"total": 3}"#);
/// assert_eq!(found.before(), "Here you are:\n```json\n");
/// assert_eq!(found.after(), "\n```\nAnything else?");
/// # Ok::<_, tool_json::trim::TrimError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TrimmedJson<'t> {
    response: &'t str,
    range: Range<usize>,
    value: Value,
    others: usize,
}

impl<'t> TrimmedJson<'t> {
    /// Returns the value.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the owned value.
    pub fn into_value(self) -> Value {
        self.value
    }

    /// Returns the text of the value.
    pub fn text(&self) -> &'t str {
        self.response.get(self.range.clone()).unwrap_or_default()
    }

    /// Returns the text before the value: prose, a fence, other values.
    pub fn before(&self) -> &'t str {
        self.response.get(..self.range.start).unwrap_or_default()
    }

    /// Returns the text after the value.
    pub fn after(&self) -> &'t str {
        self.response.get(self.range.end..).unwrap_or_default()
    }

    /// Returns the number of other complete objects and arrays in the response, without nested ones:
    /// a sign that the wrong one may have been selected.
    pub fn others(&self) -> usize {
        self.others
    }

    /// Returns `true` if there is text around the value, other than whitespace.
    pub fn was_trimmed(&self) -> bool {
        !self.before().trim().is_empty() || !self.after().trim().is_empty()
    }
}

#[cfg(test)]
mod tests;
