//! The error of a call: a code for programs, a sentence for the model, a source for the log.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{ErrorCode, ToolOutput, ValidationIssue, milliseconds};

type Source = Box<dyn Error + Send + Sync>;

/// Why a call failed, in words that a model can act on.
///
/// The source is for the operator's log: it is never shown to the model and never serialised.
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
pub struct ToolError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    report: ErrorReport,
    /// The sentence without the parameter's name in front, so that a presentation can rename it.
    sentence: String,
    /// Whether the sentence is a presentation's own, which stands without the parameter's name in front.
    is_reworded: bool,
    /// What the model reads, where that is not made of message and suggestion.
    text: Option<String>,
    source: Option<Source>,
    output: Option<ToolOutput>,
}

/// The part of a [`ToolError`] that is shown and stored.
///
/// # Examples
/// ```
/// use tool_core::error::ErrorReport;
/// use tool_core::ToolError;
///
/// let report: ErrorReport = ToolError::failed("The mail server is busy").into_report();
/// assert_eq!(report.message, "The mail server is busy.");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorReport {
    /// What went wrong, for programs.
    pub code: ErrorCode,
    /// What went wrong, for the model: one or more whole sentences.
    pub message: String,
    /// What to do instead.
    pub suggestion: Option<String>,
    /// The parameter concerned, as the model sees it.
    pub parameter: Option<String>,
    /// Every fault found in the arguments.
    #[serde(default)]
    pub faults: Vec<ValidationIssue>,
    /// The tool that was called.
    pub tool_name: Option<String>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// How long to wait until then, where that is known; as JSON, whole milliseconds.
    #[serde(
        default,
        rename = "retry_after_ms",
        with = "milliseconds",
        skip_serializing_if = "Option::is_none"
    )]
    pub retry_after: Option<Duration>,
}

impl ToolError {
    /// Creates an error with a code and a sentence for the model.
    #[must_use]
    pub fn new(code: ErrorCode, sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self::of_message(code, as_sentence(&sentence), sentence)
    }

