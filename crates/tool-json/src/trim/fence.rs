//! Lines that start or end a code block.

use std::ops::Range;

const FENCES: [&str; 2] = ["```", "~~~"];

/// Returns the starts of the parts of `text`: 0, and the start of every fence line.
///
/// No JSON spans a fence line, because its strings contain no newlines.
pub(super) fn part_starts(text: &str) -> Vec<usize> {
    let inner = fences(text).map(|fence| fence.start);
    [0].into_iter()
        .chain(inner.filter(|start| *start > 0))
        .collect()
}

/// Returns the places of all fence lines.
fn fences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = end;
        end += line.len();
        is_fence(line).then_some(start..end)
    })
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    FENCES.iter().any(|fence| line.starts_with(fence))
}

/// Returns the content of the only code block of `text`; `None` if it has no block or several.
pub(super) fn only_block(text: &str) -> Option<Range<usize>> {
    let mut fences = fences(text);
    match (fences.next(), fences.next(), fences.next()) {
        (Some(opening), Some(closing), None) => Some(opening.end..closing.start),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_text_at_fences() {
        for (text, starts) in [
            ("", &[0][..]),
            ("no fence ``` here", &[0]),
            ("```json\n{}\n```\nend", &[0, 11]),
            ("a\n  ~~~\n{}\n  ~~~\n", &[0, 2, 11]),
        ] {
            assert_eq!(part_starts(text), starts, "{text}");
        }
    }

    #[test]
    fn finds_only_code_block() {
        for (text, block) in [
            ("```json\n42\n```", Some("42\n")),
            ("Here:\n```\ntrue\n```\nDone.", Some("true\n")),
            ("```\n1\n```\n```\n2\n```", None),
            ("```\n1", None),
            ("1", None),
        ] {
            let found = only_block(text).map(|range| &text[range]);

            assert_eq!(found, block, "{text}");
        }
    }
}
