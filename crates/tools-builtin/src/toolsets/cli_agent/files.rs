//! Tools to read, write and list files.

use std::fmt::Write as _;

use tool_core::{Arguments, Presentation};

use super::errors;
use crate::files::{
    CreateDirectoryOutput, Encoding, FileSearchOutput, ListDirOutput, ReadFileOutput,
    ReplaceStringOutput, WriteFileOutput,
};
use crate::toolsets::document::{
    NO_LIMIT, PresentationLists as _, described, documented, path_argument, string_argument, text,
    with_default,
};
use crate::workspace::{EntryKind, on_one_line};

/// Maximum number of entries and files in a listing.
const LIMIT: usize = 1000;

pub(super) fn create_file() -> Presentation<WriteFileOutput> {
    documented("create_file", "Create a new file with specified content")
        .parameters([
            ("path", text("Relative path to the file to create")),
            ("content", text("Content to write to the file")),
        ])
        .pin("mode", "create_new")
        .pin("create_directories", true)
        .render(|output: &WriteFileOutput, arguments| {
            let (path, bytes) = (path_argument(arguments), output.bytes_written);
            format!("Created file: {path} ({bytes} bytes)")
        })
        .map_error(errors::create_file)
}

pub(super) fn read_file() -> Presentation<ReadFileOutput> {
    let description = "Read the contents of a file, optionally specifying line range";
    let start_line = "Starting line number (1-indexed, optional)";
    let end_line = "Ending line number (1-indexed, inclusive, optional)";
    documented("read_file", description)
        .parameters([
            ("path", text("Relative path to the file to read")),
            ("start_line", described("integer", start_line)),
            ("end_line", described("integer", end_line)),
        ])
        .pin("count_lines", true)
        .pin("max_lines", NO_LIMIT)
        .render(contents)
        .notes([
            ("total_lines", |output| output.total_lines.into()),
            ("lines_returned", |output| output.lines_returned.into()),
            ("file_size_bytes", |output| output.file_size_bytes.into()),
        ])
        .map_error(errors::read_file)
}

fn contents(output: &ReadFileOutput, arguments: &Arguments<'_>) -> String {
    let (path, content) = (path_argument(arguments), &output.content);
    if output.encoding == Encoding::Binary {
        return format!("Contents of {path} (hex):\n{content}");
    }
    let first = errors::first_line(arguments);
    let last = (first - 1).saturating_add(output.lines_returned as u64);
    let first = first.min(last);
    format!("Contents of {path} (lines {first}-{last}):\n{content}")
}

pub(super) fn replace_string_in_file() -> Presentation<ReplaceStringOutput> {
    let description = "Replace a specific string in a file with new content";
    documented("replace_string_in_file", description)
        .parameters([
            ("path", text("Relative path to the file to modify")),
            ("old_string", text("Exact string to find and replace")),
            ("new_string", text("String to replace with")),
        ])
        .render(|output: &ReplaceStringOutput, arguments| {
            let (path, count) = (path_argument(arguments), output.occurrences_replaced);
            format!("Replaced {count} occurrence in {path}")
        })
        .notes([
            ("occurrences_found", |output| {
                output.occurrences_found.into()
            }),
            ("occurrences_replaced", |output| {
                output.occurrences_replaced.into()
            }),
            ("lines_changed", |output| {
                output.lines_changed.clone().into()
            }),
        ])
        .map_error(errors::replace_string)
}

pub(super) fn list_dir() -> Presentation<ListDirOutput> {
    let path = "Relative path to directory (default: current directory)";
    documented("list_dir", "List contents of a directory")
        .parameters([("path", with_default("string", path, "."))])
        .alias("offset", "offset")
        .pin("limit", LIMIT)
        .render(entries)
        .notes([
            ("total_entries", |output| output.total_entries.into()),
            ("files", |output| output.files.into()),
            ("directories", |output| output.directories.into()),
        ])
        .map_error(|error, arguments| errors::read_directory(error, path_argument(arguments)))
}

fn entries(output: &ListDirOutput, arguments: &Arguments<'_>) -> String {
    let mut listing = format!("Contents of {}:\n", path_argument(arguments));
    for entry in &output.entries {
        let is_directory = entry.kind == EntryKind::Directory;
        let slash = if is_directory { "/" } else { "" };
        // Writing to a String cannot fail.
        let _ = writeln!(listing, "  {}{slash}", on_one_line(&entry.name));
    }
    if output.truncated {
        let more = output.total_entries.saturating_sub(output.next_offset);
        let _ = writeln!(
            listing,
            "  [… {more} more entries; continue with offset {}]",
            output.next_offset
        );
    }
    listing
}

pub(super) fn file_search() -> Presentation<FileSearchOutput> {
    let pattern = "Glob pattern (e.g., '**/*.py', 'src/**/*.go')";
    let base_path = "Base directory to search from (default: current directory)";
    documented("file_search", "Search for files matching a glob pattern")
        .parameters([
            ("pattern", text(pattern)),
            ("base_path", with_default("string", base_path, ".")),
        ])
        .pin("limit", LIMIT)
        .render(found_files)
        .notes([("matches", |output| output.matches.into())])
        .note("pattern", |_, arguments| {
            string_argument(arguments, "pattern").to_owned()
        })
        .warn(|output: &FileSearchOutput, _| {
            let (found, shown) = (output.matches, output.files.len());
            (found > shown).then(|| format!("Found {found} matches, showing first {shown}"))
        })
        .map_error(errors::file_search)
}

fn found_files(output: &FileSearchOutput, arguments: &Arguments<'_>) -> String {
    let pattern = string_argument(arguments, "pattern");
    let mut listing = format!("Found {} files matching '{pattern}':", output.matches);
    for file in &output.files {
        // Writing to a String cannot fail.
        let _ = write!(listing, "\n  {}", on_one_line(file));
    }
    listing
}

pub(super) fn create_directory() -> Presentation<CreateDirectoryOutput> {
    let description = "Create a directory structure (equivalent to mkdir -p)";
    documented("create_directory", description)
        .parameters([("path", text("Relative path to directory to create"))])
        .render(|output: &CreateDirectoryOutput, arguments| {
            let path = path_argument(arguments);
            if output.created {
                format!("Created directory: {path}")
            } else {
                format!("Directory already exists: {path}")
            }
        })
        .notes([("created_parents", |output| {
            output.created_parents.clone().into()
        })])
        .map_error(errors::create_directory)
}
