//! The plan.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::ToolError;

use crate::todo::{TodoManager, TodoManagerInput, TodoStatus, TodoStep};
use crate::toolsets::wording::Wording;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct ReplacePlan {
    /// All steps.
    #[schemars(length(max = 15))]
    items: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Step {
    /// Task.
    content: String,
    /// Progress.
    status: StepStatus,
    /// Task in progress.
    #[serde(default, rename = "activeForm")]
    active_form: Option<String>,
    /// Not needed.
    #[expect(dead_code, reason = "steps are numbered anew")]
    id: Option<String>,
}

/// Progress of a step. Models give up steps, which then leave the plan.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StepStatus {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

impl Wording<TodoManager> for ReplacePlan {
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("todos", "items"),
        ("steps", "items"),
        ("plan", "items"),
        ("items/*/step", "content"),
    ];

    fn request(&self) -> Result<TodoManagerInput, ToolError> {
        let step = |step: &Step| {
            Some(TodoStep {
                status: match step.status {
                    StepStatus::Pending => TodoStatus::Pending,
                    StepStatus::InProgress => TodoStatus::InProgress,
                    StepStatus::Completed => TodoStatus::Completed,
                    StepStatus::Cancelled => return None,
                },
                active_form: step.active_form.as_ref().unwrap_or(&step.content).clone(),
                content: step.content.clone(),
            })
        };
        Ok(TodoManagerInput {
            items: self.items.iter().filter_map(step).collect(),
        })
    }
}
