//! Listing of background commands.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{RiskLevel, ToolContext, ToolError, TypedTool};

use super::command::BackgroundCommand;
use super::store::BackgroundCommands;
use crate::workspace::on_one_line;

/// Maximum characters shown of a command line; the data contains all of it.
const MAX_SHOWN_CHARS: usize = 200;

/// Empty input: all commands are listed.
///
/// # Examples
/// ```
/// use tools_builtin::shell::ListBackgroundInput;
///
/// let _: ListBackgroundInput = serde_json::from_str("{}")?;
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ListBackgroundInput {}

/// Background commands, in start order.
///
/// # Examples
/// ```
/// use tools_builtin::shell::BackgroundList;
///
/// assert_eq!(BackgroundList { commands: Vec::new(), limit: 8 }.to_string(), "(no commands)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct BackgroundList {
    /// Running commands and the most recently finished ones.
    pub commands: Vec<BackgroundCommand>,
    /// Maximum number of running commands.
    pub limit: usize,
}

impl fmt::Display for BackgroundList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One line per command, or a command line with newlines would look like several commands.
        let lines: Vec<String> = self
            .commands
            .iter()
            .map(|command| {
                let (status, line) = (command.status_text(), shown(&command.command));
                format!("{} ({status}): {line}", command.id)
            })
            .collect();
        if lines.is_empty() {
            return f.write_str("(no commands)");
        }
        f.write_str(&lines.join("\n"))
    }
}

/// Formats a command on one line, truncated if it is long.
fn shown(command: &str) -> String {
    match command.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", on_one_line(command.split_at(end).0)),
        None => on_one_line(command).into_owned(),
    }
}

/// Lists the background commands of one session.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tools_builtin::shell::{BackgroundCommands, ListBackground, ListBackgroundInput};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::ToolError> {
/// let tool = ListBackground::new(BackgroundCommands::default());
/// let list = tool.run(&ToolContext::test(), ListBackgroundInput {}).await?;
/// assert!(list.commands.is_empty());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ListBackground {
    commands: BackgroundCommands,
}

impl ListBackground {
    /// Creates a tool that lists `commands`.
    #[must_use]
    pub fn new(commands: BackgroundCommands) -> Self {
        Self { commands }
    }
}

impl TypedTool for ListBackground {
    type Input = ListBackgroundInput;
    type Output = BackgroundList;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(
        &self,
        _cx: &ToolContext,
        _input: ListBackgroundInput,
    ) -> Result<BackgroundList, ToolError> {
        Ok(BackgroundList {
            commands: self.commands.list(),
            limit: self.commands.limit(),
        })
    }

    fn render(output: &BackgroundList) -> String {
        output.to_string()
    }
}
