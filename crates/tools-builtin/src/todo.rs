//! Plan of a session: a short list of steps that every call replaces.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

/// Maximum number of steps in a plan.
const MAX_ITEMS: usize = 15;

/// Maximum number of characters in a field of a step.
const MAX_TEXT_CHARS: usize = 500;

/// Progress of a step.
///
/// # Examples
/// ```
/// use tools_builtin::todo::TodoStatus;
///
/// assert_eq!(serde_json::to_string(&TodoStatus::InProgress)?, "\"in_progress\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not started.
    Pending,
    /// In progress.
    InProgress,
    /// Completed.
    Completed,
}

/// One step, as sent by the model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(description = "One step.")]
pub(crate) struct TodoStep {
    /// Task of the step in the imperative, such as "Run the tests".
    pub(crate) content: String,
    /// Task of the step while in progress, such as "Running the tests".
    #[serde(rename = "activeForm", alias = "active_form")]
    pub(crate) active_form: String,
    /// Progress of the step. At most one step may be in progress.
    pub(crate) status: TodoStatus,
}

/// Complete plan, as sent by the model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct TodoManagerInput {
    /// All steps of the plan, in order. The list replaces the previous plan.
    #[schemars(length(max = 15))]
    pub(crate) items: Vec<TodoStep>,
}

/// One step of a stored plan.
///
/// # Examples
/// ```
/// use tools_builtin::todo::{TodoItem, TodoStatus};
///
/// let item: TodoItem = serde_json::from_str(
///     r#"{"id": "step-1", "content": "Test", "activeForm": "Testing", "status": "pending"}"#,
/// )?;
/// assert_eq!(item.status, TodoStatus::Pending);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(description = "One step.")]
pub struct TodoItem {
    /// Identifier, such as `step-1` for the first step.
    pub id: String,
    /// Task of the step.
    pub content: String,
    /// Task of the step while in progress.
    #[serde(rename = "activeForm")]
    pub active_form: String,
    /// Progress of the step.
    pub status: TodoStatus,
}

/// Stored plan.
///
/// # Examples
/// ```
/// use tools_builtin::todo::TodoPlan;
///
/// let plan = TodoPlan::default();
/// assert!(plan.items.is_empty() && plan.current_item.is_none());
/// assert_eq!(plan.max_items, 15);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TodoPlan {
    /// Steps in order.
    pub items: Vec<TodoItem>,
    /// Maximum number of steps in a plan.
    #[serde(rename = "maxItems")]
    pub max_items: usize,
    /// Step in progress, or null.
    #[serde(rename = "currentItem")]
    pub current_item: Option<TodoItem>,
}

impl Default for TodoPlan {
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

impl TodoPlan {
    fn of(items: Vec<TodoItem>) -> Self {
        let current = items
            .iter()
            .find(|item| item.status == TodoStatus::InProgress);
        Self {
            current_item: current.cloned(),
            max_items: MAX_ITEMS,
            items,
        }
    }

    /// Numbers the steps, and starts the first pending step if none is in progress.
    fn parse(steps: Vec<TodoStep>) -> Result<Self, ToolError> {
        check(&steps)?;
        let mut items: Vec<TodoItem> = (1..)
            .zip(steps)
            .map(|(number, step)| TodoItem {
                id: format!("step-{number}"),
                content: step.content.trim().to_owned(),
                active_form: step.active_form.trim().to_owned(),
                status: step.status,
            })
            .collect();
        let idle = items
            .iter()
            .all(|item| item.status != TodoStatus::InProgress);
        let mut pending = items
            .iter_mut()
            .filter(|item| item.status == TodoStatus::Pending);
        if let Some(next) = pending.next().filter(|_| idle) {
            next.status = TodoStatus::InProgress;
        }
        Ok(Self::of(items))
    }
}

/// Tool that replaces the plan of one session.
#[derive(Debug, Clone, Default)]
pub(crate) struct TodoManager {
    store: TodoStore,
}

impl TodoManager {
    /// Returns the store of the plan.
    pub(crate) fn store(&self) -> &TodoStore {
        &self.store
    }
}

impl TypedTool for TodoManager {
    type Input = TodoManagerInput;
    type Output = TodoPlan;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    fn hints(&self) -> Hints {
        Hints {
            idempotent: true,
            ..Hints::of(Self::RISK)
        }
    }

