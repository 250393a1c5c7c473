//! Choosing among the JSON values of an answer.

use std::fmt;
use std::ops::Range;

use serde_json::Value;

use super::error::TrimError;
use super::fence::only_block;
use super::search::Search;
use super::trimmed::TrimmedJson;
use crate::json::parse::{ParseLimits, parse};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Finds the object or array in a model's final answer. See the [module](super) for the rules.
///
/// # Errors
/// [`TrimError`] where there is none, or where the answer was cut off.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::answer::trim_to_json;
///
/// let found = trim_to_json(r#"The files are {"files": ["a.txt"]}. Anything else?"#)?;
/// assert_eq!(found.value(), &json!({"files": ["a.txt"]}));
/// assert_eq!((found.before(), found.after()), ("The files are ", ". Anything else?"));
/// # Ok::<_, tool_core::answer::TrimError>(())
/// ```
pub fn trim_to_json(answer: &str) -> Result<TrimmedJson<'_>, TrimError> {
    JsonTrim::new().trim(answer)
}

/// Which JSON value an answer should be.
///
/// # Examples
/// ```
/// use tool_core::answer::JsonKind;
///
/// assert_eq!(JsonKind::default().to_string(), "JSON object or array");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum JsonKind {
    /// An object.
    Object,
    /// An array.
    Array,
    /// An object or an array.
    #[default]
    ObjectOrArray,
    /// Any value. One that is no object or array must be the whole answer, or all that its one code fence holds.
    Any,
}

impl JsonKind {
    fn takes(self, value: &Value) -> bool {
        match self {
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
            Self::ObjectOrArray => value.is_object() || value.is_array(),
            Self::Any => true,
        }
    }
}

impl fmt::Display for JsonKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object => "JSON object",
            Self::Array => "JSON array",
            Self::ObjectOrArray => "JSON object or array",
            Self::Any => "JSON value",
        })
    }
}

type Accepts<'p> = dyn Fn(&Value) -> bool + Send + Sync + 'p;

/// How the JSON value of an answer is found: which kind it has, and which of several is meant.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::answer::{JsonKind, JsonTrim};
///
/// let trim = JsonTrim::new().kind(JsonKind::Object).accept(|value| value["total"].is_u64());
/// let answer = r#"Of {"items": ["a", "b", "c"], "more": false} I count {"total": 3}."#;
/// assert_eq!(trim.trim(answer)?.value(), &json!({"total": 3}));
/// # Ok::<_, tool_core::answer::TrimError>(())
/// ```
#[derive(Default)]
pub struct JsonTrim<'p> {
    kind: JsonKind,
    accepts: Option<Box<Accepts<'p>>>,
}

impl<'p> JsonTrim<'p> {
    /// Looks for an object or an array, and takes any.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks for this kind of value alone.
    #[must_use]
    pub fn kind(mut self, kind: JsonKind) -> Self {
        self.kind = kind;
        self
    }

    /// Takes only a value for which `accepts` is true, such as one that a
    /// [`CompiledSchema`](crate::CompiledSchema) finds valid.
    #[must_use]
    pub fn accept(mut self, accepts: impl Fn(&Value) -> bool + Send + Sync + 'p) -> Self {
        self.accepts = Some(Box::new(accepts));
        self
    }

    /// Finds the value in an answer of at most 4 MB.
    ///
    /// # Errors
    /// [`TrimError`] where there is none that is taken, or where the answer was cut off.
    pub fn trim<'t>(&self, answer: &'t str) -> Result<TrimmedJson<'t>, TrimError> {
        let max_bytes = ParseLimits::default().max_bytes;
        if answer.len() > max_bytes {
            return Err(TrimError::TooLarge { max_bytes });
        }
        if let Some(whole) = self.whole(answer) {
            return whole;
        }
        Search::new(self, answer).run()
    }

    /// The answer itself, where it is JSON; a block of code that holds nothing but a scalar counts as the answer.
    fn whole<'t>(&self, answer: &'t str) -> Option<Result<TrimmedJson<'t>, TrimError>> {
        let marks = answer.len() - answer.trim_start_matches(BYTE_ORDER_MARK).len();
        let (range, value) =
            read(answer, marks..answer.len()).or_else(|| self.scalar_in_fence(answer))?;
        Some(match self.refusal(&value) {
            Some(refusal) => Err(refusal),
            None => Ok(TrimmedJson::new(answer, range, value, 0)),
        })
    }

    fn scalar_in_fence(&self, answer: &str) -> Option<(Range<usize>, Value)> {
        if self.kind != JsonKind::Any {
            return None;
        }
        let found = read(answer, only_block(answer)?)?;
        (!JsonKind::ObjectOrArray.takes(&found.1)).then_some(found)
    }

    pub(super) fn wanted(&self) -> JsonKind {
        self.kind
    }

    /// Why `value` is not taken.
    pub(super) fn refusal(&self, value: &Value) -> Option<TrimError> {
        if !self.kind.takes(value) {
            return Some(TrimError::OtherKind(self.kind));
        }
        let is_accepted = self.accepts.as_ref().is_none_or(|accepts| accepts(value));
        (!is_accepted).then_some(TrimError::NotAccepted)
    }
}

/// The value that is all of this range but its blanks, and where it stands.
fn read(answer: &str, range: Range<usize>) -> Option<(Range<usize>, Value)> {
    let text = answer.get(range.clone())?;
    let start = range.start + (text.len() - text.trim_start().len());
    let json = text.trim();
    let value = parse(json, &ParseLimits::default()).ok()?;
    Some((start..start + json.len(), value))
}

impl fmt::Debug for JsonTrim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonTrim")
            .field("kind", &self.kind)
            .field("chooses", &self.accepts.is_some())
            .finish()
    }
}
