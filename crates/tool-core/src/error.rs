//! Error of a call: a code for programs, a sentence for the model and a source for the log.

mod constructors;

use std::error::Error;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::{ErrorCode, SideEffects, ToolOutput, ValidationIssue, parameter_names};

type Source = Box<dyn Error + Send + Sync>;

/// Error of a call, with a message that a model can act on.
///
/// The source is for the operator's log. It is never shown to the model and never serialized.
///
/// # Examples
/// ```
/// use tool_core::ToolError;
///
/// let error = ToolError::file_not_found("path", "does not exist").suggest("Did you mean `src/main.rs`?");
/// assert_eq!(error.to_string(), "`path` does not exist. Did you mean `src/main.rs`?");
/// assert_eq!(error.code().as_str(), "file_not_found");
/// ```
#[derive(Debug)]
#[must_use]
pub struct ToolError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    report: ErrorReport,
    /// Sentence without the leading parameter name, so that a set can rename the parameter.
    sentence: String,
    /// Whether a set replaced the sentence, which then has no leading parameter name.
    is_reworded: bool,
    /// Text for the model, if it is not built from message and suggestion.
    text: Option<String>,
    source: Option<Source>,
    output: Option<ToolOutput>,
    /// Side effects as stated by the tool.
    side_effects: Option<SideEffects>,
}

impl ToolError {
    /// Creates an error with a code and a sentence for the model.
    pub fn new(code: ErrorCode, sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self::of_message(code, as_sentence(&sentence), sentence)
    }

    fn of_message(code: ErrorCode, message: String, sentence: String) -> Self {
        // Errors that waiting may cure. The same call would fail again after any other.
        let retryable = matches!(
            code,
            ErrorCode::Timeout
                | ErrorCode::RateLimited
                | ErrorCode::Unavailable
                | ErrorCode::InProgress
                | ErrorCode::LedgerUnavailable
        );
        let report = ErrorReport {
            code,
            message,
            suggestion: None,
            parameter: None,
            issues: Vec::new(),
            tool_name: None,
            retryable,
            retry_after: None,
        };
        Self(Box::new(Inner {
            report,
            sentence,
            is_reworded: false,
            text: None,
            source: None,
            output: None,
            side_effects: None,
        }))
    }

    /// Creates one error for all issues of the arguments. The first issue sets the parameter.
    pub fn from_issues(issues: Vec<ValidationIssue>) -> Self {
        let mut sentence = String::with_capacity(64 * (1 + issues.len()));
        sentence.push_str("The arguments do not fit: ");
        for (index, issue) in issues.iter().enumerate() {
            if index > 0 {
                sentence.push_str("; ");
            }
            issue.write_sentence(&mut sentence);
        }
        write_known_parameters(&issues, &mut sentence);
        let first = issues.first().map(ValidationIssue::path);
        let message = as_sentence(&sentence);
        let mut error = Self::of_message(ErrorCode::InvalidArguments, message, sentence);
        error.0.report.parameter = first.filter(|path| !path.is_empty());
        error.0.report.issues = issues;
        error
    }

