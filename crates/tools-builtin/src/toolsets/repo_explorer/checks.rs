//! Tools of the plan and of the outputs. Outputs are JSON.

use schemars::JsonSchema;
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
