//! Tools to read and write files.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ToolContext, ToolError, ValidationIssue};

use super::{errors, shown_path};
use crate::files::{
    Encoding, ReadFile, ReadFileInput, ReadFileOutput, ReplaceString, ReplaceStringInput,
    ReplaceStringOutput, WriteFile, WriteFileInput, WriteFileOutput,
};
use crate::toolsets::document::integer;
use crate::toolsets::wording::Wording;
use crate::workspace::WriteMode;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CreateFile {
    /// Relative path to the file to create
    path: String,
    /// Content to write to the file
    content: String,
}

impl Wording<WriteFile> for CreateFile {
    fn request(&self) -> Result<WriteFileInput, ToolError> {
        Ok(WriteFileInput {
            path: self.path.clone(),
            content: self.content.clone(),
            create_directories: true,
            mode: WriteMode::CreateNew,
        })
    }

    fn reworded(&self, error: ToolError, _files: &WriteFile) -> ToolError {
        errors::create_file(error, shown_path(&self.path))
    }

    fn text(&self, _cx: &ToolContext, output: &WriteFileOutput) -> Result<String, ToolError> {
        let (path, bytes) = (shown_path(&self.path), output.bytes_written);
        Ok(format!("Created file: {path} ({bytes} bytes)"))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReadLines {
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

impl ReadLines {
    /// Returns the first requested line.
    fn first_line(&self) -> u64 {
        let first = self.start_line.map(u64::try_from);
        first.and_then(Result::ok).unwrap_or(1).max(1)
    }

    /// Returns the last requested line, which may be 0.
    fn last_line(&self) -> Option<u64> {
        self.end_line.and_then(|line| u64::try_from(line).ok())
    }
}

impl Wording<ReadFile> for ReadLines {
    fn request(&self) -> Result<ReadFileInput, ToolError> {
        Ok(ReadFileInput {
            start_line: line("start_line", self.start_line)?,
            end_line: line("end_line", self.end_line)?,
            count_lines: true,
            max_lines: NonZeroUsize::MAX,
            ..ReadFileInput::of(self.path.clone())
        })
    }

    fn reworded(&self, error: ToolError, _files: &ReadFile) -> ToolError {
        let (first, last) = (self.first_line(), self.last_line());
        errors::read_file(error, shown_path(&self.path), first, last)
    }

    fn text(&self, cx: &ToolContext, output: &ReadFileOutput) -> Result<String, ToolError> {
        cx.note("total_lines", output.total_lines);
        cx.note("lines_returned", output.lines_returned);
        cx.note("file_size_bytes", output.file_size_bytes);
        let (path, content) = (shown_path(&self.path), &output.content);
        if output.encoding == Encoding::Binary {
            return Ok(format!("Contents of {path} (hex):\n{content}"));
        }
        let first = self.first_line();
        let last = (first - 1).saturating_add(output.lines_returned as u64);
        let first = first.min(last);
        Ok(format!(
            "Contents of {path} (lines {first}-{last}):\n{content}"
        ))
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

impl Wording<ReplaceString> for ReplaceStringInput {
    fn request(&self) -> Result<Self, ToolError> {
        Ok(self.clone())
    }

    fn reworded(&self, error: ToolError, _files: &ReplaceString) -> ToolError {
        errors::replace_string(error, shown_path(&self.path), &self.old_string)
    }

    fn text(&self, cx: &ToolContext, output: &ReplaceStringOutput) -> Result<String, ToolError> {
        cx.note("occurrences_found", output.occurrences_found);
        cx.note("occurrences_replaced", output.occurrences_replaced);
        cx.note("lines_changed", output.lines_changed.clone());
        let (path, count) = (shown_path(&self.path), output.occurrences_replaced);
        Ok(format!("Replaced {count} occurrence in {path}"))
    }
}
