//! Tools that read the workspace or a connected repository. Their outputs are JSON.

use std::num::{NonZeroU16, NonZeroUsize};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::{ToolContext, ToolError, TypedTool};

use crate::files::{
    ListDirsInput, ListDirsOutput, ListFilesInput, ListFilesOutput, ReadFileInput, ReadFileOutput,
    defaults,
};
use crate::search::{MAX_MATCHES, SearchCodeInput, SearchCodeOutput};
use crate::toolsets::document::{as_json, integer};
use crate::toolsets::names::Names;
use crate::toolsets::wording::Wording;

/// Maximum number of bytes of a file to return.
const MAX_CONTENT: usize = 100 * 1024;

/// Maximum number of levels to descend.
const MAX_DEPTH: u16 = 3;
/// Maximum number of entries or matches to return.
const MAX_LIMIT: u16 = 1000;

/// Returns a number from 1 to `most`, instead of one out of this range.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is in the range"
)]
fn clamped(number: f64, most: u16) -> u16 {
    number.clamp(1.0, most.into()) as u16
}

const fn one_level() -> f64 {
    1.0
}

const fn fifty() -> f64 {
    50.0
}

const fn twenty() -> f64 {
    20.0
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Directories {
    /// Directory to list; the repository root if omitted
    path: Option<String>,
    /// Number of levels to descend, at most 3
    #[serde(default = "one_level")]
    #[schemars(schema_with = "integer", extend("default" = 1))]
    depth: f64,
    /// Maximum number of directories
    #[serde(default = "fifty")]
    #[schemars(schema_with = "integer", extend("default" = 50))]
    limit: f64,
}

impl<E> Wording<E> for Directories
where
    E: TypedTool<Input = ListDirsInput, Output = ListDirsOutput>,
{
    fn request(&self) -> Result<ListDirsInput, ToolError> {
        Ok(ListDirsInput {
            path: self.path.clone().unwrap_or_else(defaults::root),
            depth: clamped(self.depth, MAX_DEPTH).into(),
            limit: clamped(self.limit, MAX_LIMIT).into(),
        })
    }

    fn text(&self, _cx: &ToolContext, output: &ListDirsOutput) -> Result<String, ToolError> {
        Ok(as_json(output))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FilesOfDirectory {
    /// Directory to list; the repository root if omitted
    path: Option<String>,
    /// Glob that the file names must match, such as *.tsx
    pattern: Option<String>,
    /// Maximum number of files
    #[serde(default = "fifty")]
    #[schemars(schema_with = "integer", extend("default" = 50))]
    limit: f64,
}

impl<E> Wording<E> for FilesOfDirectory
where
    E: TypedTool<Input = ListFilesInput, Output = ListFilesOutput>,
{
    const NAMES: Names = Names::of(&[]).hiding(&["recursive"]);

    fn request(&self) -> Result<ListFilesInput, ToolError> {
        Ok(ListFilesInput {
            path: self.path.clone().unwrap_or_else(defaults::root),
            pattern: self.pattern.clone(),
            recursive: false,
            limit: NonZeroU16::new(clamped(self.limit, MAX_LIMIT))
                .map_or(NonZeroUsize::MIN, NonZeroUsize::from),
            hidden: true,
            ignored: true,
            skip_git: false,
        })
    }

    fn text(&self, _cx: &ToolContext, output: &ListFilesOutput) -> Result<String, ToolError> {
        Ok(as_json(output))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FileContent {
    /// Path of the file
    path: String,
}

impl<E> Wording<E> for FileContent
where
    E: TypedTool<Input = ReadFileInput, Output = ReadFileOutput>,
{
    const NAMES: Names = Names::of(&[]).hiding(&["start_line"]);

    fn request(&self) -> Result<ReadFileInput, ToolError> {
        Ok(ReadFileInput {
            max_lines: NonZeroUsize::MAX,
            max_bytes: MAX_CONTENT,
            ..ReadFileInput::of(self.path.clone())
        })
    }

    fn text(&self, cx: &ToolContext, output: &ReadFileOutput) -> Result<String, ToolError> {
        if output.content.starts_with(LFS) {
            cx.warn("The file is stored with Git LFS; its pointer is shown, not its content.");
        }
        let (path, content, size) = (&output.path, &output.content, output.size);
        Ok(json!({"path": path, "content": content, "size": size}).to_string())
    }
}

/// First line of the pointers of Git LFS.
const LFS: &str = "version https://git-lfs.github.com/spec/v1\n";

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Snippets {
    /// Text to search for
    query: String,
    /// Glob that the files must match, such as *.ts
    #[serde(rename = "filePattern")]
    pattern: Option<String>,
    /// Maximum number of matches
    #[serde(default = "twenty")]
    #[schemars(schema_with = "integer", extend("default" = 20))]
    limit: f64,
}

impl<E> Wording<E> for Snippets
where
    E: TypedTool<Input = SearchCodeInput, Output = SearchCodeOutput>,
{
    const NAMES: Names =
        Names::of(&[("pattern", "filePattern")]).hiding(&["path", "regex", "context_lines"]);

    fn request(&self) -> Result<SearchCodeInput, ToolError> {
        let input = SearchCodeInput::of(self.query.clone());
        Ok(SearchCodeInput {
            pattern: self.pattern.clone().unwrap_or(input.pattern),
            limit: clamped(self.limit, MAX_LIMIT).into(),
            ..SearchCodeInput::of(input.query)
        })
    }

    fn text(&self, cx: &ToolContext, output: &SearchCodeOutput) -> Result<String, ToolError> {
        if output.truncated {
            cx.warn(truncation_warning(output.matches.len()));
        }
        let matches = output.matches.iter();
        let snippets = matches.map(|found| json!({"path": found.path, "snippet": found.text}));
        Ok(snippets.collect::<Value>().to_string())
    }
}

fn truncation_warning(count: usize) -> String {
    let advice = if count < MAX_MATCHES {
        "narrow `filePattern`, or raise `limit`"
    } else {
        "narrow `query` or `filePattern`"
    };
    format!("Stopped after {count} matches; there may be more: {advice}.")
}
