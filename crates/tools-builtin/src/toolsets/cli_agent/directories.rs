//! Tools to list, find and create directories and their entries.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ToolContext, ToolError};

use super::{errors, shown_path};
use crate::files::{
    CreateDirectory, CreateDirectoryInput, CreateDirectoryOutput, FileSearch, FileSearchInput,
    FileSearchOutput, ListDir, ListDirInput, ListDirOutput, defaults,
};
use crate::toolsets::names::Names;
use crate::toolsets::wording::Wording;
use crate::workspace::{EntryKind, on_one_line};

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListEntries {
    /// Relative path to directory (default: current directory)
    #[serde(default = "defaults::root")]
    path: String,
    /// Number of entries to skip. Not in the document: the listing names it if it is truncated.
    offset: Option<usize>,
}

impl Wording<ListDir> for ListEntries {
    fn request(&self) -> Result<ListDirInput, ToolError> {
        Ok(ListDirInput {
            path: self.path.clone(),
            offset: self.offset.unwrap_or(0),
            limit: defaults::limit(),
        })
    }

    fn reworded(&self, error: ToolError, _files: &ListDir) -> ToolError {
        errors::read_directory(error, shown_path(&self.path))
    }

    fn text(&self, cx: &ToolContext, output: &ListDirOutput) -> Result<String, ToolError> {
        cx.note("total_entries", output.total_entries);
        cx.note("files", output.files);
        cx.note("directories", output.directories);
        let mut listing = format!("Contents of {}:\n", shown_path(&self.path));
        for entry in &output.entries {
            let is_directory = entry.kind == EntryKind::Directory;
            let slash = if is_directory { "/" } else { "" };
            // Writing to a String cannot fail.
            let _ = writeln!(listing, "  {}{slash}", on_one_line(&entry.name));
        }
        if output.truncated {
            let next = output.next_offset;
            let more = output.total_entries.saturating_sub(next);
            let _ = writeln!(
                listing,
                "  [… {more} more entries; continue with offset {next}]"
            );
        }
        Ok(listing)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FindFiles {
    /// Glob pattern (e.g., '**/*.py', 'src/**/*.go')
    pattern: String,
    /// Base directory to search from (default: current directory)
    #[serde(default = "defaults::root")]
    base_path: String,
}

impl Wording<FileSearch> for FindFiles {
    const NAMES: Names = Names::of(&[]).hiding(&["limit"]);

    fn request(&self) -> Result<FileSearchInput, ToolError> {
        Ok(FileSearchInput {
            pattern: self.pattern.clone(),
            base_path: self.base_path.clone(),
            limit: defaults::limit(),
        })
    }

    fn reworded(&self, error: ToolError, _files: &FileSearch) -> ToolError {
        errors::file_search(error, &self.pattern, &self.base_path)
    }

    fn text(&self, cx: &ToolContext, output: &FileSearchOutput) -> Result<String, ToolError> {
        let (pattern, found, shown) = (&self.pattern, output.matches, output.files.len());
        cx.note("matches", found);
        cx.note("pattern", &**pattern);
        if found > shown {
            cx.warn(format!("Found {found} matches, showing first {shown}"));
        }
        let mut listing = format!("Found {found} files matching '{pattern}':");
        for file in &output.files {
            // Writing to a String cannot fail.
            let _ = write!(listing, "\n  {}", on_one_line(file));
        }
        Ok(listing)
    }
}

impl Wording<CreateDirectory> for CreateDirectoryInput {
    fn request(&self) -> Result<Self, ToolError> {
        Ok(self.clone())
    }

    fn reworded(&self, error: ToolError, _files: &CreateDirectory) -> ToolError {
        errors::create_directory(error, shown_path(&self.path))
    }

    fn text(&self, cx: &ToolContext, output: &CreateDirectoryOutput) -> Result<String, ToolError> {
        cx.note("created_parents", output.created_parents.clone());
        let path = shown_path(&self.path);
        Ok(if output.created {
            format!("Created directory: {path}")
        } else {
            format!("Directory already exists: {path}")
        })
    }
}
