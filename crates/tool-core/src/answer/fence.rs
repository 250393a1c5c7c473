//! Lines that begin or end a block of code.

use std::ops::Range;

const FENCES: [&str; 2] = ["```", "~~~"];

/// Where each part of `text` begins: its start, and every line that is a fence.
///
/// No JSON reaches over such a line, because a string in it cannot hold the end of a line.
pub(super) fn part_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > 0 && is_fence(line) {
            starts.push(at);
        }
        at += line.len();
    }
    starts
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    FENCES.iter().any(|fence| line.starts_with(fence))
}

/// Where the inside of the one block of code in `text` is; `None` where there is none, or more than one.
pub(super) fn only_block(text: &str) -> Option<Range<usize>> {
    let mut fences = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if is_fence(line) {
            fences.push((at, at + line.len()));
        }
        at += line.len();
    }
    match fences.as_slice() {
        [(_, start), (end, _)] => Some(*start..*end),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_parted_at_its_fences() {
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
    fn a_block_is_known_where_it_is_the_only_one() {
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
