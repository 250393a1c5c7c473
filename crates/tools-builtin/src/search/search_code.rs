//! Search in the content of files.

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::file_search::Task;
use super::hits::Capacity;
use super::output::{MAX_MATCHES, SearchCodeOutput, as_text};
use super::query::Query;
use super::searcher;
use super::stop::StopConditions;
use crate::blocking::{Permit, blocking};
use crate::files::defaults;
use crate::workspace::{Pattern, WalkOptions, Workspace};

/// Maximum bytes of the matches of a call.
const MAX_BYTES: usize = 10 * 1024 * 1024;

/// Default time limit of a search.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Time before the deadline of the call at which a search returns its results.
const DEADLINE_MARGIN: Duration = Duration::from_millis(100);

/// Query and files to search.
///
/// # Examples
/// ```
/// use tools_builtin::search::SearchCodeInput;
///
/// let input: SearchCodeInput = serde_json::from_str(r#"{"query": "main"}"#)?;
/// assert_eq!((input.path.as_str(), input.recursive, input.limit), (".", true, 100));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent options of a search"
)]
pub struct SearchCodeInput {
    /// Text to search for, or a regular expression if `regex` is true. Each line is searched
    /// separately.
    pub query: String,
    /// Directory or file to search, relative to the workspace root.
    #[serde(default = "defaults::root")]
    pub path: String,
    /// Glob that the files must match, such as `*.rs` or `src/**/*.{js,ts}`. Hidden and ignored files must be named, as in `.github/**`.
    #[serde(default = "default_pattern")]
    pub pattern: String,
    /// Whether to search subdirectories.
    #[serde(default = "defaults::yes")]
    pub recursive: bool,
    /// Whether `query` is a regular expression.
    #[serde(default)]
    pub regex: bool,
    /// Whether the search is case-sensitive.
    #[serde(default)]
    pub case_sensitive: bool,
    /// Maximum number of matching lines to return. If there are more, the last line of the output
    /// reports it.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// Number of lines to show before and after each match.
    #[serde(default)]
    #[schemars(range(min = 0, max = 20))]
    pub context_lines: usize,
    /// Extensions of files to skip, such as `.png`. Some toolsets set it.
    #[serde(default)]
    pub skip_endings: Vec<String>,
    /// Maximum number of matching lines for a caller that only counts them, instead of `limit`.
    #[serde(skip)]
    pub(crate) counted: Option<usize>,
    /// Whether `query` is a regular expression that matches across lines.
    #[serde(skip)]
    pub(crate) multiline: bool,
    /// Whether documents that were not searched are named.
    #[serde(skip)]
    pub(crate) names_documents: bool,
}

impl SearchCodeInput {
    /// Creates the input of a search in all files, with the default options.
    pub(crate) fn of(query: String) -> Self {
        Self {
            query,
            path: defaults::root(),
            pattern: default_pattern(),
            recursive: true,
            regex: false,
            case_sensitive: false,
            limit: default_limit(),
            context_lines: 0,
            skip_endings: Vec::new(),
            counted: None,
            multiline: false,
            names_documents: false,
        }
    }
}

/// Line-by-line search in the files of one workspace, with a linear-time regular expression engine.
///
/// The same files produce the same output in the same order, regardless of the number of threads:
/// lines sorted by path (compared by bytes), then by number.
///
/// # Searched files
/// - Regular files below the directory. Links are not followed. Names that start with a dot are
///   skipped, as are files excluded by `.gitignore`, `.ignore`, `.rgignore` and
///   `.git/info/exclude`, with the precedence of ripgrep. The rules apply from the workspace root,
///   even if it is not a repository; files outside are not read.
/// - Skipped files that `pattern` names, as in `.github/**` or `target/debug/a.d`. A result of fewer
///   than 5 lines states the number of other skipped files that match `pattern`. Files of `.git` and
///   other version control are not counted.
/// - A file is text unless its first 8 KB contain a NUL. A later NUL does not stop the search and
///   is shown as `\u{fffd}`. Only the content decides whether a file is text, not its size or name.
/// - UTF-8, UTF-16 with a byte-order mark, and other encodings that extend ASCII. A file whose first 128 KB are not UTF-8 is
///   decoded like `read_file` does. Later invalid UTF-8, and that in files of 16 MB, is shown as `\u{fffd}`. A carriage
///   return before a newline is not part of the line or its match.
///
/// # Limits
/// 1,000 matching lines with 20 context lines before and after each; 500 bytes of a line, around
/// its first match; queries of 4,096 bytes; 100 levels of directories and 1,000,000 entries; lines,
/// and files that are decoded, of 16 MB. After 30 seconds, the matches so far are returned with a
/// warning. If the output is truncated by the limit, `total_matches` is one more than the number of
/// returned matches.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::search::SearchCode;
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("src/a.rs", "fn main() {}\n").file("notes.md", "main idea\n");
/// let tool = SearchCode::new(Workspace::open(scratch.path())?);
/// let input = serde_json::from_str(r#"{"query": "MAIN", "pattern": "*.rs"}"#)?;
/// let output = tool.run(&ToolContext::test(), input).await?;
/// assert_eq!(SearchCode::render(&output), "src/a.rs:1: fn main() {}");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct SearchCode {
    pub(crate) workspace: Workspace,
    time_limit: Duration,
}

