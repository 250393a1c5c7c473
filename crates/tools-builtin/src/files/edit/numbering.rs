//! Line numbers of spans, and of the text before the edits.

use std::ops::{Range, RangeInclusive};

use super::Place;
use crate::newlines::count_newlines;

/// Line numbers of the text before the edits: a model knows only these, because nothing is written if one edit fails.
pub(super) struct Numbering {
    /// Lines of the current text, in its order, and the number of lines that were added before each.
    shifts: Vec<(usize, isize)>,
}

impl Numbering {
    pub(super) fn of(text: &str, places: &[Place]) -> Self {
        let mut sorted: Vec<&Place> = places.iter().collect();
        sorted.sort_by_key(|place| place.span.end);
        let lines = lines_at(text, sorted.iter().map(|place| place.span.end));
        let added = sorted.iter().scan(0, |sum, place| {
            *sum += place.lines_added;
            Some(*sum)
        });
        Self {
            shifts: lines.into_iter().zip(added).collect(),
        }
    }

    /// Returns the number that a line had before the edits.
    pub(super) fn original(&self, line: usize) -> usize {
        let before = self.shifts.partition_point(|(from, _)| *from <= line);
        let last = before.checked_sub(1).and_then(|last| self.shifts.get(last));
        line.saturating_add_signed(-last.map_or(0, |(_, added)| *added))
    }
}

/// Returns the lines at sorted positions.
fn lines_at(text: &str, positions: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut line, mut at) = (1, 0);
    let number = |position: usize| {
        let passed = text.as_bytes().get(at..position).unwrap_or_default();
        line += count_newlines(passed);
        at = position.max(at);
        line
    };
    positions.map(number).collect()
}

/// Returns the lines of spans that are sorted and don't overlap, each without the line after a final newline.
pub(in crate::files) fn lines_of_all<'s>(
    text: &str,
    spans: impl Iterator<Item = &'s Range<usize>>,
) -> Vec<RangeInclusive<usize>> {
    let ends = |span: &Range<usize>| {
        let covered = text.get(span.clone()).unwrap_or_default();
        let last = span.end - usize::from(covered.ends_with('\n'));
        [span.start, last.max(span.start)]
    };
    let lines = lines_at(text, spans.flat_map(ends));
    let pairs = lines.chunks_exact(2);
    pairs
        .filter_map(|pair| Some(*pair.first()?..=*pair.last()?))
        .collect()
}