    /// Sets the next step for the model.
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.0.report.suggestion = Some(suggestion.into());
        self
    }

    /// Replaces or removes the suggestion, for a tool that shows another one to the model.
    pub fn with_suggestion(mut self, suggestion: Option<String>) -> Self {
        self.0.report.suggestion = suggestion;
        self
    }

    /// Sets the affected parameter. The message starts with its name, unless it was
    /// [reworded](Self::reworded).
    pub fn with_parameter(mut self, parameter: Option<&str>) -> Self {
        self.0.report.parameter = parameter.map(str::to_owned);
        // A sentence that replaced ours may name the parameter in its own way.
        if self.0.is_reworded {
            return self;
        }
        self.0.report.message = match parameter {
            Some(name) => as_sentence(&format!("`{name}` {}", self.0.sentence)),
            None => as_sentence(&self.0.sentence),
        };
        self
    }

    /// Sets the source, which is only logged.
    pub fn caused_by(mut self, source: impl Into<Source>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Sets the partial output produced before the failure.
    pub fn with_output(mut self, output: ToolOutput) -> Self {
        self.0.output = Some(output);
        self
    }

    /// Sets whether the same call may succeed later.
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.0.report.retryable = retryable;
        self
    }

    /// Marks the call as retryable after `wait`.
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.0.report.retryable = true;
        self.0.report.retry_after = Some(wait);
        self
    }

    /// States the side effects of the failed call, for the metadata of the result. Without it, they are
    /// [`Possible`](SideEffects::Possible), or [`None`](SideEffects::None) for a read-only tool.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{ErrorCode, SideEffects, ToolError};
    ///
    /// let error = ToolError::new(ErrorCode::Unavailable, "The server is starting again. Nothing was done")
    ///     .with_side_effects(SideEffects::None);
    /// assert_eq!(error.side_effects(), Some(SideEffects::None));
    /// ```
    pub fn with_side_effects(mut self, side_effects: SideEffects) -> Self {
        self.0.side_effects = Some(side_effects);
        self
    }

    pub(crate) fn with_tool_name(mut self, name: &str) -> Self {
        self.0.report.tool_name = Some(name.to_owned());
        self
    }

    /// Replaces code and message. Toolsets use it for their own wording.
    pub fn reworded(mut self, code: ErrorCode, message: impl Into<String>) -> Self {
        self.0.sentence = message.into();
        self.0.report.message.clone_from(&self.0.sentence);
        self.0.report.code = code;
        self.0.is_reworded = true;
        self
    }

    /// Sets the exact text for the model. It replaces `Error: `, the message and the suggestion, which
    /// remain in the [report](Self::report).
    ///
    /// # Examples
    /// ```
    /// use tool_core::ToolError;
    ///
    /// let error = ToolError::file_not_found("path", "does not exist").with_text("Error reading file: no such file");
    /// assert_eq!(error.to_model_text(), "Error reading file: no such file");
    /// assert_eq!(error.message(), "`path` does not exist.");
    /// ```
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.0.text = Some(text.into());
        self
    }

    pub(crate) fn into_parts(self) -> (ErrorReport, Option<ToolOutput>) {
        (self.0.report, self.0.output)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.report.message)?;
        match &self.0.report.suggestion {
            Some(suggestion) => write!(f, " {suggestion}"),
            None => Ok(()),
        }
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// What becomes an error without more words: the sentence that the model reads.
///
/// A separate trait, because the compiler shows its label for a `?` on any other error. Implement `From` for your errors.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no sentence for the model",
    label = "write `.or_fail(\"what failed\")?`: the model reads the sentence, and this error goes to the log",
    note = "or implement `From<{Self}>` for `ToolError` if the error is yours"
)]
pub trait TextForModel {
    fn into_tool_error(self) -> ToolError;
}

impl TextForModel for &str {
    fn into_tool_error(self) -> ToolError {
        ToolError::failed(self)
    }
}

impl TextForModel for String {
    fn into_tool_error(self) -> ToolError {
        ToolError::failed(self)
    }
}

impl TextForModel for std::convert::Infallible {
    fn into_tool_error(self) -> ToolError {
        match self {}
    }
}

/// The sentence that the model reads, as in `Err("no such account".into())`.
impl<T: TextForModel> From<T> for ToolError {
    fn from(text: T) -> Self {
        text.into_tool_error()
    }
}

/// Maximum number of objects whose parameters are listed.
const MAX_OBJECTS: usize = 3;

/// Appends the known parameters of each object with an unknown one, because a name that is far from all of them gives
/// the model no other way to find the right one.
fn write_known_parameters(issues: &[ValidationIssue], sentence: &mut String) {
    let mut listed: Vec<&[Value]> = Vec::new();
    for issue in issues.iter().filter(|issue| issue.is_unknown_parameter()) {
        let known = issue.allowed.as_slice();
        if listed.len() == MAX_OBJECTS || known.is_empty() || listed.contains(&known) {
            continue;
        }
        listed.push(known);
        sentence.push_str(". ");
        let names = known.iter().filter_map(Value::as_str);
        parameter_names::write_listed(names, &issue.object_path(), sentence);
    }
}

