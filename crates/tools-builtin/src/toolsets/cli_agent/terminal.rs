//! Terminal tools.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tool_core::{ErrorCode, RiskLevel, ToolContext, ToolError, ToolOutput, TypedTool};

use crate::shell::{
    AFTER_FAILURE, Bash, BashInput, CommandOutput, ExecutedCommand, TerminalHistory,
};
use crate::toolsets::document::{integer, reword, reword_as, without_blank_text};
use crate::toolsets::names::Names;
use crate::toolsets::wording::Wording;

/// Exit code of shells for an unknown command.
const NOT_FOUND: i32 = 127;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RunInTerminal {
    /// Shell command to execute
    command: String,
    /// Timeout in seconds (default: 30)
    #[serde(default = "default_timeout_seconds")]
    #[schemars(schema_with = "integer")]
    timeout_seconds: u64,
}

fn default_timeout_seconds() -> u64 {
    30
}

impl Wording<Bash> for RunInTerminal {
    const NAMES: Names = Names::of(&[]).hiding(&[
        "working_directory",
        "background",
        "needs",
        "read_stored_output",
        "reason",
    ]);

    fn request(&self) -> Result<BashInput, ToolError> {
        Ok(BashInput {
            timeout_seconds: self.timeout_seconds,
            ..BashInput::of(self.command.clone())
        })
    }

    fn reworded(&self, error: ToolError, _commands: &Bash) -> ToolError {
        timed_out(error, self.timeout_seconds)
    }

    fn text(&self, _cx: &ToolContext, output: &CommandOutput) -> Result<String, ToolError> {
        failure(output).map_or_else(|| Ok(command_output(output)), Err)
    }
}

fn command_output(output: &CommandOutput) -> String {
    let mut shown = format!("Command output:\n{}", with_final_newline(&output.stdout));
    if !output.stderr.is_empty() {
        shown.push_str("stderr:\n");
        shown.push_str(&with_final_newline(&output.stderr));
    }
    shown
}

/// Adds a final newline, except to an empty string.
fn with_final_newline(stream: &str) -> String {
    let is_complete = stream.is_empty() || stream.ends_with('\n');
    let end = if is_complete { "" } else { "\n" };
    format!("{stream}{end}")
}

/// Returns the error of a failed command, with its standard output after the text.
fn failure(output: &CommandOutput) -> Option<ToolError> {
    let stderr = output.stderr.trim_end_matches('\n');
    let (code, text, next) = match (output.exit_code, output.signal) {
        (Some(0), _) | (None, None) => return None,
        (Some(NOT_FOUND), _) if let Some(name) = missing_command(stderr) => (
            ErrorCode::CommandNotFound,
            format!("Command '{name}' not found"),
            "Check the spelling, or use another program.",
        ),
        (Some(code), _) => {
            let text = format!("Command failed with exit code {code}:\n{stderr}");
            (ErrorCode::CommandFailed, text, AFTER_FAILURE)
        }
        (None, Some(signal)) => {
            let text = format!("Command was killed by signal {signal}:\n{stderr}");
            (ErrorCode::CommandFailed, text, AFTER_FAILURE)
        }
    };
    let error = ToolError::failed("").suggest(next);
    let error = reword_as(error, code, format!("Error: {text}"));
    let shown = match &*output.stdout {
        "" => ToolOutput::default(),
        stdout => ToolOutput::text(format!("Command output:\n{}", with_final_newline(stdout))),
    };
    Some(error.with_output(shown.with_data(json!(output))))
}

/// Returns the command name from the shell's last line, such as `bash: line 1: name: command not
/// found`.
fn missing_command(stderr: &str) -> Option<&str> {
    let line = stderr.trim_end().lines().next_back()?;
    let (prefix, reason) = line.rsplit_once(": ")?;
    // Other programs use the last message for their input files.
    let is_of_shell = line.starts_with("bash: ") || line.starts_with("sh: ");
    let is_missing = match reason {
        "command not found" | "not found" => true,
        "No such file or directory" => is_of_shell,
        _ => false,
    };
    is_missing.then(|| prefix.rsplit(": ").next())?
}

fn timed_out(error: ToolError, seconds: u64) -> ToolError {
    if *error.code() != ErrorCode::Timeout {
        return error;
    }
    let allowed = ToolError::timeout(Duration::from_secs(seconds));
    let text = if error.message() == allowed.message() {
        format!("Error: Command timed out after {seconds} seconds")
    } else {
        // The remaining time of the call was shorter than `timeout_seconds`.
        let message = error.message().replacen("The call", "Command", 1);
        format!("Error: {message}")
    };
    reword(without_blank_text(error), text)
}

pub(super) struct TerminalLastCommand(pub(super) TerminalHistory);

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("properties" = {}))]
pub(super) struct NoInput {}

impl TypedTool for TerminalLastCommand {
    type Input = NoInput;
    type Output = ExecutedCommand;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(&self, cx: &ToolContext, _input: NoInput) -> Result<ExecutedCommand, ToolError> {
        let last = self.0.last().ok_or_else(|| {
            let sentence = "No previous command in this session";
            let error = ToolError::new(ErrorCode::NoPreviousCommand, sentence);
            reword(
                error.suggest("Run a command first."),
                format!("Error: {sentence}"),
            )
        })?;
        cx.note("command", &*last.command);
        cx.note("exit_code", last.exit_code);
        cx.note("executed_at", to_the_second(&last.executed_at.to_string()));
        Ok(last)
    }

    fn render(last: &ExecutedCommand) -> String {
        let (command, output) = (&last.command, last.output.trim_end_matches('\n'));
        format!("Last command: {command}\nOutput: {output}")
    }
}

fn to_the_second(time: &str) -> String {
    match time.split_once('.') {
        Some((whole, _)) => format!("{whole}Z"),
        None => time.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_command_is_parsed_from_shell_messages() {
        for (stderr, name) in [
            (
                "bash: line 1: invalid_cmd: command not found\n",
                Some("invalid_cmd"),
            ),
            ("sh: 1: invalid_cmd: not found\n", Some("invalid_cmd")),
            (
                "bash: line 1: ./nosuch.sh: No such file or directory\n",
                Some("./nosuch.sh"),
            ),
            ("warning\nbash: line 3: a b: command not found", Some("a b")),
            ("cat: nosuch: No such file or directory", None),
            ("gone", None),
            ("", None),
        ] {
            assert_eq!(missing_command(stderr), name, "{stderr}");
        }
    }

    #[test]
    fn timestamp_omits_fraction_of_second() {
        assert_eq!(
            to_the_second("2025-11-10T10:05:00.250Z"),
            "2025-11-10T10:05:00Z"
        );
        assert_eq!(
            to_the_second("2025-11-10T10:05:00Z"),
            "2025-11-10T10:05:00Z"
        );
    }
}
