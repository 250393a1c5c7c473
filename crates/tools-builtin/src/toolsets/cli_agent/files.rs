//! Tools to read and write files.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::approval::Preview;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool, ValidationIssue};

use super::{errors, shown_path};
use crate::files::{
    Encoding, ReadFile, ReadFileInput, ReadFileOutput, ReplaceString, ReplaceStringInput,
    ReplaceStringOutput, WriteFile, WriteFileInput, WriteFileOutput,
};
use crate::toolsets::document::{Shown, integer};
use crate::workspace::WriteMode;

pub(super) struct CreateFile(pub(super) WriteFile);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CreateFileInput {
    /// Relative path to the file to create
    path: String,
    /// Content to write to the file
    content: String,
}

impl CreateFileInput {
    fn request(&self) -> WriteFileInput {
        WriteFileInput {
            path: self.path.clone(),
            content: self.content.clone(),
            create_directories: true,
            mode: WriteMode::CreateNew,
        }
    }
}

impl TypedTool for CreateFile {
    type Input = CreateFileInput;
    type Output = Shown<WriteFileOutput>;

    const RISK: RiskLevel = WriteFile::RISK;

    fn plan(&self, cx: &ToolContext, input: &CreateFileInput) -> Result<CallPlan, ToolError> {
        let plan = self.0.plan(cx, &input.request());
        plan.map_err(|error| errors::create_file(error, shown_path(&input.path)))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &CreateFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        // The document validates paths before it asks for approval.
        let looked = self.0.inspect(cx, &input.request()).await;
        looked.map_err(|error| errors::create_file(error, shown_path(&input.path)))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: CreateFileInput,
    ) -> Result<Self::Output, ToolError> {
        let path = shown_path(&input.path);
        let output = self.0.run(cx, input.request()).await;
        let output = output.map_err(|error| errors::create_file(error, path))?;
        let text = format!("Created file: {path} ({} bytes)", output.bytes_written);
        Ok(Shown::new(output, text))
    }

    fn render(output: &Self::Output) -> String {
        output.text()
    }
}

pub(super) struct ReadLines(pub(super) ReadFile);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReadLinesInput {
    /// Relative path to the file to read
    path: String,
    /// Starting line number (1-indexed, optional)
    #[serde(default)]
    #[schemars(schema_with = "integer")]
    start_line: Option<i64>,
    /// Ending line number (1-indexed, inclusive, optional)
    #[serde(default)]
    #[schemars(schema_with = "integer")]
    end_line: Option<i64>,
}

impl ReadLinesInput {
    fn request(&self) -> Result<ReadFileInput, ToolError> {
        Ok(ReadFileInput {
            start_line: line("start_line", self.start_line)?,
            end_line: line("end_line", self.end_line)?,
            count_lines: true,
            max_lines: NonZeroUsize::MAX,
            ..ReadFileInput::of(self.path.clone())
        })
    }

    fn sentence(&self, error: ToolError) -> ToolError {
        errors::read_file(
            error,
            self.shown_path(),
            self.first_line(),
            self.last_line(),
        )
    }

    fn shown_path(&self) -> &str {
        shown_path(&self.path)
    }

    /// Returns the first requested line.
    fn first_line(&self) -> u64 {
        let first = self.start_line.map(u64::try_from);
        first.and_then(Result::ok).unwrap_or(1).max(1)
    }

    /// Returns the last requested line, which may be 0.
    fn last_line(&self) -> Option<u64> {
        self.end_line.and_then(|line| u64::try_from(line).ok())
    }

    fn contents(&self, output: &ReadFileOutput) -> String {
        let (path, content) = (self.shown_path(), &output.content);
        if output.encoding == Encoding::Binary {
            return format!("Contents of {path} (hex):\n{content}");
        }
        let first = self.first_line();
        let last = (first - 1).saturating_add(output.lines_returned as u64);
        let first = first.min(last);
        format!("Contents of {path} (lines {first}-{last}):\n{content}")
    }
}

/// Converts a line number. The type of the parameter allows 0, because the document has a sentence for
/// ranges that end there.
fn line(parameter: &str, number: Option<i64>) -> Result<Option<NonZeroUsize>, ToolError> {
    let Some(number) = number else {
        return Ok(None);
    };
    let line = usize::try_from(number).ok().and_then(NonZeroUsize::new);
    line.map(Some).ok_or_else(|| {
        let got = format!("the number {number}");
        let expected = "an integer of at least 1";
        let issue = ValidationIssue::new(format!("/{parameter}"), "type", expected, got);
        ToolError::from_issues(vec![issue])
            .suggest("Correct the arguments and call the tool again.")
    })
}

impl TypedTool for ReadLines {
    type Input = ReadLinesInput;
    type Output = Shown<ReadFileOutput>;

    const RISK: RiskLevel = ReadFile::RISK;

    fn plan(&self, cx: &ToolContext, input: &ReadLinesInput) -> Result<CallPlan, ToolError> {
        let request = input.request();
        let plan = request.and_then(|request| self.0.plan(cx, &request));
        plan.map_err(|error| input.sentence(error))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadLinesInput,
    ) -> Result<Self::Output, ToolError> {
        let output = self.0.run(cx, input.request()?).await;
        let output = output.map_err(|error| input.sentence(error))?;
        cx.note("total_lines", output.total_lines);
        cx.note("lines_returned", output.lines_returned);
        cx.note("file_size_bytes", output.file_size_bytes);
        let text = input.contents(&output);
        Ok(Shown::new(output, text))
    }

    fn render(output: &Self::Output) -> String {
        output.text()
    }
}

pub(super) struct ReplaceInFile(pub(super) ReplaceString);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReplaceInFileInput {
    /// Relative path to the file to modify
    path: String,
    /// Exact string to find and replace
    old_string: String,
    /// String to replace with
    new_string: String,
}

impl ReplaceInFileInput {
    fn request(&self) -> ReplaceStringInput {
        ReplaceStringInput {
            path: self.path.clone(),
            old_string: self.old_string.clone(),
            new_string: self.new_string.clone(),
            replace_all: false,
        }
    }

    fn sentence(&self, error: ToolError) -> ToolError {
        errors::replace_string(error, shown_path(&self.path), &self.old_string)
    }
}

impl TypedTool for ReplaceInFile {
    type Input = ReplaceInFileInput;
    type Output = Shown<ReplaceStringOutput>;

    const RISK: RiskLevel = ReplaceString::RISK;

    fn plan(&self, cx: &ToolContext, input: &ReplaceInFileInput) -> Result<CallPlan, ToolError> {
        let plan = self.0.plan(cx, &input.request());
        plan.map_err(|error| input.sentence(error))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &ReplaceInFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        let looked = self.0.inspect(cx, &input.request()).await;
        looked.map_err(|error| input.sentence(error))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReplaceInFileInput,
    ) -> Result<Self::Output, ToolError> {
        let output = self.0.run(cx, input.request()).await;
        let output = output.map_err(|error| input.sentence(error))?;
        cx.note("occurrences_found", output.occurrences_found);
        cx.note("occurrences_replaced", output.occurrences_replaced);
        cx.note("lines_changed", output.lines_changed.clone());
        let (path, count) = (shown_path(&input.path), output.occurrences_replaced);
        let text = format!("Replaced {count} occurrence in {path}");
        Ok(Shown::new(output, text))
    }

    fn render(output: &Self::Output) -> String {
        output.text()
    }
}
