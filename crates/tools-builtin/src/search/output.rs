//! Output of a search.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use crate::workspace::on_one_line;

/// Maximum value of `limit`.
pub(crate) const MAX_MATCHES: usize = 1000;

/// Matches of a search.
///
/// # Examples
/// ```
/// use tool_core::TypedTool;
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchCodeOutput {
    /// Matching lines, sorted by path and line.
    pub matches: Vec<SearchMatch>,
    /// Number of matching lines; a lower bound if truncated.
    pub total_matches: usize,
    /// Number of searched files.
    pub files_searched: usize,
    /// Whether there may be further matches.
    pub truncated: bool,
}

/// Matching line and the lines around it.
///
/// # Examples
/// ```
/// use tools_builtin::search::SearchMatch;
///
/// let found = SearchMatch {
///     path: "src/a.rs".to_owned(),
///     line: 3,
///     column: 5,
///     text: "let answer = 42;".to_owned(),
///     before: Vec::new(),
///     after: Vec::new(),
/// };
/// assert_eq!(serde_json::to_value(found)?["line"], 3);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(description = "Matching line.")]
pub struct SearchMatch {
    /// Path of the file, relative to the workspace root.
    pub path: String,
    /// Line number, counted from 1.
    pub line: usize,
    /// Column of the first match, in characters, counted from 1.
    pub column: usize,
    /// Content of the line. A long line is shortened to the part around the match.
    pub text: String,
    /// Lines before it.
    pub before: Vec<String>,
    /// Lines after it.
    pub after: Vec<String>,
}

/// Renders one line per match in the format of grep, and a last line if there may be more matches.
pub(super) fn as_text(output: &SearchCodeOutput) -> String {
    let mut text = String::new();
    for file in output.matches.chunk_by(|one, next| one.path == next.path) {
        write_file(&mut text, file);
    }
    if let Some(note) = last_line(output) {
        text.push_str(&note);
    }
    text.trim_end_matches('\n').to_owned()
}

/// Returns the notice about missing matches, if any.
fn last_line(output: &SearchCodeOutput) -> Option<String> {
    let shown = output.matches.len();
    let has_more = output.total_matches > shown;
    Some(match (shown, output.truncated) {
        (0, false) => "No matches.".to_owned(),
        (_, false) => return None,
        (_, true) if has_more && shown >= MAX_MATCHES => format!(
            "[… more matches after these {shown}, which is the maximum; narrow the query, the directory or the pattern]"
        ),
        (_, true) if has_more => format!(
            "[… more matches after these {shown}; raise the limit, or narrow the query, the directory or the pattern]"
        ),
        (_, true) => format!(
            "[… search incomplete after {shown} matches; narrow the directory or the pattern]"
        ),
    })
}

/// Writes each line once, even if it belongs to several matches, and `--` for gaps.
fn write_file(text: &mut String, matches: &[SearchMatch]) {
    let mut lines = BTreeMap::new();
    for found in matches {
        let first = found.line.saturating_sub(found.before.len());
        for (number, line) in (first..).zip(&found.before) {
            lines.entry(number).or_insert(('-', line));
        }
        // Replaces a line that was shown as context of the match before.
        lines.insert(found.line, (':', &found.text));
        for (number, line) in (found.line + 1..).zip(&found.after) {
            lines.entry(number).or_insert(('-', line));
        }
    }
    let path = on_one_line(matches.first().map_or("", |found| found.path.as_str()));
    let has_context = lines.len() > matches.len();
    let mut previous = 0;
    for (number, (mark, line)) in lines {
        if has_context && number != previous + 1 && !text.is_empty() {
            text.push_str("--\n");
        }
        previous = number;
        let _ = writeln!(text, "{path}{mark}{number}{mark} {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, line: usize, before: &[&str], after: &[&str]) -> SearchMatch {
        let owned = |lines: &[&str]| lines.iter().map(ToString::to_string).collect();
        SearchMatch {
            path: path.to_owned(),
            line,
            column: 1,
            text: format!("text {line}"),
            before: owned(before),
            after: owned(after),
        }
    }

    fn text(matches: Vec<SearchMatch>, truncated: bool) -> String {
        as_text(&SearchCodeOutput {
            total_matches: matches.len(),
            files_searched: 1,
            matches,
            truncated,
        })
    }

    #[test]
    fn match_is_one_line_as_documented() {
        let matches = vec![
            found("src/a.rs", 15, &[], &[]),
            found("src/b.rs", 1, &[], &[]),
        ];

        assert_eq!(
            text(matches, false),
            "src/a.rs:15: text 15\nsrc/b.rs:1: text 1"
        );
    }

    #[test]
    fn writes_context_once_and_marks_gaps() {
        let matches = vec![
            found("a", 2, &["one"], &["text 3"]),
            found("a", 3, &["text 2"], &["four"]),
            found("a", 9, &["eight"], &[]),
            found("b", 1, &[], &["two"]),
        ];

        assert_eq!(
            text(matches, false),
            "a-1- one\na:2: text 2\na:3: text 3\na-4- four\n--\na-8- eight\na:9: text 9\nb:1: text 1\nb-2- two"
        );
    }

    #[test]
    fn last_line_reports_further_matches() {
        let one = || vec![found("a", 1, &[], &[])];
        for (matches, total_matches, truncated, expected) in [
            (vec![], 0, false, "No matches."),
            (one(), 1, false, "a:1: text 1"),
            (
                vec![],
                0,
                true,
                "[… search incomplete after 0 matches; narrow the directory or the pattern]",
            ),
            (
                one(),
                1,
                true,
                "a:1: text 1\n[… search incomplete after 1 matches; narrow the directory or the pattern]",
            ),
            (
                one(),
                2,
                true,
                "a:1: text 1\n[… more matches after these 1; raise the limit, or narrow the query, the directory or the pattern]",
            ),
        ] {
            let output = SearchCodeOutput {
                total_matches,
                files_searched: 1,
                matches,
                truncated,
            };

            assert_eq!(as_text(&output), expected);
        }
    }
}
