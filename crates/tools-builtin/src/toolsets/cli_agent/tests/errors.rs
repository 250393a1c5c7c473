//! Errors that tests cannot provoke on a disk.

use tool_core::{Arguments, ErrorCode, ToolError};

use super::*;
use crate::toolsets::cli_agent::errors;

fn denied() -> ToolError {
    ToolError::about(ErrorCode::PermissionDenied, "path", "cannot be used")
}

#[test]
fn permission_errors_match_document() {
    let arguments = |path: &str| Arguments::from_value(json!({"path": path}));
    for (error, text) in [
        (
            errors::create_file(denied(), &arguments("protected.txt")),
            "Error: Cannot create file 'protected.txt' - permission denied",
        ),
        (
            errors::read_file(denied(), &arguments("protected.txt")),
            "Error: Cannot read file 'protected.txt' - permission denied",
        ),
        (
            errors::replace_string(denied(), &arguments("protected.txt")),
            "Error: Cannot modify file 'protected.txt' - permission denied",
        ),
        (
            errors::read_directory(denied(), "secret"),
            "Error: Cannot list directory - permission denied",
        ),
        (
            errors::create_directory(denied(), &arguments("secret")),
            "Error: Cannot create directory - permission denied",
        ),
    ] {
        assert_eq!(error.to_model_text(), text);
        assert_eq!(error.code(), &ErrorCode::PermissionDenied);
    }
}
