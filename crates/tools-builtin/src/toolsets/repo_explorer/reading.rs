//! Tools that read the workspace or a connected repository. Their outputs are JSON.

use std::num::{NonZeroU16, NonZeroUsize};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::checks::Clamped;
use crate::files::{
    ListDirsInput, ListDirsOutput, ListFilesInput, ListFilesOutput, ReadFileInput, ReadFileOutput,
    defaults,
};
use crate::repository::NOT_CONNECTED;
use crate::search::{MAX_MATCHES, SearchCodeInput, SearchCodeOutput};
use crate::toolsets::document::as_json;
use crate::toolsets::names::Names;

/// Number of levels to descend.
type Depth = Clamped<3>;

/// Number of entries or matches to return.
type Limit = Clamped<1000>;

impl Limit {
    fn non_zero(self) -> NonZeroUsize {
        NonZeroU16::new(self.get()).map_or(NonZeroUsize::MIN, NonZeroUsize::from)
    }
}

const fn one_level() -> Depth {
    Clamped::of(1.0)
}

const fn fifty() -> Limit {
    Clamped::of(50.0)
}

const fn twenty() -> Limit {
    Clamped::of(20.0)
}

/// Adds the text of the source document for a missing connection.
fn map_error(error: ToolError) -> ToolError {
    if error.message() == NOT_CONNECTED {
        error.with_text(format!(r#"{{ "error": "{NOT_CONNECTED}" }}"#))
    } else {
        error
    }
}

/// Lists directories with `E`.
pub(super) struct Directories<E>(pub(super) E);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DirectoriesInput {
    /// Directory to list; the repository root if omitted
    path: Option<String>,
    /// Number of levels to descend, at most 3
    #[serde(default = "one_level")]
    #[schemars(extend("default" = 1))]
    depth: Depth,
    /// Maximum number of directories
    #[serde(default = "fifty")]
    #[schemars(extend("default" = 50))]
    limit: Limit,
}

impl DirectoriesInput {
    fn request(&self) -> ListDirsInput {
        ListDirsInput {
            path: self.path.clone().unwrap_or_else(defaults::root),
            depth: self.depth.get().into(),
            limit: self.limit.non_zero(),
            hidden: true,
            ignored: false,
        }
    }
}

impl<E: TypedTool<Input = ListDirsInput, Output = ListDirsOutput>> TypedTool for Directories<E> {
    type Input = DirectoriesInput;
    type Output = ListDirsOutput;

    const RISK: RiskLevel = E::RISK;

    fn plan(&self, cx: &ToolContext, input: &DirectoriesInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.request())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: DirectoriesInput,
    ) -> Result<ListDirsOutput, ToolError> {
        input.depth.warn(cx, "depth");
        input.limit.warn(cx, "limit");
        let run = self.0.run(cx, input.request());
        run.await.map_err(map_error)
    }

    fn render(output: &ListDirsOutput) -> String {
        as_json(output)
    }
}

/// Lists files with `E`.
pub(super) struct FilesOfDirectory<E>(pub(super) E);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FilesOfDirectoryInput {
    /// Directory to list; the repository root if omitted
    path: Option<String>,
    /// Glob that the file names must match, such as *.tsx
    pattern: Option<String>,
    /// Maximum number of files
    #[serde(default = "fifty")]
    #[schemars(extend("default" = 50))]
    limit: Limit,
}

impl FilesOfDirectoryInput {
    const NAMES: Names = Names::of(&[]).hiding(&["recursive"]);

    fn request(&self) -> ListFilesInput {
        ListFilesInput {
            path: self.path.clone().unwrap_or_else(defaults::root),
            pattern: self.pattern.clone(),
            recursive: false,
            limit: self.limit.non_zero(),
            hidden: true,
            ignored: true,
            skip_git: false,
        }
    }
}

impl<E> TypedTool for FilesOfDirectory<E>
where
    E: TypedTool<Input = ListFilesInput, Output = ListFilesOutput>,
{
    type Input = FilesOfDirectoryInput;
    type Output = ListFilesOutput;

    const RISK: RiskLevel = E::RISK;

    fn plan(&self, cx: &ToolContext, input: &FilesOfDirectoryInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.request())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: FilesOfDirectoryInput,
    ) -> Result<ListFilesOutput, ToolError> {
        input.limit.warn(cx, "limit");
        let run = self.0.run(cx, input.request());
        let run = FilesOfDirectoryInput::NAMES.run(cx, run);
        run.await.map_err(map_error)
    }

    fn render(output: &ListFilesOutput) -> String {
        as_json(output)
    }
}

