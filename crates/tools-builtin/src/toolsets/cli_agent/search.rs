//! Search tool.

use std::fmt::Write as _;

use tool_core::{Arguments, Presentation};

use super::errors;
use crate::search::{MAX_MATCHES, SearchCodeOutput};
use crate::toolsets::document::{
    PresentationLists as _, documented, string_argument, text, with_default,
};
use crate::workspace::on_one_line;

pub(super) fn grep_search() -> Presentation<SearchCodeOutput> {
    let description = "Search file contents for text or regex pattern";
    let is_regex = "Whether pattern is regex (default: false)";
    let file_pattern = "Glob pattern to limit files searched (default: all files)";
    let max_results = "Maximum number of results to return (default: 100)";
    documented("grep_search", description)
        .parameters([
            ("query", text("Text or regex pattern to search for")),
            ("regex", with_default("boolean", is_regex, false)),
            ("pattern", text(file_pattern)),
            ("limit", with_default("integer", max_results, 100)),
        ])
        .rename("query", "pattern")
        .rename("regex", "is_regex")
        .rename("pattern", "file_pattern")
        .rename("limit", "max_results")
        .pin("case_sensitive", true)
        .render(found_lines)
        .notes([
            ("total_matches", |output| output.total_matches.into()),
            ("files_searched", |output| output.files_searched.into()),
        ])
        .note("pattern", |_, arguments| {
            string_argument(arguments, "query").to_owned()
        })
        .map_warning(|warning| {
            if warning.starts_with("The search timed out") {
                return "Search timed out after 30s, returning partial results".to_owned();
            }
            warning
        })
        .map_error(errors::grep_search)
}

fn found_lines(output: &SearchCodeOutput, arguments: &Arguments<'_>) -> String {
    let (query, count) = (string_argument(arguments, "query"), output.matches.len());
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
