//! `run_command` of the set: a program and its output, whatever its exit code.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ErrorCode, Presentation, ToolError};

use crate::contracts::words::{
    documented, says, says_after, text, with_default, without_blank_text,
};
use crate::shell::{CLOSE_THE_QUOTE, CommandArguments, CommandOutput, RunCommandInput};

/// The arguments as the document has them: seconds are any number.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Shape {
    command: String,
    #[serde(default)]
    arguments: Option<String>,
    #[serde(default = "default_seconds")]
    timeout_seconds: f64,
}

impl TryFrom<Shape> for RunCommandInput {
    type Error = ToolError;

    fn try_from(shape: Shape) -> Result<Self, ToolError> {
        Ok(Self {
            command: shape.command,
            arguments: shape.arguments.map(CommandArguments::Text),
            timeout_seconds: whole_seconds(shape.timeout_seconds)?,
            working_directory: ".".to_owned(),
        })
    }
}

/// Stands before what has no words of its own.
const ERROR: &str = "Error running command: ";

pub(super) fn show() -> Presentation<CommandOutput> {
    let seconds = "Optional timeout in seconds";
    documented(
        "run_command",
        "Execute shell commands with timeout and output capture.",
    )
    .schema("command", text("Executable or shell command to run"))
    .schema("arguments", text("Optional arguments string"))
    .schema("timeout_seconds", with_default("number", seconds, 120))
    .render(|output: &CommandOutput, _| both_streams(output))
    .map_error(|error, _| match error.code() {
        _ if error.suggestion() == Some(CLOSE_THE_QUOTE) => {
            says_after(error.suggest("Close the quote."), ERROR)
        }
        ErrorCode::Timeout => says(without_blank_text(error), "Error: Process timed out"),
        ErrorCode::Failed | ErrorCode::PermissionDenied if error.parameter() == Some("command") => {
            says(error, "Error: Failed to start process")
        }
        ErrorCode::Cancelled => error,
        _ => says_after(error, ERROR),
    })
}

/// Standard output, and standard error behind it.
fn both_streams(output: &CommandOutput) -> String {
    let (stdout, stderr) = (&output.stdout, &output.stderr);
    let is_apart = stdout.is_empty() || stderr.is_empty() || stdout.ends_with('\n');
    let between = if is_apart { "" } else { "\n" };
    format!("{stdout}{between}{stderr}")
}

/// Part of a second is given as a whole one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is too large or below zero ends at a border, which the engine refuses"
)]
fn whole_seconds(seconds: f64) -> Result<u64, ToolError> {
    if seconds > 0.0 {
        return Ok(seconds.ceil() as u64);
    }
    let sentence = format!("must be above 0, not {seconds}");
    Err(ToolError::invalid_arguments("timeout_seconds", sentence)
        .suggest("Use 1 or more, or leave it out."))
}

fn default_seconds() -> f64 {
    120.0
}
