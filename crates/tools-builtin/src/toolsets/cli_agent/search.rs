//! Search tool.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ToolContext, ToolError};

use super::errors;
use crate::search::{MAX_MATCHES, SearchCode, SearchCodeInput, SearchCodeOutput};
use crate::toolsets::document::integer;
use crate::toolsets::names::{Names, map_warnings};
use crate::toolsets::wording::Wording;
use crate::workspace::on_one_line;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GrepSearch {
    /// Text or regex pattern to search for
    pattern: String,
    /// Glob pattern to limit files searched (default: all files)
    file_pattern: Option<String>,
    /// Whether pattern is regex (default: false)
    #[serde(default)]
    is_regex: bool,
    /// Maximum number of results to return (default: 100)
    #[serde(default = "default_max_results")]
    #[schemars(schema_with = "integer")]
    max_results: usize,
}

fn default_max_results() -> usize {
    100
}

impl Wording<SearchCode> for GrepSearch {
    const NAMES: Names = Names::of(&[
        ("query", "pattern"),
        ("regex", "is_regex"),
        ("pattern", "file_pattern"),
        ("limit", "max_results"),
    ])
    .hiding(&[
        "path",
        "recursive",
        "case_sensitive",
        "context_lines",
        "skip_endings",
    ]);

    fn request(&self) -> Result<SearchCodeInput, ToolError> {
        let everywhere = SearchCodeInput::of(self.pattern.clone());
        Ok(SearchCodeInput {
            regex: self.is_regex,
            pattern: self.file_pattern.clone().unwrap_or(everywhere.pattern),
            limit: self.max_results,
            case_sensitive: true,
            ..SearchCodeInput::of(everywhere.query)
        })
    }

    fn reworded(&self, error: ToolError, _files: &SearchCode) -> ToolError {
        errors::grep_search(error, self.file_pattern.as_deref().unwrap_or_default())
    }

    fn text(&self, cx: &ToolContext, output: &SearchCodeOutput) -> Result<String, ToolError> {
        map_warnings(cx, 0, |warning| Some(documented_warning(warning)));
        cx.note("total_matches", output.total_matches);
        cx.note("files_searched", output.files_searched);
        cx.note("pattern", &*self.pattern);
        Ok(found_lines(output, &self.pattern))
    }
}

fn documented_warning(warning: String) -> String {
    if warning.starts_with("The search timed out") {
        return "Search timed out after 30s, returning partial results".to_owned();
    }
    warning
}

fn found_lines(output: &SearchCodeOutput, pattern: &str) -> String {
    let (count, total) = (output.matches.len(), output.total_matches);
    let mut listing = if total > count {
        format!("Found at least {total} matches for '{pattern}', showing the first {count}:")
    } else {
        format!("Found {count} matches for '{pattern}':")
    };
    for found in &output.matches {
        let (path, line) = (on_one_line(&found.path), found.line);
        // Writing to a String cannot fail.
        let _ = write!(listing, "\n  {path}:{line}: {}", found.text);
    }
    if output.truncated && count < MAX_MATCHES {
        listing.push_str("\n  [… there may be more; raise max_results or narrow file_pattern]");
    } else if output.truncated {
        listing.push_str("\n  [… there may be more; narrow pattern or file_pattern]");
    }
    listing
}
