//! `run_command` of the toolset: returns the output regardless of the exit code.

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ErrorCode, ToolContext, ToolError};

use crate::shell::{
    CLOSE_THE_QUOTE, CommandArguments, CommandOutput, MAX_SECONDS, RunCommand, RunCommandInput,
};
use crate::toolsets::document::{reword, reword_prefixed, without_blank_text};
use crate::toolsets::names::Names;
use crate::toolsets::wording::Wording;

/// Prefix of errors that the source document does not word.
const ERROR: &str = "Error running command: ";

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RunProgram {
    /// Executable or shell command to run
    command: String,
    /// Optional arguments string
    arguments: Option<String>,
    /// Optional timeout in seconds
    #[serde(default = "default_seconds")]
    #[schemars(extend("default" = 120))]
    timeout_seconds: f64,
}

fn default_seconds() -> f64 {
    120.0
}

impl Wording<RunCommand> for RunProgram {
    const NAMES: Names =
        Names::of(&[]).hiding(&["needs", "read_stored_output", "reason", "working_directory"]);

    fn request(&self) -> Result<RunCommandInput, ToolError> {
        Ok(RunCommandInput {
            command: self.command.clone(),
            arguments: self.arguments.clone().map(CommandArguments::Text),
            timeout_seconds: whole_seconds(self.timeout_seconds)?,
            working_directory: ".".to_owned(),
            needs: None,
            reason: None,
            judged: OnceLock::new(),
        })
    }

    fn reworded(&self, error: ToolError, _commands: &RunCommand) -> ToolError {
        match error.code() {
            _ if error.suggestion() == Some(CLOSE_THE_QUOTE) => {
                reword_prefixed(error.suggest("Close the quote."), ERROR)
            }
            ErrorCode::Timeout => reword(without_blank_text(error), "Error: Process timed out"),
            ErrorCode::Failed | ErrorCode::PermissionDenied
                if error.parameter() == Some("command") =>
            {
                reword(error, "Error: Failed to start process")
            }
            ErrorCode::Cancelled => error,
            _ => reword_prefixed(error, ERROR),
        }
    }

    /// Joins standard output and standard error.
    fn text(&self, _cx: &ToolContext, output: &CommandOutput) -> Result<String, ToolError> {
        let (stdout, stderr) = (&output.stdout, &output.stderr);
        let is_separate = stdout.is_empty() || stderr.is_empty() || stdout.ends_with('\n');
        let separator = if is_separate { "" } else { "\n" };
        Ok(format!("{stdout}{separator}{stderr}"))
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_test::Scratch;

    use super::*;
    use crate::{Kit, Workspace};

    #[test]
    fn cancellation_keeps_its_words() {
        let scratch = Scratch::new();
        let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
        let input: RunProgram = serde_json::from_value(json!({"command": "true"})).unwrap();

        let error = input.reworded(ToolError::cancelled(), &kit.shell.run_command);

        assert_eq!(error.to_string(), ToolError::cancelled().to_string());
    }
}
