//! Searching the text of files.

#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Engine, Limits, RiskLevel, ToolContext, ToolError};

use super::crew::Crew;
use super::hits::{Room, SearchMatch};
use super::query::Query;
use super::stop::Stop;
use super::tally::Found;
use super::task::Task;
use super::{render, searcher};
use crate::blocking::blocking;
use crate::workspace::{Pattern, WalkOptions, Workspace};

/// The most lines that may be asked for.
pub(crate) const MAX_MATCHES: usize = 1000;
const MAX_CONTEXT_LINES: usize = 20;

/// How many files and folders are looked at. The time limit mostly comes before.
const MAX_ENTRIES: usize = 1_000_000;

/// How long a search may take before it gives what it has.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// How long before the call's own deadline a search gives what it has.
const DEADLINE_MARGIN: Duration = Duration::from_millis(100);

/// What to look for, and where.
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
    reason = "each is a switch of its own that the model is shown"
)]
pub struct SearchCodeInput {
    /// Text to look for, or a regular expression when `regex` is true. Each line is searched by itself.
    pub query: String,
    /// Folder to search, or a single file, relative to the workspace root.
    #[serde(default = "default_path")]
    pub path: String,
    /// Glob that the files must match, such as `*.rs` or `src/**/*.{js,ts}`.
    #[serde(default = "default_pattern")]
    pub pattern: String,
    /// Whether to search the folders below as well.
    #[serde(default = "default_recursive")]
    pub recursive: bool,
    /// Whether the query is a regular expression.
    #[serde(default)]
    pub regex: bool,
    /// Whether capital and small letters differ.
    #[serde(default)]
    pub case_sensitive: bool,
    /// How many matching lines to return at most. What is behind them is cut, and the last line says so.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// How many lines to show before and after each match.
    #[serde(default)]
    #[schemars(range(min = 0, max = 20))]
    pub context_lines: usize,
    /// Whether to search files and folders whose names begin with a dot.
    #[serde(default)]
    pub hidden: bool,
    /// Whether to search what `.gitignore` and `.ignore` leave out.
    #[serde(default)]
    pub ignored: bool,
    /// Endings of names, such as `.png`, whose files are passed over. A contract may fix them; the standard one does not.
    #[serde(default)]
    pub skip_endings: Vec<String>,
}

/// What was found.
///
/// # Examples
/// ```
/// use tool_core::Engine;
/// use tools_builtin::search::{SearchCode, SearchCodeOutput};
///
/// let output = SearchCodeOutput {
///     matches: Vec::new(),
///     total_matches: 0,
///     files_searched: 12,
///     truncated: false,
/// };
/// assert_eq!(SearchCode::render(&output), "No matches.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchCodeOutput {
    /// The lines that match, by path and line.
    pub matches: Vec<SearchMatch>,
    /// How many lines match; at least this many when truncated.
    pub total_matches: usize,
    /// How many files were searched.
    pub files_searched: usize,
    /// Whether there may be more.
    pub truncated: bool,
}

impl SearchCodeOutput {
    fn nothing_yet() -> Self {
        Self {
            matches: Vec::new(),
            total_matches: 0,
            files_searched: 0,
            truncated: true,
        }
    }
}

/// Searches the files of one workspace, line by line, with a linear regular expression engine.
///
/// The same files give the same output in the same order, on one thread or on many: lines by path (compared by bytes),
/// then by number.
///
/// # What is searched
/// - Regular files below the folder. Links are not followed; names that begin with a dot are left out, and so is what
///   `.gitignore`, `.ignore`, `.rgignore` and `.git/info/exclude` say, in the order of precedence that ripgrep has. The
///   rules hold from the root of the workspace on, whether it is a repository or not; nothing outside is asked.
/// - A file is text unless there is a NUL in its first 8 KB. A NUL behind that changes nothing: the file is searched to its
///   end and the NUL is shown as `\u{fffd}`. What a file is follows from the file alone, never from its size, its name or
///   how it was read.
/// - UTF-8 and UTF-16 with or without a byte-order mark, and whatever else shares the first 128 characters with
///   them. Where the query goes beyond those, a file that is no UTF-8 in its first 128 KB is decoded as `read_file` does;
///   otherwise bytes that are no UTF-8 are shown as `\u{fffd}`. A carriage return before a line break belongs to neither the
///   line nor its match.
///
/// # Limits
/// 1,000 matching lines and 20 lines around each; 500 bytes of a line, around its first match; queries of 4,096 bytes;
/// 100 folders in each other and 1,000,000 entries; lines, and files that are decoded, of 16 MB; 30 seconds, after which the
/// answer is what was found until then, with a warning. When the limit cuts the answer, `total_matches` is one more than
/// what is given.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::search::SearchCode;
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("src/a.rs", "fn main() {}\n").file("notes.md", "main idea\n");
/// let engine = SearchCode::new(Workspace::open(scratch.path())?);
/// let input = serde_json::from_str(r#"{"query": "MAIN", "pattern": "*.rs"}"#)?;
/// let output = engine.run(&ToolContext::test(), input, &Limits::default()).await?;
/// assert_eq!(SearchCode::render(&output), "src/a.rs:1: fn main() {}");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct SearchCode {
    workspace: Workspace,
    time_limit: Duration,
    max_threads: Option<NonZeroUsize>,
}

