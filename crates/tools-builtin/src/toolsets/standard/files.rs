//! File tools that show fewer parameters than their engines have.

use std::num::NonZeroUsize;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::approval::Preview;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::files::{
    ListDirs, ListDirsInput, ListDirsOutput, ListFiles, ListFilesInput, ListFilesOutput, ReadFile,
    ReadFileInput, ReadFileOutput, WriteFile, WriteFileInput, WriteFileOutput, defaults,
};
use crate::workspace::WriteMode;

/// Lists files.
pub(super) struct ListAllFiles(pub(super) Arc<ListFiles>);

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct ListAllFilesInput {
    /// Path of the directory, relative to the workspace root. Omit to list the root.
    #[serde(default = "defaults::root")]
    path: String,
    /// Glob that the files must match, such as `*.rs`, `src/**/*.ts` or `*.{js,ts}`. A glob without `/` matches the file name. Omit to list all files.
    #[serde(default)]
    pattern: Option<String>,
    /// Whether to list the files in all subdirectories as well.
    #[serde(default)]
    recursive: bool,
    /// Maximum number of files to list.
    #[serde(default = "defaults::limit")]
    limit: NonZeroUsize,
    /// Whether to include files and directories whose names start with a dot.
    #[serde(default)]
    hidden: bool,
    /// Whether to include files that .gitignore and .ignore exclude.
    #[serde(default)]
    ignored: bool,
}

impl ListAllFilesInput {
    fn request(self) -> ListFilesInput {
        ListFilesInput {
            path: self.path,
            pattern: self.pattern,
            recursive: self.recursive,
            limit: self.limit,
            hidden: self.hidden,
            ignored: self.ignored,
            skip_git: false,
        }
    }
}

impl TypedTool for ListAllFiles {
    type Input = ListAllFilesInput;
    type Output = ListFilesOutput;

    const RISK: RiskLevel = ListFiles::RISK;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("directory", "path"),
        ("base_path", "path"),
        ("max_results", "limit"),
        ("file_pattern", "pattern"),
        ("filePattern", "pattern"),
    ];

    fn plan(&self, cx: &ToolContext, input: &ListAllFilesInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.clone().request())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ListAllFilesInput,
    ) -> Result<ListFilesOutput, ToolError> {
        self.0.run(cx, input.request()).await
    }

    fn render(output: &ListFilesOutput) -> String {
        ListFiles::render(output)
    }
}

/// Lists directories.
pub(super) struct ListDirectories(pub(super) Arc<ListDirs>);

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct ListDirectoriesInput {
    /// Path of the directory, relative to the workspace root. Omit to start at the root.
    #[serde(default = "defaults::root")]
    path: String,
    /// Number of levels below the directory to list, from 1 to 3. Other values are clamped to this range.
    #[serde(default = "one")]
    depth: i64,
    /// Maximum number of directories to list.
    #[serde(default = "fifty")]
    limit: NonZeroUsize,
}

fn one() -> i64 {
    1
}

fn fifty() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(49)
}

impl ListDirectoriesInput {
    fn request(self) -> ListDirsInput {
        ListDirsInput {
            path: self.path,
            depth: usize::try_from(self.depth).unwrap_or_default(),
            limit: self.limit,
            hidden: false,
            ignored: false,
        }
    }

    fn clamped(self, cx: &ToolContext) -> Self {
        let depth = self.depth.clamp(1, 3);
        if depth != self.depth {
            cx.warn(format!("`depth` is from 1 to 3; {depth} was used."));
        }
        Self { depth, ..self }
    }
}

impl TypedTool for ListDirectories {
    type Input = ListDirectoriesInput;
    type Output = ListDirsOutput;

    const RISK: RiskLevel = ListDirs::RISK;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("directory", "path"),
        ("base_path", "path"),
        ("max_results", "limit"),
    ];

    fn plan(&self, cx: &ToolContext, input: &ListDirectoriesInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.clone().request())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ListDirectoriesInput,
    ) -> Result<ListDirsOutput, ToolError> {
        let request = input.clamped(cx).request();
        self.0.run(cx, request).await
    }

    fn render(output: &ListDirsOutput) -> String {
        ListDirs::render(output)
    }
}

