//! Terminal tools.

use std::time::Duration;

use tool_core::{Arguments, ErrorCode, Presentation, RiskLevel, ToolError, ToolOutput};

use crate::shell::{AFTER_FAILURE, CommandOutput, ExecutedCommand};
use crate::toolsets::document::{
    PresentationLists as _, documented, number_argument, reword, reword_as, text, with_default,
    without_blank_text,
};

/// Exit code of shells for an unknown command.
const NOT_FOUND: i32 = 127;

pub(super) fn run_in_terminal() -> Presentation<CommandOutput> {
    let seconds = "Timeout in seconds (default: 30)";
    documented("run_in_terminal", "Execute a shell command")
        .parameters([
            ("command", text("Shell command to execute")),
            ("timeout_seconds", with_default("integer", seconds, 30)),
        ])
        // The document requires approval for every command.
        .min_risk(RiskLevel::Dangerous)
        .render(|output, _| command_output(output))
        .fail(|output, _| failure(output))
        .map_error(map_error)
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
    if output.stdout.is_empty() {
        return Some(error);
    }
    let shown = format!("Command output:\n{}", with_final_newline(&output.stdout));
    Some(error.with_output(ToolOutput::text(shown)))
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

fn map_error(error: ToolError, arguments: &Arguments<'_>) -> ToolError {
    if *error.code() != ErrorCode::Timeout {
        return error;
    }
    let seconds = number_argument(arguments, "timeout_seconds").unwrap_or(30);
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

pub(super) fn terminal_last_command() -> Presentation<ExecutedCommand> {
    let description = "Retrieve the last shell command that was executed";
    documented("terminal_last_command", description)
        .render(|last: &ExecutedCommand, _| {
            let (command, output) = (&last.command, last.output.trim_end_matches('\n'));
            format!("Last command: {command}\nOutput: {output}")
        })
        .notes([
            ("command", |last| last.command.clone().into()),
            ("exit_code", |last| last.exit_code.into()),
            ("executed_at", |last| {
                to_the_second(&last.executed_at.to_string()).into()
            }),
        ])
        .map_error(|error, _| match error.code() {
            ErrorCode::NoPreviousCommand => {
                reword(error, "Error: No previous command in this session")
            }
            _ => error,
        })
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