fn as_sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?', ':']) {
        text.to_owned()
    } else {
        [text, "."].concat()
    }
}

impl ToolError {
    /// Returns the reason for programs.
    pub fn code(&self) -> &ErrorCode {
        &self.0.report.code
    }

    /// Returns the message for the model, starting with the parameter name.
    pub fn message(&self) -> &str {
        &self.0.report.message
    }

    /// Returns the next step for the model.
    pub fn suggestion(&self) -> Option<&str> {
        self.0.report.suggestion.as_deref()
    }

    /// Returns the affected parameter.
    pub fn parameter(&self) -> Option<&str> {
        self.0.report.parameter.as_deref()
    }

    /// Returns all issues found in the arguments.
    pub fn issues(&self) -> &[ValidationIssue] {
        &self.0.report.issues
    }

    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        self.0.report.retryable
    }

    /// Returns the minimum delay before a retry, if known.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.report.retry_after
    }

    /// Returns the stated side effects of the failed call.
    pub fn side_effects(&self) -> Option<SideEffects> {
        self.0.side_effects
    }

    /// Returns the partial output produced before the failure.
    pub fn output(&self) -> Option<&ToolOutput> {
        self.0.output.as_ref()
    }

    /// Returns the part that is shown and stored.
    pub fn report(&self) -> &ErrorReport {
        &self.0.report
    }

    /// Converts into the part that is shown and stored, without the source.
    pub(crate) fn into_report(self) -> ErrorReport {
        self.0.report
    }

    /// Returns the text for the model: the [text](Self::with_text) if it was set, otherwise the
    /// [text of the report](ErrorReport::to_model_text).
    pub fn to_model_text(&self) -> String {
        match &self.0.text {
            Some(text) => text.clone(),
            None => self.0.report.to_model_text(),
        }
    }
}

/// Part of a [`ToolError`] that is shown and stored.
///
/// # Examples
/// ```
/// use tool_core::ErrorReport;
/// use tool_core::ToolError;
///
/// let report: ErrorReport = ToolError::failed("The mail server is busy").report().clone();
/// assert_eq!(report.message, "The mail server is busy.");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorReport {
    /// Reason for programs.
    pub code: ErrorCode,
    /// Reason for the model: one or more sentences.
    pub message: String,
    /// Next step for the model.
    pub suggestion: Option<String>,
    /// Affected parameter, under the name shown to the model.
    pub parameter: Option<String>,
    /// All issues found in the arguments.
    #[serde(default)]
    pub issues: Vec<ValidationIssue>,
    /// Name of the called tool.
    pub tool_name: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Minimum delay before a retry, if known. Serialized as whole milliseconds.
    #[serde(
        default,
        rename = "retry_after_ms",
        with = "milliseconds",
        skip_serializing_if = "Option::is_none"
    )]
    pub retry_after: Option<Duration>,
}

impl ErrorReport {
    /// Returns the text for the model: `Error: `, the message and the suggestion.
    pub fn to_model_text(&self) -> String {
        match &self.suggestion {
            Some(suggestion) => ["Error: ", &self.message, " ", suggestion].concat(),
            None => ["Error: ", &self.message].concat(),
        }
    }
}

/// Serializes an optional duration as whole milliseconds.
mod milliseconds {
    use super::{Deserialize, Deserializer, Duration, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(super) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        // Round up, so that a caller who waits this long never retries too early.
        let whole = |time: Duration| time.as_nanos().div_ceil(1_000_000);
        time.map(|time| u64::try_from(whole(time)).unwrap_or(u64::MAX))
            .serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(deserializer)?.map(Duration::from_millis))
    }
}

#[cfg(test)]
mod tests;
