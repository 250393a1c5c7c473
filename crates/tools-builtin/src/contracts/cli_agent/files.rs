//! Reading, writing and listing.

use std::fmt::Write as _;

use tool_core::{Arguments, ErrorCode, Presentation, ToolError};

use super::{in_directory, outside};
use crate::contracts::words::{
    NO_LIMIT, described, documented, path_written, says, text, with_default, written,
};
use crate::files::{
    CreateDirectoryOutput, Encoding, FileSearchOutput, ListDirOutput, ReadFileOutput,
    ReplaceStringOutput, WriteFileOutput,
};
use crate::workspace::{EntryKind, LOOK_WHAT_IS_THERE, on_one_line};

/// Entries and files that are listed at most.
const LIMIT: usize = 1000;

pub(super) fn create_file() -> Presentation<WriteFileOutput> {
    documented("create_file", "Create a new file with specified content")
        .only(["path", "content"])
        .schema("path", text("Relative path to the file to create"))
        .schema("content", text("Content to write to the file"))
        .pin("mode", "create_new")
        .pin("create_directories", true)
        .render(|output: &WriteFileOutput, arguments| {
            let (path, bytes) = (path_written(arguments), output.bytes_written);
            format!("Created file: {path} ({bytes} bytes)")
        })
        .map_error(creating)
}

pub(super) fn creating(error: ToolError, arguments: &Arguments<'_>) -> ToolError {
    let path = path_written(arguments);
    match error.code() {
        ErrorCode::PathOutsideWorkspace => outside(error, path),
        ErrorCode::AlreadyExists => {
            let advice = "Use replace_string_in_file to modify";
            says(
                error,
                format!("Error: File '{path}' already exists. {advice}"),
            )
        }
        ErrorCode::PermissionDenied => says(
            error,
            format!("Error: Cannot create file '{path}' - permission denied"),
        ),
        _ => error,
    }
}

pub(super) fn read_file() -> Presentation<ReadFileOutput> {
    let description = "Read the contents of a file, optionally specifying line range";
    let start_line = "Starting line number (1-indexed, optional)";
    let end_line = "Ending line number (1-indexed, inclusive, optional)";
    documented("read_file", description)
        .only(["path", "start_line", "end_line"])
        .schema("path", text("Relative path to the file to read"))
        .schema("start_line", described("integer", start_line))
        .schema("end_line", described("integer", end_line))
        .pin("count_lines", true)
        .pin("max_lines", NO_LIMIT)
        .render(contents)
        .note("total_lines", |output: &ReadFileOutput, _| {
            output.total_lines
        })
        .note("lines_returned", |output: &ReadFileOutput, _| {
            output.lines_returned
        })
        .note("file_size_bytes", |output: &ReadFileOutput, _| {
            output.file_size_bytes
        })
        .map_error(reading)
}

fn contents(output: &ReadFileOutput, arguments: &Arguments<'_>) -> String {
    let (path, content) = (path_written(arguments), &output.content);
    if output.encoding == Encoding::Binary {
        return format!("Contents of {path} (hex):\n{content}");
    }
    let first = first_line(arguments);
    let last = (first - 1).saturating_add(output.lines_returned as u64);
    let first = first.min(last);
    format!("Contents of {path} (lines {first}-{last}):\n{content}")
}

/// Where reading begins; lines count from 1.
fn first_line(arguments: &Arguments<'_>) -> u64 {
    number(arguments, "start_line").unwrap_or(1).max(1)
}

fn number(arguments: &Arguments<'_>, parameter: &str) -> Option<u64> {
    arguments.get(parameter)?.as_u64()
}

pub(super) fn reading(error: ToolError, arguments: &Arguments<'_>) -> ToolError {
    let path = path_written(arguments);
    match (error.code(), error.parameter()) {
        (ErrorCode::PathOutsideWorkspace, _) => outside(error, path),
        (ErrorCode::FileNotFound, _) => not_found(error, path),
        (ErrorCode::PermissionDenied, _) => says(
            error,
            format!("Error: Cannot read file '{path}' - permission denied"),
        ),
        (ErrorCode::InvalidArguments, Some("start_line" | "end_line")) => {
            match wrong_range(&error, arguments) {
                Some(reason) => says(error, format!("Error: Line range invalid - {reason}")),
                None => error,
            }
        }
        _ => error,
    }
}

/// The document's words for the model, and those of its own example for the report.
fn not_found(error: ToolError, path: &str) -> ToolError {
    let message = format!("File '{path}' not found in working directory");
    let found = error
        .suggestion()
        .filter(|told| *told != LOOK_WHAT_IS_THERE);
    let advice = match found {
        Some(advice) => advice.to_owned(),
        None => "Check the file name and try again, or use file_search to find it".to_owned(),
    };
    error
        .reworded(ErrorCode::FileNotFound, message)
        .suggest(advice)
        .with_text(format!("Error: File '{path}' not found"))
}

fn wrong_range(error: &ToolError, arguments: &Arguments<'_>) -> Option<String> {
    let last = number(arguments, "end_line");
    let first = first_line(arguments);
    if let Some(total) = error
        .output()
        .and_then(|told| told.metadata.get("total_lines"))
    {
        let last = last.map_or_else(|| "end".to_owned(), |last| last.to_string());
        return Some(format!("file has {total} lines, requested {first}-{last}"));
    }
    let last = last?;
    (last < first).then(|| format!("end_line {last} is before start_line {first}"))
}