/// Reads files with `E`.
pub(super) struct FileContent<E>(pub(super) E);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FileContentInput {
    /// Path of the file
    path: String,
}

impl FileContentInput {
    const NAMES: Names = Names::of(&[]).hiding(&["start_line"]);

    fn request(&self) -> ReadFileInput {
        ReadFileInput {
            max_lines: NonZeroUsize::MAX,
            ..ReadFileInput::of(self.path.clone())
        }
    }
}

impl<E: TypedTool<Input = ReadFileInput, Output = ReadFileOutput>> TypedTool for FileContent<E> {
    type Input = FileContentInput;
    type Output = ReadFileOutput;

    const RISK: RiskLevel = E::RISK;

    fn plan(&self, cx: &ToolContext, input: &FileContentInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.request())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: FileContentInput,
    ) -> Result<ReadFileOutput, ToolError> {
        let run = self.0.run(cx, input.request());
        let run = FileContentInput::NAMES.run(cx, run);
        run.await.map_err(map_error)
    }

    fn render(output: &ReadFileOutput) -> String {
        as_json(&File {
            path: &output.path,
            content: &output.content,
            size: output.size,
        })
    }
}

/// File in the format of the source document.
#[derive(Serialize)]
struct File<'o> {
    path: &'o str,
    content: &'o str,
    size: u64,
}

/// Searches files with `E`.
pub(super) struct Snippets<E>(pub(super) E);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SnippetsInput {
    /// Text to search for
    query: String,
    /// Glob that the files must match, such as *.ts
    #[serde(rename = "filePattern")]
    pattern: Option<String>,
    /// Maximum number of matches
    #[serde(default = "twenty")]
    #[schemars(extend("default" = 20))]
    limit: Limit,
}

impl SnippetsInput {
    const NAMES: Names = Names::of(&[("pattern", "filePattern")]).hiding(&[
        "path",
        "regex",
        "context_lines",
        "hidden",
        "ignored",
    ]);

    fn request(&self) -> SearchCodeInput {
        let input = SearchCodeInput::of(self.query.clone());
        SearchCodeInput {
            pattern: self.pattern.clone().unwrap_or(input.pattern),
            limit: self.limit.get().into(),
            ..input
        }
    }
}

impl<E: TypedTool<Input = SearchCodeInput, Output = SearchCodeOutput>> TypedTool for Snippets<E> {
    type Input = SnippetsInput;
    type Output = SearchCodeOutput;

    const RISK: RiskLevel = E::RISK;

    fn plan(&self, cx: &ToolContext, input: &SnippetsInput) -> Result<CallPlan, ToolError> {
        let plan = self.0.plan(cx, &input.request());
        SnippetsInput::NAMES.plan(plan)
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: SnippetsInput,
    ) -> Result<SearchCodeOutput, ToolError> {
        input.limit.warn(cx, "limit");
        let run = self.0.run(cx, input.request());
        let output = SnippetsInput::NAMES.run(cx, run).await.map_err(map_error)?;
        if output.truncated {
            cx.warn(truncation_warning(output.matches.len()));
        }
        Ok(output)
    }

    fn render(output: &SearchCodeOutput) -> String {
        let matches = output.matches.iter().map(|found| Snippet {
            path: &found.path,
            snippet: &found.text,
        });
        as_json(&matches.collect::<Vec<_>>())
    }
}

/// Match in the format of the source document.
#[derive(Serialize)]
struct Snippet<'o> {
    path: &'o str,
    snippet: &'o str,
}

fn truncation_warning(count: usize) -> String {
    let advice = if count < MAX_MATCHES {
        "narrow `filePattern`, or raise `limit`"
    } else {
        "narrow `query` or `filePattern`"
    };
    format!("Stopped after {count} matches; there may be more: {advice}.")
}
