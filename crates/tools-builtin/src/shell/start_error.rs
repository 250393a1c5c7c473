//! Errors of starting a program.

use std::io;

use tool_core::{ErrorCode, ToolError};

/// Maximum characters of a program name that an error repeats.
const MAX_NAME_CHARS: usize = 80;

/// Returns the error for a program that does not exist.
pub(crate) fn not_found(name: &str) -> ToolError {
    let shown: String = name.chars().take(MAX_NAME_CHARS).collect();
    let sentence = format!("names a program that was not found: `{shown}`");
    ToolError::about(ErrorCode::CommandNotFound, "command", sentence).suggest(alternative(name))
}

fn alternative(name: &str) -> &'static str {
    match name {
        "cd" | "pushd" | "popd" => "Set the working directory of the call instead.",
        "source" | "." | "export" | "alias" | "set" | "unset" | "eval" | "exec" => {
            "Pass a program name. Commands run without a shell, and nothing is kept between calls."
        }
        name if name.contains('=') => {
            "Run `env` with the variables and the program as its arguments. Commands run without a shell."
        }
        name if name.contains(char::is_whitespace) => {
            "Pass only the program as the command, and the rest as arguments."
        }
        _ => {
            "Check the spelling, use another program, or pass its path relative to the working directory."
        }
    }
}

/// Returns the error for a system without a shell.
pub(crate) fn no_shell() -> ToolError {
    ToolError::new(
        ErrorCode::CommandNotFound,
        "There is no shell on this system",
    )
    .suggest("Run single programs, without a shell.")
}

/// Returns the error for a parameter with a NUL character, which terminates arguments.
pub(crate) fn nul(parameter: &str) -> ToolError {
    ToolError::invalid_arguments(
        parameter,
        "contains a NUL character, which arguments cannot contain",
    )
    .suggest("Remove the character.")
}

/// Converts an error from starting a program that exists.
pub(crate) fn start_error(error: io::Error) -> ToolError {
    let tool_error = match error.kind() {
        io::ErrorKind::NotFound => ToolError::about(
            ErrorCode::CommandNotFound,
            "command",
            "cannot be started: the interpreter in its first line is missing",
        )
        .suggest("Run the script through an installed interpreter, such as `sh script`."),
        io::ErrorKind::PermissionDenied => permission_denied(),
        io::ErrorKind::ArgumentListTooLong => {
            ToolError::invalid_arguments("command", "has more arguments than the system allows")
                .suggest("Put them in a file, or run it several times.")
        }
        _ => ToolError::about(
            ErrorCode::Failed,
            "command",
            "cannot be started by this system",
        )
        .suggest("Run a script through its interpreter, such as `sh script`."),
    };
    tool_error.caused_by(error)
}

/// Returns the error for a file that is not executable.
pub(crate) fn permission_denied() -> ToolError {
    ToolError::about(
        ErrorCode::PermissionDenied,
        "command",
        "names a file that is not executable",
    )
    .suggest("Run a script through its interpreter, such as `sh script`.")
}