pub(super) fn replace_string_in_file() -> Presentation<ReplaceStringOutput> {
    let description = "Replace a specific string in a file with new content";
    documented("replace_string_in_file", description)
        .only(["path", "old_string", "new_string"])
        .schema("path", text("Relative path to the file to modify"))
        .schema("old_string", text("Exact string to find and replace"))
        .schema("new_string", text("String to replace with"))
        .render(|output: &ReplaceStringOutput, arguments| {
            let (path, count) = (path_written(arguments), output.occurrences_replaced);
            format!("Replaced {count} occurrence in {path}")
        })
        .note("occurrences_found", |output: &ReplaceStringOutput, _| {
            output.occurrences_found
        })
        .note("occurrences_replaced", |output: &ReplaceStringOutput, _| {
            output.occurrences_replaced
        })
        .note("lines_changed", |output: &ReplaceStringOutput, _| {
            output.lines_changed.clone()
        })
        .map_error(replacing)
}

pub(super) fn replacing(error: ToolError, arguments: &Arguments<'_>) -> ToolError {
    let path = path_written(arguments);
    match error.code() {
        ErrorCode::PathOutsideWorkspace => outside(error, path),
        ErrorCode::FileNotFound => not_found(error, path),
        ErrorCode::TextNotFound => {
            let wanted = written(arguments, "old_string");
            says(error, format!("Error: String '{wanted}' not found in file"))
        }
        ErrorCode::PermissionDenied => says(
            error,
            format!("Error: Cannot modify file '{path}' - permission denied"),
        ),
        _ => error,
    }
}

pub(super) fn list_dir() -> Presentation<ListDirOutput> {
    let path = "Relative path to directory (default: current directory)";
    documented("list_dir", "List contents of a directory")
        .only(["path"])
        .schema("path", with_default("string", path, "."))
        .pin("limit", LIMIT)
        .render(entries)
        .note("total_entries", |output: &ListDirOutput, _| {
            output.total_entries
        })
        .note("files", |output: &ListDirOutput, _| output.files)
        .note("directories", |output: &ListDirOutput, _| {
            output.directories
        })
        .map_error(|error, arguments| in_directory(error, path_written(arguments)))
}

fn entries(output: &ListDirOutput, arguments: &Arguments<'_>) -> String {
    let mut listing = format!("Contents of {}:\n", path_written(arguments));
    for entry in &output.entries {
        let slash = if entry.kind == EntryKind::Directory {
            "/"
        } else {
            ""
        };
        // Writing to a String cannot fail.
        let _ = writeln!(listing, "  {}{slash}", on_one_line(&entry.name));
    }
    if output.truncated {
        let more = output.total_entries.saturating_sub(output.entries.len());
        let _ = writeln!(
            listing,
            "  [… {more} entries more; find them with file_search]"
        );
    }
    listing
}

pub(super) fn file_search() -> Presentation<FileSearchOutput> {
    let pattern = "Glob pattern (e.g., '**/*.py', 'src/**/*.go')";
    let base_path = "Base directory to search from (default: current directory)";
    documented("file_search", "Search for files matching a glob pattern")
        .only(["pattern", "base_path"])
        .schema("pattern", text(pattern))
        .schema("base_path", with_default("string", base_path, "."))
        .pin("limit", LIMIT)
        .render(found_files)
        .note("matches", |output: &FileSearchOutput, _| output.matches)
        .note("pattern", |_, arguments| {
            written(arguments, "pattern").to_owned()
        })
        .warn(|output: &FileSearchOutput, _| {
            let (found, shown) = (output.matches, output.files.len());
            (found > shown).then(|| format!("Found {found} matches, showing first {shown}"))
        })
        .map_error(searching_files)
}

fn found_files(output: &FileSearchOutput, arguments: &Arguments<'_>) -> String {
    let pattern = written(arguments, "pattern");
    let mut listing = format!("Found {} files matching '{pattern}':", output.matches);
    for file in &output.files {
        // Writing to a String cannot fail.
        let _ = write!(listing, "\n  {}", on_one_line(file));
    }
    listing
}

pub(super) fn searching_files(error: ToolError, arguments: &Arguments<'_>) -> ToolError {
    match error.code() {
        ErrorCode::InvalidPattern => {
            let pattern = written(arguments, "pattern");
            says(error, format!("Error: Invalid glob pattern '{pattern}'"))
        }
        _ => in_directory(error, written(arguments, "base_path")),
    }
}

pub(super) fn create_directory() -> Presentation<CreateDirectoryOutput> {
    let description = "Create a directory structure (equivalent to mkdir -p)";
    documented("create_directory", description)
        .only(["path"])
        .schema("path", text("Relative path to directory to create"))
        .render(|output: &CreateDirectoryOutput, arguments| {
            let path = path_written(arguments);
            if output.created {
                format!("Created directory: {path}")
            } else {
                format!("Directory already exists: {path}")
            }
        })
        .note("created_parents", |output: &CreateDirectoryOutput, _| {
            output.created_parents.clone()
        })
        .map_error(making)
}

pub(super) fn making(error: ToolError, arguments: &Arguments<'_>) -> ToolError {
    let path = path_written(arguments);
    match error.code() {
        ErrorCode::PathOutsideWorkspace => outside(error, path),
        ErrorCode::AlreadyExists => {
            let advice = "cannot create directory";
            says(
                error,
                format!("Error: Path '{path}' exists as a file, {advice}"),
            )
        }
        ErrorCode::PermissionDenied => {
            says(error, "Error: Cannot create directory - permission denied")
        }
        _ => error,
    }
}
