//! Selection of the JSON value in a response.

use std::fmt;

use serde_json::Value;

use super::error::TrimError;
use super::kind::JsonKind;
use super::trimmed::TrimmedJson;

/// Finds the object or array in a model's response. See the [module](super) for the rules.
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
    JsonTrim::new().trim(response)
}

type Accepts<'p> = dyn Fn(&Value) -> bool + Send + Sync + 'p;

/// Options of a search for the JSON value in a response.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_json::trim::{JsonKind, JsonTrim};
///
/// let trim = JsonTrim::new().kind(JsonKind::Object).accept(|value| value["total"].is_u64());
/// let response = r#"Of {"items": ["a", "b", "c"], "more": false} I count {"total": 3}."#;
/// assert_eq!(trim.trim(response)?.value(), &json!({"total": 3}));
/// # Ok::<_, tool_json::trim::TrimError>(())
/// ```
#[derive(Default)]
pub struct JsonTrim<'p> {
    pub(super) kind: JsonKind,
    accepts: Option<Box<Accepts<'p>>>,
}

impl<'p> JsonTrim<'p> {
    /// Creates a search for an object or array that accepts all candidates.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the kind of the value. The default is [`JsonKind::ObjectOrArray`].
    #[must_use]
    pub fn kind(mut self, kind: JsonKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets a filter for candidates, such as a JSON Schema validator.
    #[must_use]
    pub fn accept(mut self, accepts: impl Fn(&Value) -> bool + Send + Sync + 'p) -> Self {
        self.accepts = Some(Box::new(accepts));
        self
    }

    /// Returns the error for a value of another kind or one that the filter rejects.
    pub(super) fn rejection(&self, value: &Value) -> Option<TrimError> {
        if !self.kind.includes(value) {
            return Some(TrimError::OtherKind(self.kind));
        }
        let is_accepted = self.accepts.as_ref().is_none_or(|accepts| accepts(value));
        (!is_accepted).then_some(TrimError::NotAccepted)
    }
}

impl fmt::Debug for JsonTrim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonTrim")
            .field("kind", &self.kind)
            .field("filters", &self.accepts.is_some())
            .finish()
    }
}
