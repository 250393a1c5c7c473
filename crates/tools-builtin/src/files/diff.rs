//! Unified diffs.

use std::ops::Range;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use similar::{Change, ChangeTag, DiffOp, DiffTag, TextDiff};
use tool_core::OutputLimit;

use super::text_format::FileText;
use crate::workspace::on_one_line;

const CONTEXT: usize = 3;
const MAX_BYTES: usize = 64 * 1024;
/// Maximum total size in bytes to compare: a diff takes many times the memory of its input.
const MAX_COMPARED_BYTES: usize = 2 * 1024 * 1024;
/// Time after which the diff may be coarser than necessary.
const TIMEOUT: Duration = Duration::from_millis(500);

/// Returns the unified diff of two contents.
pub(crate) fn between(path: &str, old: &[u8], new: &[u8]) -> String {
    let path = on_one_line(path);
    let mut text = format!("--- a/{path}\n+++ b/{path}\n");
    let [old, new] = [old, new].map(String::from_utf8_lossy);
    let (first_line, [old, new]) = changed_lines(&old, &new, CONTEXT);
    if size(&old) + size(&new) > MAX_COMPARED_BYTES {
        text.push_str("[… too long to show]");
        return text;
    }
    let diff = TextDiff::configure()
        .timeout(TIMEOUT)
        .diff_slices(&old, &new);
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        text.push_str(&header(hunk.ops(), first_line));
        hunk.iter_changes()
            .for_each(|change| push(&mut text, &change));
        if text.len() > MAX_BYTES {
            break;
        }
    }
    OutputLimit::bytes(MAX_BYTES).excerpt(&text).into_owned()
}

/// Returns the unified diff of two files, which may be binary.
pub(crate) fn difference(path: &str, old: &[u8], new: &[u8]) -> String {
    match (FileText::of(old), FileText::of(new)) {
        (Ok(old), Ok(new)) => between(path, old.text.as_bytes(), new.text.as_bytes()),
        _ => format!("Binary files a/{0} and b/{0} differ\n", on_one_line(path)),
    }
}

/// Returns the lines between the common ends of two strings, with `context` lines around them, and how many precede them.
fn changed_lines<'t>(old: &'t str, new: &'t str, context: usize) -> (usize, [Vec<&'t str>; 2]) {
    let mut parts = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    let [old, new] = &parts;
    let begins = same(old.iter(), new.iter());
    // The common end must not overlap the common start, as from `aa` to `aaa`.
    let rest = (old.len() - begins).min(new.len() - begins);
    let ends = same(old.iter().rev(), new.iter().rev()).min(rest);
    let (begins, ends) = (begins.saturating_sub(context), ends.saturating_sub(context));
    for lines in &mut parts {
        lines.truncate(lines.len() - ends);
        lines.drain(..begins);
    }
    (begins, parts)
}

/// Returns the length of the common prefix.
fn same<T: PartialEq>(one: impl Iterator<Item = T>, other: impl Iterator<Item = T>) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

fn size(lines: &[&str]) -> usize {
    lines.iter().map(|line| line.len()).sum()
}

/// Lines that differ between two strings: `old_lines` lines from `old_start` became `new_lines` lines from `new_start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Hunk {
    /// First replaced line of the old text, counted from 1; if none was replaced, the line after the insertion.
    pub(crate) old_start: usize,
    /// Number of replaced lines.
    pub(crate) old_lines: usize,
    /// First new line, counted from 1; if there is none, the line after the removal.
    pub(crate) new_start: usize,
    /// Number of new lines.
    pub(crate) new_lines: usize,
}

/// Returns the lines that differ. If the strings are too long to compare, all lines between their common ends count.
pub(crate) fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    let (begins, [old, new]) = changed_lines(old, new, 0);
    let hunk = |old: Range<usize>, new: Range<usize>| Hunk {
        old_start: begins + old.start + 1,
        old_lines: old.len(),
        new_start: begins + new.start + 1,
        new_lines: new.len(),
    };
    if size(&old) + size(&new) > MAX_COMPARED_BYTES {
        return vec![hunk(0..old.len(), 0..new.len())];
    }
    let diff = TextDiff::configure()
        .timeout(TIMEOUT)
        .diff_slices(&old, &new);
    let changed = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    changed
        .map(|op| hunk(op.old_range(), op.new_range()))
        .collect()
}

fn push(text: &mut String, change: &Change<&str>) {
    text.push(match change.tag() {
        ChangeTag::Equal => ' ',
        ChangeTag::Delete => '-',
        ChangeTag::Insert => '+',
    });
    text.push_str(change.value());
    if change.missing_newline() {
        text.push_str("\n\\ No newline at end of file\n");
    }
}

fn header(ops: &[DiffOp], first_line: usize) -> String {
    let (Some(first), Some(last)) = (ops.first(), ops.last()) else {
        return String::new();
    };
    let range = |start: usize, end: usize| {
        let length = end - start;
        // The format numbers an empty side by the line before it.
        let line = first_line + start + usize::from(length > 0);
        if length == 1 {
            line.to_string()
        } else {
            format!("{line},{length}")
        }
    };
    let old = range(first.old_range().start, last.old_range().end);
    let new = range(first.new_range().start, last.new_range().end);
    format!("@@ -{old} +{new} @@\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str) -> String {
        between("a.txt", old.as_bytes(), new.as_bytes())
    }

    #[test]
    fn diff_has_three_lines_of_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";

        assert_eq!(
            diff(old, new),
            "--- a/a.txt\n+++ b/a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
    }

    #[test]
    fn hunks_are_the_lines_that_differ() {
        let hunk = |old_start, old_lines, new_start, new_lines| Hunk {
            old_start,
            old_lines,
            new_start,
            new_lines,
        };
        for (old, new, expected) in [
            ("a\nb\n", "a\nb\n", vec![]),
            ("a\nb\nc\n", "a\nx\ny\nc\n", vec![hunk(2, 1, 2, 2)]),
            ("a\nb\n", "a\n1\nb\n", vec![hunk(2, 0, 2, 1)]),
            (
                "a\nb\nc\nd\n",
                "b\nc\nx\n",
                vec![hunk(1, 1, 1, 0), hunk(4, 1, 3, 1)],
            ),
            ("a", "a\n", vec![hunk(1, 1, 1, 1)]),
            ("", "a\n", vec![hunk(1, 0, 1, 1)]),
        ] {
            assert_eq!(hunks(old, new), expected, "{old:?} {new:?}");
        }
        let (old, new) = ("a\n".repeat(1_000_000), "b\n".repeat(1_000_000));
        assert_eq!(hunks(&old, &new), [hunk(1, 1_000_000, 1, 1_000_000)]);
    }

    #[test]
    fn marks_missing_newline_at_end() {
        assert_eq!(
            diff("a", "abc"),
            "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+abc\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn empty_side_has_line_zero() {
        let text = diff("a\n", "");

        assert_eq!(text, "--- a/a.txt\n+++ b/a.txt\n@@ -1 +0,0 @@\n-a\n");
    }

    #[test]
    fn omits_too_long_diff() {
        let (old, new) = ("a\n".repeat(1_000_000), "b\n".repeat(1_000_000));

        assert_eq!(
            diff(&old, &new),
            "--- a/a.txt\n+++ b/a.txt\n[… too long to show]"
        );
    }

    #[test]
    fn truncates_long_diff() {
        let (old, new) = ("a\n".repeat(100_000), "bb\n".repeat(100_000));

        let text = diff(&old, &new);

        assert!(text.len() < MAX_BYTES + 100, "{}", text.len());
        assert!(text.contains(" omitted of "));
    }
}
