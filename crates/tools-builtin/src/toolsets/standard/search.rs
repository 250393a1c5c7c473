//! The search in the contents and the names of files.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::files::{FileSearch, FileSearchInput, defaults};
use crate::search::{SearchCode, SearchCodeInput, SearchCodeOutput, SearchMatch};
use crate::toolsets::names::Names;
use crate::workspace::{Workspace, on_one_line};

/// Maximum number of matching lines to count.
const MAX_COUNTED: usize = 100_000;

/// Searches files by content, or by name if the pattern is empty.
pub(super) struct Search {
    pub(super) content: Arc<SearchCode>,
    pub(super) names: Arc<FileSearch>,
    pub(super) workspace: Workspace,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct SearchInput {
    /// Regex; empty to find files by `glob`.
    pattern: String,
    /// Directory or file.
    path: Option<String>,
    /// Such as `src/**/*.{js,ts}`. Name hidden and ignored files, as in `.github/**`.
    glob: Option<String>,
    /// Result.
    #[serde(default)]
    show: Show,
    /// Lines around each match.
    #[schemars(range(max = 20))]
    context: Option<usize>,
    /// Ignore case.
    ignore_case: Option<bool>,
    /// Match across lines, `.` too.
    multiline: Option<bool>,
    /// Maximum lines or files, 100 if omitted.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Show {
    #[default]
    Lines,
    Files,
    Counts,
}

/// Result of a search.
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct SearchOutput {
    /// Matching lines, if lines were requested.
    matches: Vec<SearchMatch>,
    /// Files with matches, or whose names match.
    files: Vec<FileMatches>,
    /// Number of matching lines; a lower bound if truncated.
    total_matches: usize,
    /// Number of files that were searched.
    files_searched: usize,
    /// Whether there may be more than was returned.
    truncated: bool,
    /// Text for the model.
    #[serde(skip)]
    text: String,
}

/// A file that was found.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct FileMatches {
    /// Path relative to the workspace root.
    path: String,
    /// Number of matching lines; 0 if only the name was searched.
    lines: usize,
}

impl SearchInput {
    fn path(&self) -> String {
        self.path.clone().unwrap_or_else(defaults::root)
    }

    fn limit(&self) -> usize {
        self.limit.unwrap_or(100)
    }

    fn content(&self) -> SearchCodeInput {
        SearchCodeInput {
            path: self.path(),
            pattern: self.glob.clone().unwrap_or_else(|| "*".to_owned()),
            regex: true,
            case_sensitive: !self.ignore_case.unwrap_or_default(),
            limit: self.limit(),
            counted: (self.show != Show::Lines).then_some(MAX_COUNTED),
            context_lines: self
                .context
                .filter(|_| self.show == Show::Lines)
                .unwrap_or_default(),
            multiline: self.is_multiline(),
            names_documents: true,
            ..SearchCodeInput::of(self.pattern.clone())
        }
    }

    fn is_multiline(&self) -> bool {
        self.multiline.unwrap_or_default()
    }

    /// Returns the search for names that an empty pattern stands for.
    fn names(&self) -> Result<Option<FileSearchInput>, ToolError> {
        if !self.pattern.is_empty() {
            return Ok(None);
        }
        let Some(glob) = self.glob.clone() else {
            return Err(ToolError::invalid_arguments("pattern", "is empty").suggest(
                "Set `pattern` to a regular expression, or `glob` to find files by name.",
            ));
        };
        Ok(Some(FileSearchInput {
            pattern: glob,
            base_path: self.path(),
            limit: self
                .limit()
                .try_into()
                .unwrap_or_else(|_| defaults::limit()),
        }))
    }
}

impl Search {
    const NAMES: Names = Names::of(&[
        ("query", "pattern"),
        ("pattern", "glob"),
        ("base_path", "path"),
        ("context_lines", "context"),
    ])
    .hiding(&["regex", "recursive", "case_sensitive"]);

    /// Suggests `multiline` for a pattern that is valid only with it.
    fn with_multiline(&self, cx: &ToolContext, input: &SearchInput, error: ToolError) -> ToolError {
        let across = SearchCodeInput {
            multiline: true,
            ..input.content()
        };
        match error.code() {
            ErrorCode::InvalidPattern if self.content.plan(cx, &across).is_ok() => {
                error.with_suggestion(Some("Set `multiline` to search across lines.".to_owned()))
            }
            _ => error,
        }
    }

