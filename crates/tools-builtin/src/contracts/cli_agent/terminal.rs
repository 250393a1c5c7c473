//! Commands.

use std::time::Duration;

use tool_core::{Arguments, ErrorCode, Presentation, ToolError, ToolOutput};

use crate::contracts::words::{
    documented, says, says_with, text, with_default, without_blank_text,
};
use crate::shell::{CommandOutput, ExecutedCommand};

/// What a shell exits with when it finds no such command.
const NOT_FOUND: i32 = 127;

pub(super) fn run_in_terminal() -> Presentation<CommandOutput> {
    let seconds = "Timeout in seconds (default: 30)";
    documented("run_in_terminal", "Execute a shell command")
        .only(["command", "timeout_seconds"])
        .schema("command", text("Shell command to execute"))
        .schema("timeout_seconds", with_default("integer", seconds, 30))
        .render(|output: &CommandOutput, _| command_output(output))
        .fail(|output: &CommandOutput, _| failure(output))
        .map_error(running)
}

fn command_output(output: &CommandOutput) -> String {
    let mut shown = format!("Command output:\n{}", ended(&output.stdout));
    if !output.stderr.is_empty() {
        shown.push_str("stderr:\n");
        shown.push_str(&ended(&output.stderr));
    }
    shown
}

/// The text with a line break at its end; nothing stays nothing.
fn ended(stream: &str) -> String {
    let is_ended = stream.is_empty() || stream.ends_with('\n');
    let end = if is_ended { "" } else { "\n" };
    format!("{stream}{end}")
}

/// The error of a command that did not end well. What it wrote to its standard output stands behind the text.
fn failure(output: &CommandOutput) -> Option<ToolError> {
    let (code, text) = match (output.exit_code, output.signal) {
        (Some(0), _) | (None, None) => return None,
        (Some(NOT_FOUND), _) if let Some(name) = missing_command(&output.stderr) => {
            let text = format!("Error: Command '{name}' not found");
            (ErrorCode::CommandNotFound, text)
        }
        (Some(code), _) => {
            let stderr = output.stderr.trim_end_matches('\n');
            let text = format!("Error: Command failed with exit code {code}:\n{stderr}");
            (ErrorCode::CommandFailed, text)
        }
        (None, Some(signal)) => {
            let stderr = output.stderr.trim_end_matches('\n');
            let text = format!("Error: Command was ended by signal {signal}:\n{stderr}");
            (ErrorCode::CommandFailed, text)
        }
    };
    let error = says_with(ToolError::failed(""), code, text);
    Some(if output.stdout.is_empty() {
        error
    } else {
        let shown = format!("Command output:\n{}", ended(&output.stdout));
        error.with_output(ToolOutput::text(shown))
    })
}

/// The name in the last line that the shell wrote, such as `bash: line 1: name: command not found`.
fn missing_command(stderr: &str) -> Option<&str> {
    let line = stderr.trim_end().lines().next_back()?;
    let told = line
        .strip_suffix(": command not found")
        .or_else(|| line.strip_suffix(": not found"))
        .or_else(|| {
            // Programs say this of their own files.
            let is_of_shell = line.starts_with("bash: ") || line.starts_with("sh: ");
            let told = line.strip_suffix(": No such file or directory");
            told.filter(|_| is_of_shell)
        })?;
    told.rsplit(": ").next()
}

pub(super) fn running(error: ToolError, arguments: &Arguments<'_>) -> ToolError {
    if *error.code() != ErrorCode::Timeout {
        return error;
    }
    let seconds = arguments.get("timeout_seconds");
    let seconds = seconds.and_then(tool_core::Node::as_u64).unwrap_or(30);
    let allowed = ToolError::timeout(Duration::from_secs(seconds));
    let text = if error.message() == allowed.message() {
        format!("Error: Command timed out after {seconds} seconds")
    } else {
        // The call as a whole had less time.
        format!(
            "Error: {}",
            error.message().replacen("The call", "Command", 1)
        )
    };
    says(without_blank_text(error), text)
}

pub(super) fn terminal_last_command() -> Presentation<ExecutedCommand> {
    let description = "Retrieve the last shell command that was executed";
    documented("terminal_last_command", description)
        .render(|last: &ExecutedCommand, _| {
            let (command, output) = (&last.command, last.output.trim_end_matches('\n'));
            format!("Last command: {command}\nOutput: {output}")
        })
        .note("command", |last: &ExecutedCommand, _| last.command.clone())
        .note("exit_code", |last: &ExecutedCommand, _| last.exit_code)
        .note("executed_at", |last: &ExecutedCommand, _| {
            to_the_second(&last.executed_at.to_string())
        })
        .map_error(|error, _| match error.code() {
            ErrorCode::NoPreviousCommand => {
                says(error, "Error: No previous command in this session")
            }
            _ => error,
        })
}

/// A time without the part of a second.
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
    fn the_missing_command_is_read_from_what_shells_write() {
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
    fn a_time_is_given_to_the_second() {
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