/// Reads a file.
pub(super) struct ReadLines(pub(super) Arc<ReadFile>);

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct ReadLinesInput {
    /// Path of the file, relative to the workspace root.
    path: String,
    /// First line to return, counted from 1. Omit to start at the first line.
    #[serde(default)]
    start_line: Option<NonZeroUsize>,
    /// Last line to return, inclusive. Omit to read to the end.
    #[serde(default)]
    end_line: Option<NonZeroUsize>,
    /// Maximum characters to return. Omit for the tool's own limit.
    #[serde(default)]
    max_chars: Option<NonZeroUsize>,
}

impl ReadLinesInput {
    fn request(self) -> ReadFileInput {
        ReadFileInput {
            start_line: self.start_line,
            end_line: self.end_line,
            max_chars: self.max_chars,
            ..ReadFileInput::of(self.path)
        }
    }
}

impl TypedTool for ReadLines {
    type Input = ReadLinesInput;
    type Output = ReadFileOutput;

    const RISK: RiskLevel = ReadFile::RISK;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("directory", "path"),
        ("base_path", "path"),
        ("maxChars", "max_chars"),
    ];

    fn plan(&self, cx: &ToolContext, input: &ReadLinesInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.clone().request())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadLinesInput,
    ) -> Result<ReadFileOutput, ToolError> {
        self.0.run(cx, input.request()).await
    }

    fn render(output: &ReadFileOutput) -> String {
        ReadFile::render(output)
    }
}

/// Writes a file, and replaces an existing one.
pub(super) struct ReplaceFile(pub(super) Arc<WriteFile>);

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct ReplaceFileInput {
    /// Path of the file, relative to the workspace root.
    path: String,
    /// Complete text of the file, at most 10 MB.
    content: String,
    /// Whether to create missing parent directories.
    #[serde(default = "defaults::yes")]
    create_directories: bool,
}

impl ReplaceFileInput {
    fn request(self) -> WriteFileInput {
        WriteFileInput {
            path: self.path,
            content: self.content,
            create_directories: self.create_directories,
            mode: WriteMode::Overwrite,
        }
    }
}

impl TypedTool for ReplaceFile {
    type Input = ReplaceFileInput;
    type Output = WriteFileOutput;

    const RISK: RiskLevel = WriteFile::RISK;
    const ALIASES: &'static [(&'static str, &'static str)] = defaults::PATH_ALIASES;

    fn plan(&self, cx: &ToolContext, input: &ReplaceFileInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.clone().request())
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &ReplaceFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        self.0.inspect(cx, &input.clone().request()).await
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReplaceFileInput,
    ) -> Result<WriteFileOutput, ToolError> {
        self.0.run(cx, input.request()).await
    }

    fn render(output: &WriteFileOutput) -> String {
        WriteFile::render(output)
    }
}

/// Creates a file that must not exist.
pub(super) struct CreateFile(pub(super) Arc<WriteFile>);

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct CreateFileInput {
    /// Path of the file, relative to the workspace root.
    path: String,
    /// Complete text of the file, at most 10 MB.
    content: String,
}

impl CreateFileInput {
    fn request(self) -> WriteFileInput {
        WriteFileInput {
            path: self.path,
            content: self.content,
            create_directories: true,
            mode: WriteMode::CreateNew,
        }
    }
}

impl TypedTool for CreateFile {
    type Input = CreateFileInput;
    type Output = WriteFileOutput;

    const RISK: RiskLevel = WriteFile::RISK;
    const ALIASES: &'static [(&'static str, &'static str)] = defaults::PATH_ALIASES;

    fn plan(&self, cx: &ToolContext, input: &CreateFileInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.clone().request())
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &CreateFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        self.0.inspect(cx, &input.clone().request()).await
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: CreateFileInput,
    ) -> Result<WriteFileOutput, ToolError> {
        self.0.run(cx, input.request()).await
    }

    fn render(output: &WriteFileOutput) -> String {
        WriteFile::render(output)
    }
}
