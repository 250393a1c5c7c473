//! Accessors of errors.

use std::time::Duration;

use super::{ErrorReport, ToolError};
use crate::{ErrorCode, SideEffects, ToolOutput, ValidationIssue};

impl ToolError {
    /// Returns the reason for programs.
    #[must_use]
    pub fn code(&self) -> &ErrorCode {
        &self.0.report.code
    }

    /// Returns the message for the model, starting with the parameter name.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.report.message
    }

    /// Returns the next step for the model.
    #[must_use]
    pub fn suggestion(&self) -> Option<&str> {
        self.0.report.suggestion.as_deref()
    }

    /// Returns the affected parameter.
    #[must_use]
    pub fn parameter(&self) -> Option<&str> {
        self.0.report.parameter.as_deref()
    }

    /// Returns all issues found in the arguments.
    #[must_use]
    pub fn issues(&self) -> &[ValidationIssue] {
        &self.0.report.issues
    }

    /// Returns whether the same call may succeed later.
    #[must_use]
    pub fn retryable(&self) -> bool {
        self.0.report.retryable
    }

    /// Returns the minimum delay before a retry, if known.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.report.retry_after
    }

    /// Returns the stated side effects of the failed call.
    #[must_use]
    pub fn side_effects(&self) -> Option<SideEffects> {
        self.0.side_effects.map(|(stated, _)| stated)
    }

    /// Returns the partial output produced before the failure.
    #[must_use]
    pub fn output(&self) -> Option<&ToolOutput> {
        self.0.output.as_ref()
    }

    /// Returns the part that is shown and stored.
    #[must_use]
    pub fn report(&self) -> &ErrorReport {
        &self.0.report
    }

    /// Converts into the part that is shown and stored, without the source.
    #[must_use]
    pub fn into_report(self) -> ErrorReport {
        self.0.report
    }

    /// Returns the text for the model: the [text](Self::with_text) if it was set, otherwise the
    /// [text of the report](ErrorReport::to_model_text).
    #[must_use]
    pub fn to_model_text(&self) -> String {
        match &self.0.text {
            Some(text) => text.clone(),
            None => self.0.report.to_model_text(),
        }
    }
}
