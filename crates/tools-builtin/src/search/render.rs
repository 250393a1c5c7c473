//! What was found, as the model reads it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::hits::SearchMatch;
use super::search_code::SearchCodeOutput;

/// One line a match, as grep writes it, and a last line when there may be more.
pub(super) fn as_text(output: &SearchCodeOutput) -> String {
    let mut text = String::new();
    for file in output.matches.chunk_by(|one, next| one.path == next.path) {
        write_file(&mut text, file);
    }
    match (output.matches.len(), output.truncated) {
        (0, false) => text.push_str("No matches."),
        (0, true) => text.push_str("[… stopped before the end; no matches so far]"),
        // Writing to a String cannot fail.
        (count, true) => drop(write!(
            text,
            "[… stopped after {count} matches; there may be more]"
        )),
        (_, false) => {}
    }
    text.trim_end_matches('\n').to_owned()
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
    let path = matches.first().map_or("", |found| found.path.as_str());
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
    fn the_last_line_says_that_there_may_be_more() {
        let one = vec![found("a", 1, &[], &[])];
        for (matches, truncated, expected) in [
            (vec![], false, "No matches."),
            (
                vec![],
                true,
                "[… stopped before the end; no matches so far]",
            ),
            (
                one,
                true,
                "a:1: text 1\n[… stopped after 1 matches; there may be more]",
            ),
        ] {
            assert_eq!(text(matches, truncated), expected);
        }
    }
}
