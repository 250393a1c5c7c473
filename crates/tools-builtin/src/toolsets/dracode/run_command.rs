//! `run_command` of the toolset: returns the output regardless of the exit code.

use schemars::JsonSchema;
use serde::Deserialize;
use shell_verdict::words::{self, UnbalancedQuote};
use tool_core::{ErrorCode, ToolContext, ToolError};

use crate::shell::{Argv, Bash, BashInput, CommandOutput, MAX_SECONDS};
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

impl RunProgram {
    /// Returns the program and its arguments. Blank arguments count as omitted: the command then has them too.
    fn argv(&self) -> Result<Argv, ToolError> {
        let arguments = self.arguments.as_deref();
        let arguments = arguments.filter(|text| !text.trim().is_empty());
        let words = if let Some(text) = arguments {
            let mut words = split("arguments", text)?;
            words.insert(0, self.command.trim().to_owned());
            words
        } else {
            split("command", &self.command)?
        };
        if words.first().is_none_or(String::is_empty) {
            return Err(ToolError::invalid_arguments("command", "names no program")
                .suggest("Pass the name of a program, such as `ls`."));
        }
        Ok(Argv {
            words,
            has_arguments: arguments.is_some(),
        })
    }
}

impl Wording<Bash> for RunProgram {
    const NAMES: Names =
        Names::of(&[]).hiding(&["needs", "read_stored_output", "reason", "working_directory"]);

    fn request(&self) -> Result<BashInput, ToolError> {
        let argv = self.argv()?;
        Ok(BashInput {
            timeout_seconds: whole_seconds(self.timeout_seconds)?,
            program: Some(argv.clone()),
            ..BashInput::of(words::join(argv.words.iter().map(String::as_str)))
        })
    }

    fn reworded(&self, error: ToolError, _commands: &Bash) -> ToolError {
        match error.code() {
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

fn split(parameter: &str, text: &str) -> Result<Vec<String>, ToolError> {
    words::split(text).map_err(|quote: UnbalancedQuote| {
        let sentence = format!("has an unbalanced {}", quote.symbol());
        ToolError::invalid_arguments(parameter, sentence).suggest("Close the quote.")
    })
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

        let error = input.reworded(ToolError::cancelled(), &kit.shell.bash);

        assert_eq!(error.to_string(), ToolError::cancelled().to_string());
    }
}