    fn of_message(code: ErrorCode, message: String, sentence: String) -> Self {
        let retryable = matches!(
            code,
            ErrorCode::Timeout | ErrorCode::RateLimited | ErrorCode::Unavailable
        );
        let report = ErrorReport {
            code,
            message,
            suggestion: None,
            parameter: None,
            faults: Vec::new(),
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
        }))
    }

    /// Creates an error about one parameter; `sentence` goes on after its name ("does not exist").
    #[must_use]
    pub fn about(code: ErrorCode, parameter: &str, sentence: impl Into<String>) -> Self {
        Self::new(code, sentence).with_parameter(Some(parameter))
    }

    /// A parameter whose value cannot be used.
    #[must_use]
    pub fn invalid_arguments(parameter: &str, sentence: impl Into<String>) -> Self {
        Self::about(ErrorCode::InvalidArguments, parameter, sentence)
    }

    /// A parameter that names a file which is not there.
    #[must_use]
    pub fn file_not_found(parameter: &str, sentence: impl Into<String>) -> Self {
        Self::about(ErrorCode::FileNotFound, parameter, sentence)
    }

    /// A parameter that leads out of the workspace.
    #[must_use]
    pub fn path_outside_workspace(parameter: &str) -> Self {
        Self::about(
            ErrorCode::PathOutsideWorkspace,
            parameter,
            "leads out of the workspace",
        )
        .suggest("Use a path relative to the workspace root.")
    }

    /// A command that the filter refuses; `reason` goes on after "The command".
    #[must_use]
    pub fn command_forbidden(reason: &str) -> Self {
        Self::new(ErrorCode::CommandForbidden, format!("The command {reason}"))
    }

    /// A call that ran into its deadline.
    #[must_use]
    pub fn timeout(after: Duration) -> Self {
        Self::new(
            ErrorCode::Timeout,
            format!("The call timed out after {}", spoken(after)),
        )
    }

    /// A call that said nothing for too long.
    #[must_use]
    pub fn silent(after: Duration) -> Self {
        Self::new(
            ErrorCode::Timeout,
            format!(
                "The call was stopped because it was silent for {}",
                spoken(after)
            ),
        )
    }

    /// A call that was cancelled.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::new(
            ErrorCode::Cancelled,
            "The call was cancelled before it ended",
        )
    }

    /// The tool's own work failed.
    #[must_use]
    pub fn failed(sentence: impl Into<String>) -> Self {
        Self::new(ErrorCode::Failed, sentence)
    }

    /// All faults of the arguments in one error; the first one gives the parameter.
    #[must_use]
    pub fn from_faults(faults: Vec<ValidationIssue>) -> Self {
        Self::of_message(ErrorCode::InvalidArguments, String::new(), String::new())
            .with_faults(faults)
    }

    /// The same about these faults.
    pub(crate) fn with_faults(mut self, faults: Vec<ValidationIssue>) -> Self {
        let mut sentence = String::with_capacity(64 * (1 + faults.len()));
        sentence.push_str("The arguments do not fit: ");
        for (place, fault) in faults.iter().enumerate() {
            if place > 0 {
                sentence.push_str("; ");
            }
            fault.tell(&mut sentence);
        }
        let first = faults.first().map(ValidationIssue::path);
        let parameter = first.filter(|path| !path.is_empty());
        self.0.report.message = as_sentence(&sentence);
        self.0.sentence = sentence;
        self.0.report.parameter = parameter;
        self.0.report.faults = faults;
        self
    }

    /// Says what to do instead.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.0.report.suggestion = Some(suggestion.into());
        self
    }

    #[cfg(feature = "typed")]
    pub(crate) fn with_suggestion(mut self, suggestion: Option<String>) -> Self {
        self.0.report.suggestion = suggestion;
        self
    }

    /// Names the parameter concerned; its name stands in front of the sentence, unless that was [reworded](Self::reworded).
    #[must_use]
    pub fn with_parameter(mut self, parameter: Option<&str>) -> Self {
        self.0.report.parameter = parameter.map(str::to_owned);
        if self.0.is_reworded {
            return self;
        }
        self.0.report.message = match parameter {
            Some(name) => as_sentence(&format!("`{name}` {}", self.0.sentence)),
            None => as_sentence(&self.0.sentence),
        };
        self
    }

    /// Keeps the cause for the log.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Source>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Keeps the output that was reached before the failure.
    #[must_use]
    pub fn with_output(mut self, output: ToolOutput) -> Self {
        self.0.output = Some(output);
        self
    }

    /// Says whether the same call may succeed later.
    #[must_use]
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.0.report.retryable = retryable;
        self
    }

    /// Says that the same call may succeed after `wait`.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.0.report.retryable = true;
        self.0.report.retry_after = Some(wait);
        self
    }

    pub(crate) fn with_tool_name(mut self, name: &str) -> Self {
        self.0.report.tool_name = Some(name.to_owned());
        self
    }

    /// Replaces code and message, for a presentation with words of its own.
    #[must_use]
    pub fn reworded(mut self, code: ErrorCode, message: impl Into<String>) -> Self {
        self.0.sentence = message.into();
        self.0.report.message.clone_from(&self.0.sentence);
        self.0.report.code = code;
        self.0.is_reworded = true;
        self
    }

    /// Sets what the model reads to the letter, in place of `Error: `, the message and the suggestion, which stay in the
    /// [report](Self::report).
    ///
    /// # Examples
    /// ```
    /// use tool_core::ToolError;
    ///
    /// let error = ToolError::file_not_found("path", "does not exist").with_text("Error reading file: no such file");
    /// assert_eq!(error.to_model_text(), "Error reading file: no such file");
    /// assert_eq!(error.message(), "`path` does not exist.");
    /// ```
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.0.text = Some(text.into());
        self
    }

    /// What went wrong, for programs.
    #[must_use]
    pub fn code(&self) -> &ErrorCode {
        &self.0.report.code
    }

    /// What went wrong, for the model, the parameter's name in front.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.report.message
    }

    /// What to do instead, when there is a next step.
    #[must_use]
    pub fn suggestion(&self) -> Option<&str> {
        self.0.report.suggestion.as_deref()
    }

    /// The parameter concerned.
    #[must_use]
    pub fn parameter(&self) -> Option<&str> {
        self.0.report.parameter.as_deref()
    }

    /// Every fault that was found in the arguments.
    #[must_use]
    pub fn faults(&self) -> &[ValidationIssue] {
        &self.0.report.faults
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub fn retryable(&self) -> bool {
        self.0.report.retryable
    }

    /// How long to wait until the same call may succeed, where that is known.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.report.retry_after
    }

    /// The output that was reached before the failure.
    #[must_use]
    pub fn output(&self) -> Option<&ToolOutput> {
        self.0.output.as_ref()
    }

    /// The part that is shown and stored.
    #[must_use]
    pub fn report(&self) -> &ErrorReport {
        &self.0.report
    }

    /// The part that is shown and stored, without the source.
    #[must_use]
    pub fn into_report(self) -> ErrorReport {
        self.0.report
    }

    /// What the model reads: the [text](Self::with_text) that was set, or what the [report](ErrorReport::to_model_text)
    /// makes of message and suggestion.
    #[must_use]
    pub fn to_model_text(&self) -> String {
        match &self.0.text {
            Some(text) => text.clone(),
            None => self.0.report.to_model_text(),
        }
    }

    pub(crate) fn into_parts(self) -> (ErrorReport, Option<ToolOutput>) {
        (self.0.report, self.0.output)
    }
}

impl ErrorReport {
    /// What the model reads: `Error: `, the message, and the suggestion.
    #[must_use]
    pub fn to_model_text(&self) -> String {
        match &self.suggestion {
            Some(suggestion) => ["Error: ", &self.message, " ", suggestion].concat(),
            None => ["Error: ", &self.message].concat(),
        }
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

impl From<std::convert::Infallible> for ToolError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
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

pub(crate) fn spoken(duration: Duration) -> String {
    let milliseconds = duration.as_millis();
    match milliseconds {
        1000 => "1 second".to_owned(),
        0..1000 => format!("{milliseconds} ms"),
        _ if milliseconds.is_multiple_of(1000) => format!("{} seconds", milliseconds / 1000),
        _ => format!("{:.1} seconds", duration.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests;
