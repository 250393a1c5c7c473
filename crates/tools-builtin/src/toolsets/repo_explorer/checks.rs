//! Tools of the plan and of the outputs, and numbers that are clamped to their range. Outputs are
//! JSON.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::checks::{ValidateOutput, ValidateOutputInput, ValidationReport};
use crate::todo::{TodoManager, TodoManagerInput, TodoPlan};
use crate::toolsets::document::as_json;
use crate::toolsets::names::Names;

/// Replaces the plan.
pub(super) struct KeepPlan(pub(super) Arc<TodoManager>);

impl TypedTool for KeepPlan {
    type Input = TodoManagerInput;
    type Output = TodoPlan;

    const RISK: RiskLevel = TodoManager::RISK;

    fn hints(&self) -> Hints {
        self.0.hints()
    }

    fn plan(&self, cx: &ToolContext, input: &TodoManagerInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, input)
    }

    async fn run(&self, cx: &ToolContext, input: TodoManagerInput) -> Result<TodoPlan, ToolError> {
        self.0.run(cx, input).await
    }

    fn render(plan: &TodoPlan) -> String {
        as_json(plan)
    }
}

/// Validates an output.
pub(super) struct CheckOutput(pub(super) Arc<ValidateOutput>);

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CheckOutputInput {
    /// Name of the output type.
    output_type: String,
    /// Output to validate: a JSON value, or a string that contains JSON.
    data: Value,
}

impl CheckOutputInput {
    const NAMES: Names = Names::of(&[("output_type", "outputType")]);

    fn request(self) -> ValidateOutputInput {
        ValidateOutputInput {
            output_type: self.output_type,
            data: self.data,
        }
    }
}

impl TypedTool for CheckOutput {
    type Input = CheckOutputInput;
    type Output = ValidationReport;

    const RISK: RiskLevel = ValidateOutput::RISK;

    fn plan(&self, cx: &ToolContext, input: &CheckOutputInput) -> Result<CallPlan, ToolError> {
        let plan = self.0.plan(cx, &input.clone().request());
        CheckOutputInput::NAMES.plan(plan)
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: CheckOutputInput,
    ) -> Result<ValidationReport, ToolError> {
        let run = self.0.run(cx, input.request());
        CheckOutputInput::NAMES.run(cx, run).await
    }

    fn render(report: &ValidationReport) -> String {
        as_json(report)
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
