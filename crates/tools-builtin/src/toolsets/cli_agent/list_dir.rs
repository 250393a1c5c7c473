//! Tool that lists one directory.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::errors::read_directory;
use super::shown_path;
use crate::blocking::blocking;
use crate::files::defaults;
use crate::workspace::{Entry, EntryKind, Workspace, on_one_line};

const MAX_ENTRIES: usize = 100_000;

/// Directory to list, and the part of the listing to return.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct ListDirInput {
    /// Relative path to directory (default: current directory)
    #[serde(default = "defaults::root")]
    path: String,
    /// Number of entries to skip. Not in the document: the listing names it if it is truncated.
    offset: Option<usize>,
}

/// Entries of a directory: first files and other entries, then directories, both sorted by name.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct ListDirOutput {
    /// The entries.
    entries: Vec<DirEntry>,
    /// Number of entries in the directory.
    total_entries: usize,
    /// Number of files among them.
    files: usize,
    /// Number of directories among them.
    directories: usize,
    /// Whether there are more entries after the last one listed.
    truncated: bool,
    /// Text for the model.
    #[serde(skip)]
    text: String,
}

/// Entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct DirEntry {
    /// Name of the entry.
    name: String,
    /// Kind of the entry. A symlink has the kind of its target if the target is in the workspace.
    kind: EntryKind,
}

/// Lists directories in a workspace.
#[derive(Debug, Clone)]
pub(super) struct ListDir {
    pub(super) workspace: Workspace,
    /// Maximum number of entries of a call.
    pub(super) limit: usize,
}

impl ListDir {
    fn list(&self, cx: &ToolContext, input: &ListDirInput) -> Result<ListDirOutput, ToolError> {
        let directory = self.workspace.existing_dir("path", &input.path)?;
        let (entries, complete) = directory.entries("path", MAX_ENTRIES)?;
        if !complete {
            cx.warn(format!(
                "The directory has more than {MAX_ENTRIES} entries, of which only {MAX_ENTRIES} can be listed. Search for names instead."
            ));
        }
        let (total, offset) = (entries.len(), input.offset.unwrap_or(0));
        if offset > 0 && offset >= total {
            return Err(past_the_end(total));
        }
        let mut entries: Vec<DirEntry> = entries.iter().map(|entry| self.entry_of(entry)).collect();
        entries.sort_by(|left, right| in_order(left).cmp(&in_order(right)));
        let count = |wanted| entries.iter().filter(|entry| entry.kind == wanted).count();
        let (files, directories) = (count(EntryKind::File), count(EntryKind::Directory));
        let entries: Vec<DirEntry> = entries.into_iter().skip(offset).take(self.limit).collect();
        let next = offset + entries.len();
        let mut output = ListDirOutput {
            entries,
            total_entries: total,
            files,
            directories,
            truncated: next < total || !complete,
            text: String::new(),
        };
        output.text = output.listing(shown_path(&input.path), next);
        Ok(output)
    }

    fn entry_of(&self, entry: &Entry) -> DirEntry {
        DirEntry {
            name: entry.name().to_owned(),
            kind: self.workspace.kind_of(entry),
        }
    }
}

impl ListDirOutput {
    fn listing(&self, path: &str, next: usize) -> String {
        let mut listing = format!("Contents of {path}:\n");
        for entry in &self.entries {
            let is_directory = entry.kind == EntryKind::Directory;
            let slash = if is_directory { "/" } else { "" };
            // Writing to a String cannot fail.
            let _ = writeln!(listing, "  {}{slash}", on_one_line(&entry.name));
        }
        if self.truncated {
            let more = self.total_entries.saturating_sub(next);
            let _ = writeln!(
                listing,
                "  [… {more} more entries; continue with offset {next}]"
            );
        }
        listing
    }
}

impl TypedTool for ListDir {
    type Input = ListDirInput;
    type Output = ListDirOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &ListDirInput) -> Result<CallPlan, ToolError> {
        Ok(self.workspace.plan_of_read("path", &input.path))
    }

    async fn run(&self, cx: &ToolContext, input: ListDirInput) -> Result<ListDirOutput, ToolError> {
        let (tool, path) = (self.clone(), input.path.clone());
        let listed = blocking(cx, move |cx| tool.list(cx, &input)).await;
        let output = listed.map_err(|error| read_directory(error, shown_path(&path)))?;
        cx.note("total_entries", output.total_entries);
        cx.note("files", output.files);
        cx.note("directories", output.directories);
        Ok(output)
    }

    fn render(output: &ListDirOutput) -> String {
        output.text.clone()
    }
}

fn in_order(entry: &DirEntry) -> (bool, &str) {
    (entry.kind == EntryKind::Directory, &entry.name)
}

fn past_the_end(total: usize) -> ToolError {
    let noun = if total == 1 { "entry" } else { "entries" };
    let sentence = format!("is past the end: the directory has {total} {noun}");
    ToolError::invalid_arguments("offset", sentence).suggest("Use a smaller `offset`.")
}
