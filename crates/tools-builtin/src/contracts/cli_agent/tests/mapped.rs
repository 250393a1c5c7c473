//! Errors that cannot be had from a disk in a test.

use tool_core::{Arguments, ErrorCode, ToolError};

use super::*;
use crate::contracts::cli_agent::{files, in_directory};

fn refused() -> ToolError {
    ToolError::about(ErrorCode::PermissionDenied, "path", "cannot be used")
}

#[test]
fn a_refusal_of_the_system_is_told_as_printed() {
    let arguments = |path: &str| Arguments::from_value(json!({"path": path}));
    for (error, text) in [
        (
            files::creating(refused(), &arguments("protected.txt")),
            "Error: Cannot create file 'protected.txt' - permission denied",
        ),
        (
            files::reading(refused(), &arguments("protected.txt")),
            "Error: Cannot read file 'protected.txt' - permission denied",
        ),
        (
            files::replacing(refused(), &arguments("protected.txt")),
            "Error: Cannot modify file 'protected.txt' - permission denied",
        ),
        (
            in_directory(refused(), "secret"),
            "Error: Cannot list directory - permission denied",
        ),
        (
            files::making(refused(), &arguments("secret")),
            "Error: Cannot create directory - permission denied",
        ),
    ] {
        assert_eq!(error.to_model_text(), text);
        assert_eq!(error.code(), &ErrorCode::PermissionDenied);
    }
}