impl SearchCode {
    /// Creates an engine that never reads outside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            time_limit: TIME_LIMIT,
            max_threads: None,
        }
    }

    /// Gives what was found after this time; 30 seconds unless set.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// Searches on this many threads at most; on as many as there are processors, and 12, unless set.
    ///
    /// All searches of a process together never use more threads than it has processors, or two.
    #[must_use]
    pub fn with_max_threads(self, max_threads: NonZeroUsize) -> Self {
        Self {
            max_threads: Some(max_threads),
            ..self
        }
    }

    fn deadline(&self, cx: &ToolContext) -> Instant {
        let own = Instant::now() + self.time_limit;
        let outer = cx
            .deadline()
            .and_then(|deadline| deadline.checked_sub(DEADLINE_MARGIN));
        outer.map_or(own, |outer| outer.min(own))
    }

    fn search(
        &self,
        input: &SearchCodeInput,
        limits: &Limits,
        stop: Stop<'_>,
        crew: Crew,
    ) -> Result<Found, ToolError> {
        let plan = Plan::parse(input)?;
        let room = Room {
            matches: input.limit.min(limits.max_lines),
            bytes: limits.max_bytes,
        };
        let options = plan.options.with_deadline(stop.deadline());
        let task = Task {
            query: plan.query,
            is_ascii: input.query.is_ascii(),
            context_lines: input.context_lines,
            room,
            passed_over: extensions(&input.skip_endings),
            stop,
        };
        let mut found = searcher::search(&task, &self.workspace, &input.path, &options, crew)?;
        if let Some(pattern) = &plan.pattern
            && found.output.files_searched == 0
        {
            found
                .warnings
                .extend(pattern.repeats("pattern", "path", &input.path));
        }
        Ok(found)
    }
}

/// The extensions that nobody looks at.
fn extensions(endings: &[String]) -> Vec<String> {
    let bare = |ending: &String| ending.trim_start_matches('.').to_owned();
    endings.iter().map(bare).collect()
}

#[async_trait]
impl Engine for SearchCode {
    type Input = SearchCodeInput;
    type Output = SearchCodeOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn check(&self, input: &SearchCodeInput) -> Result<(), ToolError> {
        Plan::parse(input).map(drop)
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: SearchCodeInput,
        limits: &Limits,
    ) -> Result<SearchCodeOutput, ToolError> {
        let deadline = self.deadline(cx);
        let Some(crew) = Crew::alone(self.max_threads, deadline).await else {
            cx.warn("The time for searching ran out while other searches ran; try again.");
            return Ok(SearchCodeOutput::nothing_yet());
        };
        let _permits = crew.permits();
        let (engine, limits) = (self.clone(), *limits);
        let found = blocking(cx, move |cancellation| {
            let stop = Stop::new(deadline, cancellation);
            engine.search(&input, &limits, stop, crew)
        })
        .await?;
        found
            .warnings
            .into_iter()
            .for_each(|warning| cx.warn(warning));
        Ok(found.output)
    }

    fn render(output: &SearchCodeOutput) -> String {
        render::as_text(output)
    }
}

/// The input as types that cannot be wrong.
struct Plan {
    query: Query,
    pattern: Option<Pattern>,
    options: WalkOptions,
}

impl Plan {
    fn parse(input: &SearchCodeInput) -> Result<Self, ToolError> {
        within("limit", input.limit, 1, MAX_MATCHES)?;
        within("context_lines", input.context_lines, 0, MAX_CONTEXT_LINES)?;
        let query = Query::parse("query", &input.query, input.regex, input.case_sensitive)?;
        let pattern = match input.pattern.as_str() {
            "*" => None,
            pattern => Some(Pattern::parse("pattern", pattern)?),
        };
        let options = WalkOptions::files()
            .with_max_entries(MAX_ENTRIES)
            .with_pattern(pattern.clone())
            .with_hidden(input.hidden)
            .with_ignored(input.ignored)
            .with_max_depth(if input.recursive { usize::MAX } else { 1 });
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
        .suggest(format!("Use {nearest}, or leave it out.")))
}

fn default_path() -> String {
    ".".to_owned()
}

fn default_pattern() -> String {
    "*".to_owned()
}

fn default_recursive() -> bool {
    true
}

fn default_limit() -> usize {
    100
}
