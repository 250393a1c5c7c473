//! What was found, as the model reads it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::hits::SearchMatch;
use super::search_code::{MAX_MATCHES, SearchCodeOutput};
use crate::workspace::on_one_line;

/// One line a match, as grep writes it, and a last line when there may be more.
pub(super) fn as_text(output: &SearchCodeOutput) -> String {
    let mut text = String::new();
    for file in output.matches.chunk_by(|one, next| one.path == next.path) {
        write_file(&mut text, file);
    }
    if let Some(told) = last_line(output) {
        text.push_str(&told);
    }
    text.trim_end_matches('\n').to_owned()
}

/// What a model has to know beside the lines, and how it gets what is missing.
fn last_line(output: &SearchCodeOutput) -> Option<String> {
    let shown = output.matches.len();
    let has_more = output.total_matches > shown;
    Some(match (shown, output.truncated) {
        (0, false) => "No matches.".to_owned(),
        (_, false) => return None,
        (_, true) if has_more && shown >= MAX_MATCHES => format!(
            "[… more matches behind these {shown}, which is the most there is; narrow the query, the folder or the pattern]"
        ),
        (_, true) if has_more => format!(
            "[… more matches behind these {shown}; raise the limit, or narrow the query, the folder or the pattern]"
        ),
        (0, true) => {
            "[… stopped before the end; no matches so far; narrow the folder or the pattern]"
                .to_owned()
        }
        (_, true) => format!(
            "[… stopped before the end, after {shown} matches; narrow the folder or the pattern]"
        ),
    })
}

/// Each line once, however many matches it stands beside, and `--` where lines are left out.
fn write_file(text: &mut String, matches: &[SearchMatch]) {
    let mut lines = BTreeMap::new();
    for found in matches {
        let first = found.line.saturating_sub(found.before.len());
        for (number, line) in (first..).zip(&found.before) {
            lines.entry(number).or_insert(('-', line));
        }
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
    fn a_match_is_one_line_as_in_the_document() {
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
    fn lines_around_matches_are_written_once_and_gaps_are_marked() {
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
    fn the_last_line_says_that_there_may_be_more_and_how_to_get_it() {
        let one = || vec![found("a", 1, &[], &[])];
        for (matches, total_matches, truncated, expected) in [
            (vec![], 0, false, "No matches."),
            (one(), 1, false, "a:1: text 1"),
            (
                vec![],
                0,
                true,
                "[… stopped before the end; no matches so far; narrow the folder or the pattern]",
            ),
            (
                one(),
                1,
                true,
                "a:1: text 1\n[… stopped before the end, after 1 matches; narrow the folder or the pattern]",
            ),
            (
                one(),
                2,
                true,
                "a:1: text 1\n[… more matches behind these 1; raise the limit, or narrow the query, the folder or the pattern]",
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
