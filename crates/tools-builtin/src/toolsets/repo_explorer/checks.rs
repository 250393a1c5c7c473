//! Tools of the plan and of the outputs, and numbers that are clamped to their range. Outputs are
//! JSON.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;
use tool_core::{ToolContext, ToolError};

use crate::checks::{ValidateOutput, ValidateOutputInput, ValidationReport};
use crate::todo::{TodoManager, TodoManagerInput, TodoPlan};
use crate::toolsets::document::as_json;
use crate::toolsets::names::Names;
use crate::toolsets::wording::Wording;

impl Wording<TodoManager> for TodoManagerInput {
    fn request(&self) -> Result<TodoManagerInput, ToolError> {
        Ok(self.clone())
    }

    fn text(&self, _cx: &ToolContext, plan: &TodoPlan) -> Result<String, ToolError> {
        Ok(as_json(plan))
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CheckOutput {
    /// Name of the output type.
    output_type: String,
    /// Output to validate: a JSON value, or a string that contains JSON.
    data: Value,
}

impl Wording<ValidateOutput> for CheckOutput {
    const NAMES: Names = Names::of(&[("output_type", "outputType")]);

    fn request(&self) -> Result<ValidateOutputInput, ToolError> {
        Ok(ValidateOutputInput {
            output_type: self.output_type.clone(),
            data: self.data.clone(),
        })
    }

    fn text(&self, _cx: &ToolContext, report: &ValidationReport) -> Result<String, ToolError> {
        Ok(as_json(report))
    }
}

/// Whole number of any size, which is used as one from 1 to `MOST`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(transparent)]
pub(super) struct Clamped<const MOST: u16>(f64);

impl<const MOST: u16> Clamped<MOST> {
    pub(super) const fn of(number: f64) -> Self {
        Self(number)
    }

    /// Returns the number that is used.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is in the range"
    )]
    pub(super) fn get(self) -> u16 {
        self.0.clamp(1.0, MOST.into()) as u16
    }

    /// Warns if another number than the one of the model is used.
    pub(super) fn warn(self, cx: &ToolContext, parameter: &str) {
        let used = self.get();
        if self.0 < 1.0 || self.0 > MOST.into() {
            cx.warn(format!(
                "`{parameter}` is from 1 to {MOST}; {used} was used."
            ));
        }
    }
}

// Without the range of an integer type, because any number is accepted.
impl<const MOST: u16> JsonSchema for Clamped<MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Clamped".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer"})
    }
}