    async fn by_name(
        &self,
        cx: &ToolContext,
        input: FileSearchInput,
    ) -> Result<SearchOutput, ToolError> {
        let found = Self::NAMES.run(cx, self.names.run(cx, input)).await?;
        let text = FileSearch::render(&found);
        let files = found.files.into_iter();
        Ok(SearchOutput {
            files: files.map(|path| FileMatches { path, lines: 0 }).collect(),
            truncated: found.truncated,
            text,
            ..SearchOutput::default()
        })
    }

    async fn by_content(
        &self,
        cx: &ToolContext,
        input: &SearchInput,
    ) -> Result<SearchOutput, ToolError> {
        let run = self.content.run(cx, input.content());
        let found = Self::NAMES.run(cx, run).await?;
        if found.matches.is_empty() {
            explain(cx, input, &found);
        }
        let mut output = SearchOutput {
            total_matches: found.total_matches,
            files_searched: found.files_searched,
            truncated: found.truncated,
            ..SearchOutput::default()
        };
        if input.show == Show::Lines || found.matches.is_empty() {
            output.text = SearchCode::render(&found);
            output.matches = found.matches;
            return Ok(output);
        }
        output.files = files_of(found);
        output.text = text_of(&output, input);
        output.truncated |= output.files.len() > input.limit();
        output.files.truncate(input.limit());
        Ok(output)
    }
}

/// Counts the matching lines of each file.
fn files_of(found: SearchCodeOutput) -> Vec<FileMatches> {
    let mut files: Vec<FileMatches> = Vec::new();
    for found in found.matches {
        match files.last_mut() {
            Some(last) if last.path == found.path => last.lines += 1,
            _ => files.push(FileMatches {
                path: found.path,
                lines: 1,
            }),
        }
    }
    files
}

fn text_of(output: &SearchOutput, input: &SearchInput) -> String {
    let shown = output.files.iter().take(input.limit());
    let line = |file: &FileMatches| {
        let path = on_one_line(&file.path);
        match input.show {
            Show::Counts => format!("{path}: {}", file.lines),
            _ => path.into_owned(),
        }
    };
    let mut lines: Vec<String> = shown.map(line).collect();
    let more = output.files.len() - lines.len();
    if more > 0 {
        lines.push(format!(
            "[… {more} more files; raise `limit`, or narrow `glob` or `path`]"
        ));
    }
    if output.truncated {
        lines.push("[… search incomplete; narrow `glob` or `path`]".to_owned());
    }
    lines.join("\n")
}

/// Says why nothing may have been found.
fn explain(cx: &ToolContext, input: &SearchInput, found: &SearchCodeOutput) {
    if let (0, Some(glob)) = (found.files_searched, &input.glob) {
        cx.warn(format!("No searched file matches the glob `{glob}`."));
    }
    let spans_lines = ["(?s", r"[\s\S]", r"[\S\s]", r"[\d\D]", r"[\w\W]"];
    if !input.is_multiline() && spans_lines.iter().any(|part| input.pattern.contains(part)) {
        cx.warn("Lines are searched separately. Set `multiline` to match across lines.");
    }
    if input.pattern.contains("\\|") {
        cx.warn("`\\|` is a literal bar in `pattern`; alternatives are separated by `|`.");
    }
}

impl TypedTool for Search {
    type Input = SearchInput;
    type Output = SearchOutput;

    const RISK: RiskLevel = SearchCode::RISK;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("query", "pattern"),
        ("regex", "pattern"),
        ("file_path", "path"),
        ("directory", "path"),
        ("base_path", "path"),
        ("glob_pattern", "glob"),
        ("file_pattern", "glob"),
        ("filePattern", "glob"),
        ("include", "glob"),
        ("output_mode", "show"),
        ("-C", "context"),
        ("context_lines", "context"),
        ("-i", "ignore_case"),
        ("case_insensitive", "ignore_case"),
        ("head_limit", "limit"),
        ("max_results", "limit"),
    ];

    fn plan(&self, cx: &ToolContext, input: &SearchInput) -> Result<CallPlan, ToolError> {
        if let Some(glob) = &input.glob {
            self.workspace.check_glob("glob", glob)?;
        }
        let planned = match input.names()? {
            Some(names) => self.names.plan(cx, &names),
            None => self.content.plan(cx, &input.content()),
        };
        Self::NAMES.plan(planned.map_err(|error| self.with_multiline(cx, input, error)))
    }

    async fn run(&self, cx: &ToolContext, input: SearchInput) -> Result<SearchOutput, ToolError> {
        match input.names()? {
            Some(names) => self.by_name(cx, names).await,
            None => self.by_content(cx, &input).await,
        }
    }

    fn render(output: &SearchOutput) -> String {
        output.text.clone()
    }
}
