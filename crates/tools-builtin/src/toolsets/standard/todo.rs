//! The plan, whose steps may have the ids of the last output, so that the model may send a returned plan unchanged.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::todo::{TodoManager, TodoManagerInput, TodoPlan, TodoStatus, TodoStep};

/// Replaces the plan.
pub(super) struct ReplacePlan(pub(super) Arc<TodoManager>);

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct ReplacePlanInput {
    /// All steps of the plan, in order. The list replaces the previous plan.
    #[schemars(length(max = 15))]
    items: Vec<Step>,
}

/// One step.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Step {
    /// Task of the step in the imperative, such as "Run the tests".
    content: String,
    /// Task of the step while in progress, such as "Running the tests".
    #[serde(rename = "activeForm")]
    active_form: String,
    /// Progress of the step. At most one step may be in progress.
    status: TodoStatus,
    /// Identifier from the previous plan. May be omitted; steps are renumbered.
    #[serde(default)]
    #[schemars(with = "String")]
    #[expect(dead_code, reason = "steps are numbered anew")]
    id: Option<String>,
}

impl ReplacePlanInput {
    fn request(self) -> TodoManagerInput {
        let step = |step: Step| TodoStep {
            content: step.content,
            active_form: step.active_form,
            status: step.status,
        };
        TodoManagerInput {
            items: self.items.into_iter().map(step).collect(),
        }
    }
}

impl TypedTool for ReplacePlan {
    type Input = ReplacePlanInput;
    type Output = TodoPlan;

    const RISK: RiskLevel = TodoManager::RISK;

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
