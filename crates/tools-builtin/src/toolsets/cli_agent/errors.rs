//! Errors of the file tools in the wording of the source document.

use std::error::Error as _;

use tool_core::{ErrorCode, ToolError};

use crate::search::InvalidExpression;
use crate::toolsets::document::{reword, reword_as};
use crate::workspace::LIST_PARENT;

/// Rewords an error of `create_file`.
pub(super) fn create_file(error: ToolError, path: &str) -> ToolError {
    let text = match error.code() {
        ErrorCode::AlreadyExists => {
            format!("File '{path}' already exists. Use replace_string_in_file to modify")
        }
        ErrorCode::PermissionDenied => format!("Cannot create file '{path}' - permission denied"),
        _ => return path_error(error, path),
    };
    reword(error, format!("Error: {text}"))
}

/// Rewords an error of `read_file` that was called with the lines `first` to `last`.
pub(super) fn read_file(error: ToolError, path: &str, first: u64, last: Option<u64>) -> ToolError {
    let text = match (error.code(), error.parameter()) {
        (ErrorCode::FileNotFound, _) => return file_not_found(error, path),
        (ErrorCode::PermissionDenied, _) => {
            format!("Cannot read file '{path}' - permission denied")
        }
        (ErrorCode::InvalidArguments, Some("start_line" | "end_line")) => {
            match invalid_range(&error, first, last) {
                Some(reason) => format!("Line range invalid - {reason}"),
                None => return error,
            }
        }
        _ => return path_error(error, path),
    };
    reword(error, format!("Error: {text}"))
}

/// Rewords an error of `replace_string_in_file`.
pub(super) fn replace_string(error: ToolError, path: &str, old: &str) -> ToolError {
    let text = match error.code() {
        ErrorCode::FileNotFound => return file_not_found(error, path),
        ErrorCode::TextNotFound => format!("String '{old}' not found in file"),
        ErrorCode::PermissionDenied => format!("Cannot modify file '{path}' - permission denied"),
        _ => return path_error(error, path),
    };
    reword(error, format!("Error: {text}"))
}

/// Rewords an error of `create_directory`.
pub(super) fn create_directory(error: ToolError, path: &str) -> ToolError {
    let text = match error.code() {
        ErrorCode::AlreadyExists => {
            format!("Path '{path}' exists as a file, cannot create directory")
        }
        ErrorCode::PermissionDenied => "Cannot create directory - permission denied".to_owned(),
        _ => return path_error(error, path),
    };
    reword(error, format!("Error: {text}"))
}

/// Rewords an error of `file_search`.
pub(super) fn file_search(error: ToolError, pattern: &str, base_path: &str) -> ToolError {
    match error.code() {
        ErrorCode::InvalidPattern => invalid_glob(error, pattern),
        _ => read_directory(error, base_path),
    }
}

/// Rewords an error of `grep_search`.
pub(super) fn grep_search(error: ToolError, file_pattern: &str) -> ToolError {
    match (error.code(), error.parameter()) {
        (ErrorCode::InvalidPattern, Some("file_pattern")) => invalid_glob(error, file_pattern),
        (ErrorCode::InvalidPattern, _) => match error
            .source()
            .and_then(|source| source.downcast_ref::<InvalidExpression>())
            .map(|invalid| format!("Error: Invalid regex pattern: {}", invalid.reason))
        {
            Some(text) => reword(error, text),
            None => error,
        },
        _ => read_directory(error, "."),
    }
}

/// Rewords an error about a directory to be read.
pub(super) fn read_directory(error: ToolError, path: &str) -> ToolError {
    let text = match error.code() {
        ErrorCode::NotADirectory => format!("Path '{path}' is not a directory"),
        ErrorCode::FileNotFound => format!("Directory '{path}' not found"),
        ErrorCode::PermissionDenied => "Cannot list directory - permission denied".to_owned(),
        _ => return path_error(error, path),
    };
    reword(error, format!("Error: {text}"))
}

/// Rewords an error about a path outside the workspace; other errors are not changed.
fn path_error(error: ToolError, path: &str) -> ToolError {
    if *error.code() != ErrorCode::PathOutsideWorkspace {
        return error;
    }
    let code = ErrorCode::from("path_outside_working_dir");
    let text = format!("Error: Path '{path}' is outside working directory");
    reword_as(error, code, text)
}

fn invalid_glob(error: ToolError, pattern: &str) -> ToolError {
    reword(error, format!("Error: Invalid glob pattern '{pattern}'"))
}

/// Returns the document's text for the model and the text of its example for the report.
fn file_not_found(error: ToolError, path: &str) -> ToolError {
    let message = format!("File '{path}' not found in working directory");
    let advice = match error.suggestion() {
        Some(advice) if advice != LIST_PARENT => advice.to_owned(),
        _ => "Check the file name and try again, or use file_search to find it".to_owned(),
    };
    error
        .reworded(ErrorCode::FileNotFound, message)
        .suggest(advice)
        .with_text(format!("Error: File '{path}' not found"))
}

fn invalid_range(error: &ToolError, first: u64, last: Option<u64>) -> Option<String> {
    let output = error.output();
    if let Some(total) = output.and_then(|output| output.metadata.get("total_lines")) {
        let last = last.map_or_else(|| "end".to_owned(), |last| last.to_string());
        return Some(format!("file has {total} lines, requested {first}-{last}"));
    }
    let last = last?;
    (last < first).then(|| format!("end_line {last} is before start_line {first}"))
}
