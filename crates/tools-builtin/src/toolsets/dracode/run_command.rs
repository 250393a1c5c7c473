//! `run_command` of the toolset: returns the output regardless of the exit code.

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ErrorCode, Presentation, ToolError};

use crate::shell::{
    CLOSE_THE_QUOTE, CommandArguments, CommandOutput, MAX_SECONDS, RunCommandInput,
};
use crate::toolsets::document::{
    PresentationLists as _, documented, reword, reword_prefixed, text, with_default,
    without_blank_text,
};

/// Arguments of the source document, in which seconds may be any number.
#[derive(Deserialize, JsonSchema)]
pub(super) struct RunCommandArguments {
    command: String,
    #[serde(default)]
    arguments: Option<String>,
    #[serde(default = "default_seconds")]
    timeout_seconds: f64,
    /// Not shown, so that advice about it is dropped.
    #[serde(default)]
    needs: Option<Vec<String>>,
    /// Not shown, like `needs`.
    #[serde(default)]
    reason: Option<String>,
}

impl TryFrom<RunCommandArguments> for RunCommandInput {
    type Error = ToolError;

    fn try_from(shape: RunCommandArguments) -> Result<Self, ToolError> {
        Ok(Self {
            command: shape.command,
            arguments: shape.arguments.map(CommandArguments::Text),
            timeout_seconds: whole_seconds(shape.timeout_seconds)?,
            working_directory: ".".to_owned(),
            needs: shape.needs,
            reason: shape.reason,
            judged: OnceLock::new(),
        })
    }
}

/// Prefix of errors that the source document does not word.
const ERROR: &str = "Error running command: ";

pub(super) fn presentation() -> Presentation<CommandOutput> {
    let description = "Execute shell commands with timeout and output capture.";
    let seconds = "Optional timeout in seconds";
    documented("run_command", description)
        .parameters([
            ("command", text("Executable or shell command to run")),
            ("arguments", text("Optional arguments string")),
            ("timeout_seconds", with_default("number", seconds, 120)),
        ])
        .render(|output, _| both_streams(output))
        .map_error(|error, _| map_error(error))
}

fn map_error(error: ToolError) -> ToolError {
    match error.code() {
        _ if error.suggestion() == Some(CLOSE_THE_QUOTE) => {
            reword_prefixed(error.suggest("Close the quote."), ERROR)
        }
        ErrorCode::Timeout => reword(without_blank_text(error), "Error: Process timed out"),
        ErrorCode::Failed | ErrorCode::PermissionDenied if error.parameter() == Some("command") => {
            reword(error, "Error: Failed to start process")
        }
        ErrorCode::Cancelled => error,
        _ => reword_prefixed(error, ERROR),
    }
}

/// Joins standard output and standard error.
fn both_streams(output: &CommandOutput) -> String {
    let (stdout, stderr) = (&output.stdout, &output.stderr);
    let is_separate = stdout.is_empty() || stderr.is_empty() || stdout.ends_with('\n');
    let separator = if is_separate { "" } else { "\n" };
    format!("{stdout}{separator}{stderr}")
}

/// Rounds up to whole seconds. Longer timeouts than the tool's maximum are indistinguishable from it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
fn whole_seconds(seconds: f64) -> Result<u64, ToolError> {
    if seconds > 0.0 {
        return Ok((seconds.ceil() as u64).min(MAX_SECONDS));
    }
    let sentence = format!("must be above 0, not {seconds}");
    Err(ToolError::invalid_arguments("timeout_seconds", sentence)
        .suggest("Use 1 or more, or omit the parameter."))
}

fn default_seconds() -> f64 {
    120.0
}
