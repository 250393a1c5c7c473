//! The search in files.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::files::defaults;
use crate::search::{SearchCode, SearchCodeInput, SearchCodeOutput};

/// Searches the lines of files.
pub(super) struct SearchLines(pub(super) Arc<SearchCode>);

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate parameter"
)]
pub(super) struct SearchLinesInput {
    /// Text to search for, or a regular expression if `regex` is true. Each line is searched
    /// separately.
    query: String,
    /// Directory or file to search, relative to the workspace root.
    #[serde(default = "defaults::root")]
    path: String,
    /// Glob that the files must match, such as `*.rs` or `src/**/*.{js,ts}`. Hidden and ignored files must be named, as in `.github/**`.
    #[serde(default = "every_file")]
    pattern: String,
    /// Whether to search subdirectories.
    #[serde(default = "defaults::yes")]
    recursive: bool,
    /// Whether `query` is a regular expression.
    #[serde(default)]
    regex: bool,
    /// Whether the search is case-sensitive.
    #[serde(default)]
    case_sensitive: bool,
    /// Maximum number of matching lines to return. If there are more, the last line of the output
    /// reports it.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
    /// Number of lines to show before and after each match.
    #[serde(default)]
    #[schemars(range(min = 0, max = 20))]
    context_lines: usize,
    /// Whether to search files and directories whose names start with a dot.
    #[serde(default)]
    hidden: bool,
    /// Whether to search files that `.gitignore` and `.ignore` exclude.
    #[serde(default)]
    ignored: bool,
}

fn every_file() -> String {
    "*".to_owned()
}

fn hundred() -> usize {
    100
}

impl SearchLinesInput {
    fn request(self) -> SearchCodeInput {
        SearchCodeInput {
            path: self.path,
            pattern: self.pattern,
            recursive: self.recursive,
            regex: self.regex,
            case_sensitive: self.case_sensitive,
            limit: self.limit,
            context_lines: self.context_lines,
            hidden: self.hidden,
            ignored: self.ignored,
            ..SearchCodeInput::of(self.query)
        }
    }
}

impl TypedTool for SearchLines {
    type Input = SearchLinesInput;
    type Output = SearchCodeOutput;

    const RISK: RiskLevel = SearchCode::RISK;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("directory", "path"),
        ("base_path", "path"),
        ("max_results", "limit"),
        ("is_regex", "regex"),
        ("file_pattern", "pattern"),
        ("filePattern", "pattern"),
    ];

    fn plan(&self, cx: &ToolContext, input: &SearchLinesInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.clone().request())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: SearchLinesInput,
    ) -> Result<SearchCodeOutput, ToolError> {
        self.0.run(cx, input.request()).await
    }

    fn render(output: &SearchCodeOutput) -> String {
        SearchCode::render(output)
    }
}
