//! A plan that the model keeps: a short list of steps, replaced as a whole.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tool_core::{Concurrency, Engine, Hints, Limits, RiskLevel, ToolContext, ToolError};

/// The most steps that a plan may have.
const MAX_ITEMS: usize = 15;

/// How long the text of one step may be.
const MAX_TEXT_CHARS: usize = 500;

/// How far a step of a plan is.
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
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
}

/// One step as the model writes it.
///
/// # Examples
/// ```
/// use tools_builtin::todo::TodoStep;
///
/// let step: TodoStep = serde_json::from_str(
///     r#"{"content": "Test", "activeForm": "Testing", "status": "pending"}"#,
/// )?;
/// assert_eq!(step.active_form, "Testing");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(description = "One step.")]
pub struct TodoStep {
    /// What is to be done, as an order: "Run the tests".
    pub content: String,
    /// The same while it is being done, in the present: "Running the tests".
    #[serde(rename = "activeForm", alias = "active_form")]
    pub active_form: String,
    /// How far the step is; at most one may be in progress.
    pub status: TodoStatus,
}

/// The whole of the plan, as the model writes it.
///
/// # Examples
/// ```
/// use tools_builtin::todo::TodoManagerInput;
///
/// let input: TodoManagerInput = serde_json::from_str(r#"{"items": []}"#)?;
/// assert!(input.items.is_empty());
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct TodoManagerInput {
    /// Every step of the plan, in order; the list replaces the one before.
    #[schemars(length(max = 15))]
    pub items: Vec<TodoStep>,
}

/// One step of the plan that is kept.
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
    /// `step-1` for the first one, and so on.
    pub id: String,
    /// What is to be done.
    pub content: String,
    /// The same while it is being done.
    #[serde(rename = "activeForm")]
    pub active_form: String,
    /// How far the step is.
    pub status: TodoStatus,
}

/// The plan as it is kept.
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
    /// Every step, in order.
    pub items: Vec<TodoItem>,
    /// The most steps that a plan may have.
    #[serde(rename = "maxItems")]
    pub max_items: usize,
    /// The step in progress; null when none is.
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

    /// Numbers the steps, and begins the first pending one when none is in progress.
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

/// Holds the plan of one session, and tells who draws it of every change. Clones are one store.
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
        Self::new(TodoPlan::default())
    }
}

impl TodoStore {
    /// Creates a store that begins with `plan`, such as one kept from an earlier session.
    #[must_use]
    pub fn new(plan: TodoPlan) -> Self {
        Self(watch::Sender::new(plan))
    }

    /// The plan as it is now.
    #[must_use]
    pub fn plan(&self) -> TodoPlan {
        self.0.borrow().clone()
    }

    /// The plan as it is now, and the news of each change to come.
    #[must_use]
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

/// Replaces the plan of one session.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tools_builtin::todo::{TodoManager, TodoStore};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = TodoStore::default();
/// let engine = TodoManager::new(store.clone());
/// let input = serde_json::from_str(
///     r#"{"items": [{"content": "Test", "activeForm": "Testing", "status": "pending"}]}"#,
/// )?;
/// engine.run(&ToolContext::test(), input, &Limits::default()).await?;
/// assert_eq!(store.plan().current_item.map(|item| item.id).as_deref(), Some("step-1"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct TodoManager {
    store: TodoStore,
}

impl TodoManager {
    /// Creates an engine that keeps the plan in `store`.
    #[must_use]
    pub fn new(store: TodoStore) -> Self {
        Self { store }
    }
}

#[async_trait]
impl Engine for TodoManager {
    type Input = TodoManagerInput;
    type Output = TodoPlan;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    fn hints(&self) -> Hints {
        Hints {
            idempotent: true,
            ..Hints::of(Self::RISK)
        }
    }

    fn concurrency(&self) -> Concurrency {
        // The later of two plans holds, so they must not overtake each other.
        Concurrency::Exclusive
    }

    fn check(&self, input: &TodoManagerInput) -> Result<(), ToolError> {
        check(&input.items)
    }

    async fn run(
        &self,
        _cx: &ToolContext,
        input: TodoManagerInput,
        _limits: &Limits,
    ) -> Result<TodoPlan, ToolError> {
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
            let (mark, words) = match item.status {
                TodoStatus::Pending => (' ', &item.content),
                TodoStatus::InProgress => ('>', &item.active_form),
                TodoStatus::Completed => ('x', &item.content),
            };
            // Writing to a String cannot fail.
            let _ = write!(text, "\n[{mark}] {}: {words}", item.id);
        }
        text
    }
}

fn check(steps: &[TodoStep]) -> Result<(), ToolError> {
    if steps.len() > MAX_ITEMS {
        let sentence = format!("has {} steps; a plan takes {MAX_ITEMS}", steps.len());
        return Err(ToolError::invalid_arguments("items", sentence)
            .suggest("Join small steps, or leave out those that are long done."));
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
            .suggest("Leave one in progress, and make the others pending or completed."));
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
        return Err(ToolError::invalid_arguments(&parameter, sentence)
            .suggest("Say it in one short sentence."));
    }
    Ok(())
}
