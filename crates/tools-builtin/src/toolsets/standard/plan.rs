//! The plan.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::todo::{TodoManager, TodoManagerInput, TodoPlan, TodoStatus, TodoStep};

/// Replaces the plan.
pub(super) struct ReplacePlan(pub(super) Arc<TodoManager>);

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct ReplacePlanInput {
    /// All steps, in order.
    #[schemars(length(max = 15))]
    items: Vec<Step>,
}

/// One step.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Step {
    /// Task, such as "Run the tests".
    content: String,
    /// Progress.
    status: StepStatus,
    /// The task while in progress.
    #[serde(default, rename = "activeForm")]
    active_form: Option<String>,
    /// Not needed.
    #[serde(default)]
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

impl ReplacePlanInput {
    fn request(self) -> TodoManagerInput {
        let step = |step: Step| {
            Some(TodoStep {
                status: match step.status {
                    StepStatus::Pending => TodoStatus::Pending,
                    StepStatus::InProgress => TodoStatus::InProgress,
                    StepStatus::Completed => TodoStatus::Completed,
                    StepStatus::Cancelled => return None,
                },
                active_form: step.active_form.unwrap_or_else(|| step.content.clone()),
                content: step.content,
            })
        };
        TodoManagerInput {
            items: self.items.into_iter().filter_map(step).collect(),
        }
    }
}

impl TypedTool for ReplacePlan {
    type Input = ReplacePlanInput;
    type Output = TodoPlan;

    const RISK: RiskLevel = TodoManager::RISK;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("todos", "items"),
        ("steps", "items"),
        ("plan", "items"),
        ("items/*/step", "content"),
    ];

    fn hints(&self) -> Hints {
        self.0.hints()
    }

    fn plan(&self, cx: &ToolContext, input: &ReplacePlanInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.clone().request())
    }

    async fn run(&self, cx: &ToolContext, input: ReplacePlanInput) -> Result<TodoPlan, ToolError> {
        self.0.run(cx, input.request()).await
    }

    fn render(plan: &TodoPlan) -> String {
        TodoManager::render(plan)
    }
}
