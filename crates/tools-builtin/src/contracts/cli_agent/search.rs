//! Searching.

use std::error::Error as _;
use std::fmt::Write as _;

use tool_core::{Arguments, ErrorCode, Presentation, ToolError};

use super::in_directory;
use crate::contracts::words::{described, documented, says, text, with_default, written};
use crate::search::{InvalidExpression, MAX_MATCHES, SearchCodeOutput};
use crate::workspace::on_one_line;

pub(super) fn grep_search() -> Presentation<SearchCodeOutput> {
    let is_regex = "Whether pattern is regex (default: false)";
    let file_pattern = "Glob pattern to limit files searched (default: all files)";
    let max_results = "Maximum number of results to return (default: 100)";
    documented(
        "grep_search",
        "Search file contents for text or regex pattern",
    )
    .only(["query", "regex", "pattern", "limit"])
    .rename("query", "pattern")
    .rename("regex", "is_regex")
    .rename("pattern", "file_pattern")
    .rename("limit", "max_results")
    .schema("query", text("Text or regex pattern to search for"))
    .schema("regex", with_default("boolean", is_regex, false))
    .schema("pattern", described("string", file_pattern))
    .schema("limit", with_default("integer", max_results, 100))
    .pin("case_sensitive", true)
    .render(found_lines)
    .note("total_matches", |output: &SearchCodeOutput, _| {
        output.total_matches
    })
    .note("files_searched", |output: &SearchCodeOutput, _| {
        output.files_searched
    })
    .note("pattern", |_, arguments| {
        written(arguments, "query").to_owned()
    })
    .map_warning(|warning| {
        if warning.starts_with("The time for searching ran out") {
            return "Search timed out after 30s, returning partial results".to_owned();
        }
        warning
    })
    .map_error(searching)
}

fn found_lines(output: &SearchCodeOutput, arguments: &Arguments<'_>) -> String {
    let (query, count) = (written(arguments, "query"), output.matches.len());
    let total = output.total_matches;
    let mut listing = if total > count {
        format!("Found at least {total} matches for '{query}', showing the first {count}:")
    } else {
        format!("Found {count} matches for '{query}':")
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

pub(super) fn searching(error: ToolError, arguments: &Arguments<'_>) -> ToolError {
    match (error.code(), error.parameter()) {
        (ErrorCode::InvalidPattern, Some("file_pattern")) => {
            let pattern = written(arguments, "pattern");
            says(error, format!("Error: Invalid glob pattern '{pattern}'"))
        }
        (ErrorCode::InvalidPattern, _) => match reason(&error) {
            Some(reason) => says(error, format!("Error: Invalid regex pattern: {reason}")),
            None => error,
        },
        _ => in_directory(error, "."),
    }
}

fn reason(error: &ToolError) -> Option<String> {
    let source = error.source()?.downcast_ref::<InvalidExpression>()?;
    Some(source.reason.clone())
}
