//! Errors that tests cannot provoke on a disk.

use tool_core::{ErrorCode, ToolError};

use crate::toolsets::cli_agent::errors;

fn denied() -> ToolError {
    ToolError::about(ErrorCode::PermissionDenied, "path", "cannot be used")
}

#[test]
fn permission_errors_match_document() {
    let file = "protected.txt";
    for (error, text) in [
        (
            errors::create_file(denied(), file),
            "Error: Cannot create file 'protected.txt' - permission denied",
        ),
        (
            errors::read_file(denied(), file, 1, None),
            "Error: Cannot read file 'protected.txt' - permission denied",
        ),
        (
            errors::replace_string(denied(), file, "x"),
            "Error: Cannot modify file 'protected.txt' - permission denied",
        ),
        (
            errors::read_directory(denied(), "secret"),
            "Error: Cannot list directory - permission denied",
        ),
        (
            errors::create_directory(denied(), "secret"),
            "Error: Cannot create directory - permission denied",
        ),
    ] {
        assert_eq!(error.to_model_text(), text);
        assert_eq!(error.code(), &ErrorCode::PermissionDenied);
    }
}