impl SearchCode {
    /// Creates a search that never reads outside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            time_limit: TIME_LIMIT,
        }
    }

    /// Sets the time limit, after which the matches so far are returned. The default is 30 seconds.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn with_time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    fn deadline(&self, cx: &ToolContext) -> Instant {
        let own = Instant::now() + self.time_limit;
        let outer = cx
            .deadline()
            .and_then(|deadline| deadline.checked_sub(DEADLINE_MARGIN));
        outer.map_or(own, |outer| outer.min(own))
    }

    fn search<P: Send>(
        &self,
        input: &SearchCodeInput,
        stop: StopConditions<'_>,
        call: impl FnOnce() -> Vec<P>,
    ) -> Result<(SearchCodeOutput, Vec<String>), ToolError> {
        let plan = Plan::parse(input)?;
        let options = WalkOptions {
            deadline: Some(stop.deadline),
            ..plan.options
        };
        let task = Task {
            query: plan.query,
            context_lines: input.context_lines,
            capacity: Capacity {
                matches: input.counted.unwrap_or(input.limit),
                bytes: MAX_BYTES,
            },
            skipped_extensions: input
                .skip_endings
                .iter()
                .map(|ending| ending.trim_start_matches('.').to_owned())
                .collect(),
            names_documents: input.names_documents,
            stop,
        };
        let (output, mut warnings) =
            searcher::search(&task, &self.workspace, &input.path, &options, call)?;
        if let Some(pattern) = &plan.pattern
            && output.files_searched == 0
        {
            let repeated = pattern.repeats("pattern", "path", &input.path);
            warnings.extend(repeated);
        }
        Ok((output, warnings))
    }
}

impl TypedTool for SearchCode {
    type Input = SearchCodeInput;
    type Output = SearchCodeOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &SearchCodeInput) -> Result<CallPlan, ToolError> {
        Plan::parse(input)?;
        Ok(self.workspace.plan_of_read("path", &input.path))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let deadline = self.deadline(cx);
        let Some(permit) = Permit::acquire(deadline).await else {
            cx.warn("The search timed out while waiting for other searches; try again.");
            return Ok(SearchCodeOutput {
                truncated: true,
                ..SearchCodeOutput::default()
            });
        };
        let tool = self.clone();
        let (output, warnings) = blocking(cx, move |cx| {
            let _permit = permit;
            let stop = StopConditions::new(deadline, cx.cancellation());
            tool.search(&input, stop, Permit::acquire_helpers)
        })
        .await?;
        for warning in warnings {
            cx.warn(warning);
        }
        Ok(output)
    }

    fn render(output: &SearchCodeOutput) -> String {
        as_text(output)
    }
}

fn default_pattern() -> String {
    "*".to_owned()
}

fn default_limit() -> usize {
    100
}

const MAX_CONTEXT_LINES: usize = 20;

/// Maximum number of files and directories to visit. Usually the time limit applies first.
const MAX_ENTRIES: usize = 1_000_000;

/// Validated input.
struct Plan {
    query: Query,
    pattern: Option<Pattern>,
    options: WalkOptions,
}

impl Plan {
    fn parse(input: &SearchCodeInput) -> Result<Self, ToolError> {
        within("limit", input.limit, 1, MAX_MATCHES)?;
        within("context_lines", input.context_lines, 0, MAX_CONTEXT_LINES)?;
        let query = if input.multiline {
            Query::parse_multiline("query", &input.query, input.case_sensitive)?
        } else {
            Query::parse("query", &input.query, input.regex, input.case_sensitive)?
        };
        let pattern = match input.pattern.as_str() {
            "*" => None,
            pattern => Some(Pattern::parse("pattern", pattern)?),
        };
        let options = WalkOptions {
            max_entries: MAX_ENTRIES,
            pattern: pattern.clone(),
            max_depth: if input.recursive { usize::MAX } else { 1 },
            counts_skipped: true,
            ..WalkOptions::files()
        };
        Ok(Self {
            query,
            pattern,
            options,
        })
    }
}

fn within(parameter: &str, value: usize, least: usize, most: usize) -> Result<(), ToolError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let sentence = format!("must be from {least} to {most}, not {value}");
    let nearest = value.clamp(least, most);
    Err(ToolError::invalid_arguments(parameter, sentence)
        .suggest(format!("Use {nearest}, or omit the parameter.")))
}