    fn plan(&self, _cx: &ToolContext, input: &TodoManagerInput) -> Result<CallPlan, ToolError> {
        check(&input.items)?;
        // One call at a time, in order, because the last plan wins.
        Ok(CallPlan::of(Self::RISK).uses("plan"))
    }

    async fn run(&self, _cx: &ToolContext, input: TodoManagerInput) -> Result<TodoPlan, ToolError> {
        let plan = TodoPlan::parse(input.items)?;
        self.store.replace(&plan);
        Ok(plan)
    }

    fn render(plan: &TodoPlan) -> String {
        let done = plan
            .items
            .iter()
            .filter(|item| item.status == TodoStatus::Completed)
            .count();
        let mut text = format!("{done} of {} steps done", plan.items.len());
        for item in &plan.items {
            let (mark, task) = match item.status {
                TodoStatus::Pending => (' ', &item.content),
                TodoStatus::InProgress => ('>', &item.active_form),
                TodoStatus::Completed => ('x', &item.content),
            };
            // Writing to a String cannot fail.
            let _ = write!(text, "\n[{mark}] {}: {task}", item.id);
        }
        text
    }
}

fn check(steps: &[TodoStep]) -> Result<(), ToolError> {
    if steps.len() > MAX_ITEMS {
        let sentence = format!("has {} steps; at most {MAX_ITEMS} are allowed", steps.len());
        return Err(ToolError::invalid_arguments("items", sentence)
            .suggest("Merge small steps, or omit completed ones."));
    }
    for (index, step) in steps.iter().enumerate() {
        check_text(index, "content", &step.content)?;
        check_text(index, "activeForm", &step.active_form)?;
    }
    let active: Vec<String> = (1..)
        .zip(steps)
        .filter(|(_, step)| step.status == TodoStatus::InProgress)
        .map(|(number, _)| format!("step {number}"))
        .collect();
    if active.len() > 1 {
        let sentence = format!("has more than one step in progress: {}", active.join(", "));
        return Err(ToolError::invalid_arguments("items", sentence)
            .suggest("Keep one in progress and set the others to pending or completed."));
    }
    Ok(())
}

fn check_text(index: usize, field: &str, text: &str) -> Result<(), ToolError> {
    let parameter = format!("items[{index}].{field}");
    if text.trim().is_empty() {
        return Err(ToolError::invalid_arguments(&parameter, "is empty"));
    }
    if text.chars().nth(MAX_TEXT_CHARS).is_some() {
        let sentence = format!("is longer than {MAX_TEXT_CHARS} characters");
        return Err(
            ToolError::invalid_arguments(&parameter, sentence).suggest("Use one short sentence.")
        );
    }
    Ok(())
}

/// Store for the plan of one session. It notifies subscribers of changes; clones share the store.
///
/// # Examples
/// ```
/// use tools_builtin::todo::TodoStore;
///
/// let store = TodoStore::default();
/// let changes = store.subscribe();
/// assert_eq!(store.plan(), *changes.borrow());
/// ```
#[derive(Debug, Clone)]
pub struct TodoStore(watch::Sender<TodoPlan>);

impl Default for TodoStore {
    fn default() -> Self {
        Self(watch::Sender::new(TodoPlan::default()))
    }
}

impl TodoStore {
    /// Returns the current plan.
    pub fn plan(&self) -> TodoPlan {
        self.0.borrow().clone()
    }

    /// Returns a receiver with the current plan, which is notified of every change.
    pub fn subscribe(&self) -> watch::Receiver<TodoPlan> {
        self.0.subscribe()
    }

    fn replace(&self, plan: &TodoPlan) {
        self.0.send_if_modified(|kept| {
            let changed = kept != plan;
            if changed {
                kept.clone_from(plan);
            }
            changed
        });
    }
}
