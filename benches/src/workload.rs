//! Three typical calls: two integers, three fields, and a plan of fifteen steps.
//!
//! The bodies do almost nothing, so that the overhead is measured.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Tool and a call of it.
pub trait Workload: Clone + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Name of the tool.
    const NAME: &'static str;
    /// Description for the model.
    const DESCRIPTION: &'static str;

    /// Returns the arguments as text.
    fn text() -> String;

    /// Returns the result of the tool.
    fn answer(&self) -> i64;
}

/// Two numbers to add.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Add {
    /// First number.
    pub a: i64,
    /// Second number.
    pub b: i64,
}

impl Workload for Add {
    const NAME: &'static str = "add";
    const DESCRIPTION: &'static str = "Adds two numbers.";

    fn text() -> String {
        r#"{"a": 2, "b": 40}"#.to_owned()
    }

    fn answer(&self) -> i64 {
        self.a + self.b
    }
}

/// Range of a file to read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReadFile {
    /// Path, relative to the workspace.
    pub path: String,
    /// First line, counted from 1.
    pub start_line: Option<u32>,
    /// Last line, inclusive.
    pub end_line: Option<u32>,
}

impl Workload for ReadFile {
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "Reads a text file, optionally limited to a range of lines.";

    fn text() -> String {
        r#"{"path": "src/main.rs", "start_line": 1, "end_line": 80}"#.to_owned()
    }

    fn answer(&self) -> i64 {
        let first = i64::from(self.start_line.unwrap_or(1));
        let last = i64::from(self.end_line.unwrap_or(u32::MAX));
        length(&self.path) + last - first
    }
}

/// Plan.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Todo {
    /// Steps, in order.
    pub items: Vec<Item>,
}

/// Step of a plan.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Description of the step.
    pub content: String,
    /// Description of the step while it is in progress.
    pub active_form: String,
    /// Status of the step.
    pub status: Status,
}

/// Status of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not started.
    Pending,
    /// In progress.
    InProgress,
    /// Completed.
    Completed,
}

impl Workload for Todo {
    const NAME: &'static str = "todo";
    const DESCRIPTION: &'static str = "Replaces the plan with a new list of steps.";

    fn text() -> String {
        let statuses = ["completed", "in_progress", "pending"];
        let items: Vec<String> = statuses
            .iter()
            .cycle()
            .take(15)
            .enumerate()
            .map(|(step, status)| {
                format!(
                    r#"{{"content": "Do step {step} of the plan", "activeForm": "Doing step {step}", "status": "{status}"}}"#
                )
            })
            .collect();
        format!(r#"{{"items": [{}]}}"#, items.join(", "))
    }

    fn answer(&self) -> i64 {
        let open = |item: &&Item| item.status != Status::Completed;
        let words = |item: &Item| length(&item.content) + length(&item.active_form);
        self.items.iter().filter(open).map(words).sum()
    }
}

fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

/// Deserializes a call into the tool's own type.
///
/// # Panics
/// Panics if the text does not match the type.
#[must_use]
pub fn parsed<W: Workload>(text: &str) -> W {
    serde_json::from_str(text).expect("the text matches the type")
}
