//! Tools to list, find and create directories and their entries.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::approval::Preview;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::{errors, shown_path};
use crate::files::{
    CreateDirectory, CreateDirectoryInput, CreateDirectoryOutput, FileSearch, FileSearchInput,
    FileSearchOutput, ListDir, ListDirInput, ListDirOutput, defaults,
};
use crate::toolsets::document::Shown;
use crate::toolsets::names::Names;
use crate::workspace::{EntryKind, on_one_line};

/// Maximum number of entries and files in a listing.
const LIMIT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(999);

pub(super) struct ListEntries(pub(super) ListDir);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListEntriesInput {
    /// Relative path to directory (default: current directory)
    #[serde(default = "defaults::root")]
    path: String,
    /// Number of entries to skip. Not in the document: the listing names it if it is truncated.
    #[serde(default)]
    offset: Option<usize>,
}

impl ListEntriesInput {
    fn request(&self) -> ListDirInput {
        ListDirInput {
            path: self.path.clone(),
            offset: self.offset.unwrap_or(0),
            limit: LIMIT,
        }
    }

    fn sentence(&self, error: ToolError) -> ToolError {
        errors::read_directory(error, shown_path(&self.path))
    }
}

impl TypedTool for ListEntries {
    type Input = ListEntriesInput;
    type Output = Shown<ListDirOutput>;

    const RISK: RiskLevel = ListDir::RISK;

    fn plan(&self, cx: &ToolContext, input: &ListEntriesInput) -> Result<CallPlan, ToolError> {
        let plan = self.0.plan(cx, &input.request());
        plan.map_err(|error| input.sentence(error))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ListEntriesInput,
    ) -> Result<Self::Output, ToolError> {
        let output = self.0.run(cx, input.request()).await;
        let output = output.map_err(|error| input.sentence(error))?;
        cx.note("total_entries", output.total_entries);
        cx.note("files", output.files);
        cx.note("directories", output.directories);
        let text = entries(&output, shown_path(&input.path));
        Ok(Shown::new(output, text))
    }

    fn render(output: &Self::Output) -> String {
        output.text()
    }
}

fn entries(output: &ListDirOutput, path: &str) -> String {
    let mut listing = format!("Contents of {path}:\n");
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

pub(super) struct FindFiles(pub(super) Arc<FileSearch>);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FindFilesInput {
    /// Glob pattern (e.g., '**/*.py', 'src/**/*.go')
    pattern: String,
    /// Base directory to search from (default: current directory)
    #[serde(default = "defaults::root")]
    base_path: String,
}

impl FindFilesInput {
    fn request(&self) -> FileSearchInput {
        FileSearchInput {
            pattern: self.pattern.clone(),
            base_path: self.base_path.clone(),
            limit: LIMIT,
            hidden: false,
            ignored: false,
        }
    }

    fn sentence(&self, error: ToolError) -> ToolError {
        errors::file_search(error, &self.pattern, &self.base_path)
    }
}

impl FindFiles {
    const NAMES: Names = Names::of(&[]).hiding(&["limit", "hidden", "ignored"]);
}

impl TypedTool for FindFiles {
    type Input = FindFilesInput;
    type Output = Shown<FileSearchOutput>;

    const RISK: RiskLevel = FileSearch::RISK;

    fn plan(&self, cx: &ToolContext, input: &FindFilesInput) -> Result<CallPlan, ToolError> {
        let plan = Self::NAMES.plan(self.0.plan(cx, &input.request()));
        plan.map_err(|error| input.sentence(error))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: FindFilesInput,
    ) -> Result<Self::Output, ToolError> {
        let run = self.0.run(cx, input.request());
        let output = Self::NAMES.run(cx, run).await;
        let output = output.map_err(|error| input.sentence(error))?;
        let (found, shown) = (output.matches, output.files.len());
        cx.note("matches", found);
        cx.note("pattern", &*input.pattern);
        if found > shown {
            cx.warn(format!("Found {found} matches, showing first {shown}"));
        }
        let text = found_files(&output, &input.pattern);
        Ok(Shown::new(output, text))
    }

    fn render(output: &Self::Output) -> String {
        output.text()
    }
}

fn found_files(output: &FileSearchOutput, pattern: &str) -> String {
    let mut listing = format!("Found {} files matching '{pattern}':", output.matches);
    for file in &output.files {
        // Writing to a String cannot fail.
        let _ = write!(listing, "\n  {}", on_one_line(file));
    }
    listing
}

pub(super) struct MakeDirectory(pub(super) CreateDirectory);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MakeDirectoryInput {
    /// Relative path to directory to create
    path: String,
}

impl MakeDirectoryInput {
    fn request(&self) -> CreateDirectoryInput {
        CreateDirectoryInput {
            path: self.path.clone(),
        }
    }

    fn sentence(&self, error: ToolError) -> ToolError {
        errors::create_directory(error, shown_path(&self.path))
    }
}

impl TypedTool for MakeDirectory {
    type Input = MakeDirectoryInput;
    type Output = Shown<CreateDirectoryOutput>;

    const RISK: RiskLevel = CreateDirectory::RISK;

    fn plan(&self, cx: &ToolContext, input: &MakeDirectoryInput) -> Result<CallPlan, ToolError> {
        let plan = self.0.plan(cx, &input.request());
        plan.map_err(|error| input.sentence(error))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &MakeDirectoryInput,
    ) -> Result<Option<Preview>, ToolError> {
        let looked = self.0.inspect(cx, &input.request()).await;
        looked.map_err(|error| input.sentence(error))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: MakeDirectoryInput,
    ) -> Result<Self::Output, ToolError> {
        let output = self.0.run(cx, input.request()).await;
        let output = output.map_err(|error| input.sentence(error))?;
        cx.note("created_parents", output.created_parents.clone());
        let path = shown_path(&input.path);
        let text = if output.created {
            format!("Created directory: {path}")
        } else {
            format!("Directory already exists: {path}")
        };
        Ok(Shown::new(output, text))
    }

    fn render(output: &Self::Output) -> String {
        output.text()
    }
}
