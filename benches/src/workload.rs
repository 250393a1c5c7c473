//! Three calls as models make them: two integers, three fields, and a plan of fifteen steps.
//!
//! The bodies do next to nothing, so that what is measured is the way to them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A tool, and a call of it.
pub trait Workload: Clone + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// The tool's name.
    const NAME: &'static str;
    /// What the model is told.
    const DESCRIPTION: &'static str;

    /// The arguments as the model sent them.
    fn text() -> String;

    /// What the tool answers.
    fn answer(&self) -> i64;
}

/// Two numbers to add.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Add {
    /// The first number.
    pub a: i64,
    /// The second number.
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

/// Which part of which file to read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReadFile {
    /// The path, relative to the workspace.
    pub path: String,
    /// The first line, counting from 1.
    pub start_line: Option<u32>,
    /// The last line, included.
    pub end_line: Option<u32>,
}

impl Workload for ReadFile {
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "Reads a text file, whole or by a range of lines.";

    fn text() -> String {
        r#"{"path": "src/main.rs", "start_line": 1, "end_line": 80}"#.to_owned()
    }

    fn answer(&self) -> i64 {
        let first = i64::from(self.start_line.unwrap_or(1));
        let last = i64::from(self.end_line.unwrap_or(u32::MAX));
        length(&self.path) + last - first
    }
}

/// A plan.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Todo {
    /// The steps, in order.
    pub items: Vec<Item>,
}

/// A step of a plan.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// What to do.
    pub content: String,
    /// The same while it is being done.
    pub active_form: String,
    /// How far it is.
    pub status: Status,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Done.
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

/// The call as the tool's own type.
///
/// # Panics
/// When the text does not fit the type, which a bench finds out at once.
#[must_use]
pub fn parsed<W: Workload>(text: &str) -> W {
    serde_json::from_str(text).expect("the text fits the type")
}
