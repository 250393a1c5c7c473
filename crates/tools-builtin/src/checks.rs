//! Validation of the model's output before the model returns it.
//!
//! An application registers the output types it accepts, each with a JSON Schema, checks in code,
//! or both. The model calls the tool `validate_output` with its data, fixes the errors, and calls it again.
//! Warnings do not make data invalid.

mod output_type;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::blocking::blocking;
use output_type::MAX_NAMES;

pub use output_type::{Findings, OutputType, OutputTypes, domain_map};

/// Output to validate and its type.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub(crate) struct ValidateOutputInput {
    /// Name of the output type.
    pub(crate) output_type: String,
    /// The output, as JSON.
    pub(crate) data: Value,
}

/// Result of a validation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ValidationReport {
    /// Whether there are no errors. Warnings do not count.
    pub(crate) valid: bool,
    /// Errors to fix, with JSON pointers into the data: at most 50, followed by the number of
    /// further ones.
    pub(crate) errors: Vec<String>,
    /// Possible improvements: at most 50, followed by the number of further ones.
    pub(crate) warnings: Vec<String>,
}

/// Validator for the output types of an application. Invalid data is a successful result, not an
/// error.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValidateOutput {
    types: OutputTypes,
}

impl ValidateOutput {
    /// Creates a validator for `types`.
    pub(crate) fn new(types: OutputTypes) -> Self {
        Self { types }
    }

    /// Returns the known types.
    pub(crate) fn types(&self) -> &OutputTypes {
        &self.types
    }

    fn type_of(&self, input: &ValidateOutputInput) -> Result<&Arc<OutputType>, ToolError> {
        self.types
            .named(&input.output_type)
            .ok_or_else(|| self.unknown())
    }

    fn unknown(&self) -> ToolError {
        let names: Vec<String> = self.types.names().map(|name| format!("`{name}`")).collect();
        let shown = names.get(..MAX_NAMES).unwrap_or(&names);
        let suggestion = match (shown, names.len() - shown.len()) {
            ([], _) => {
                "Return the output without validating it; no types are registered.".to_owned()
            }
            (shown, 0) => format!("Use one of {}.", shown.join(", ")),
            (shown, more) => format!("Use one of {} or {more} others.", shown.join(", ")),
        };
        ToolError::invalid_arguments("output_type", "is an unknown output type").suggest(suggestion)
    }
}

impl TypedTool for ValidateOutput {
    type Input = ValidateOutputInput;
    type Output = ValidationReport;

    const RISK: RiskLevel = RiskLevel::ReadOnly;
    const ALIASES: &'static [(&'static str, &'static str)] = &[("outputType", "output_type")];

    fn plan(&self, _cx: &ToolContext, input: &ValidateOutputInput) -> Result<CallPlan, ToolError> {
        self.type_of(input)?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let output_type = Arc::clone(self.type_of(&input)?);
        let findings = blocking(cx, move |_| Ok(output_type.validate(&input.data))).await?;
        Ok(ValidationReport {
            valid: findings.is_valid(),
            errors: findings.errors(),
            warnings: findings.warnings(),
        })
    }

    fn render(report: &ValidationReport) -> String {
        let mut text = if report.valid { "Valid." } else { "Not valid." }.to_owned();
        for (what, findings) in [("Errors", &report.errors), ("Warnings", &report.warnings)] {
            if findings.is_empty() {
                continue;
            }
            // Writing to a String cannot fail.
            let _ = write!(text, "\n{what}:\n- {}", findings.join("\n- "));
        }
        text
    }
}
