//! What the model reads after edits: the changed lines, so that it needn't read the file again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use crate::files::diff::Hunk;
use crate::files::edit::{Edited, Layer, lines_of_all};
use crate::newlines::first_chars;
use crate::workspace::on_one_line;

/// Number of lines around a place.
const CONTEXT: usize = 3;
/// Maximum number of lines in total.
pub(super) const MAX_LINES: usize = 60;
/// Maximum number of characters of a line.
const MAX_CHARS: usize = 300;
/// Maximum number of places to name in the first line or in a note.
const MAX_NAMED: usize = 20;

/// Returns the changed lines with their numbers, at most `max_lines`.
pub(super) fn reply(path: &str, edited: &Edited, hunks: &[Hunk], max_lines: usize) -> String {
    let lines = hunks.iter().map(|hunk| hunk.new_start..=last_line(hunk));
    let lines: Vec<RangeInclusive<usize>> = lines.collect();
    let added: i64 = hunks.iter().map(added).sum();
    let mut text = format!(
        "Edited {}: {} ({added:+})",
        on_one_line(path),
        names(&lines)
    );
    let all: Vec<&str> = edited.text.lines().collect();
    let (mut shown, mut previous, mut count) = (0, 0, 0);
    for place in &lines {
        if shown >= max_lines {
            break;
        }
        let first = place.start().saturating_sub(CONTEXT).max(previous + 1);
        let last = place.end().saturating_add(CONTEXT).min(all.len());
        if first > previous + 1 && previous > 0 {
            text.push_str("\n--");
        }
        for number in first..=last.min(first + max_lines - shown - 1) {
            let line = all.get(number - 1).copied().unwrap_or_default();
            let _ = write!(text, "\n{number}: {}", first_chars(line, MAX_CHARS));
            shown += 1;
            previous = number;
        }
        count += 1;
    }
    if previous < lines.last().map_or(0, |place| *place.end()) {
        let _ = write!(
            text,
            "\n[… {} more places; read the file to see them]",
            (lines.len() - count).max(1)
        );
    }
    text
}

fn last_line(hunk: &Hunk) -> usize {
    (hunk.new_start + hunk.new_lines)
        .saturating_sub(1)
        .max(hunk.new_start)
}

fn added(hunk: &Hunk) -> i64 {
    let [old, new] =
        [hunk.old_lines, hunk.new_lines].map(|lines| i64::try_from(lines).unwrap_or(i64::MAX));
    new.saturating_sub(old)
}

/// Names ranges of lines.
fn names(lines: &[RangeInclusive<usize>]) -> String {
    let name = |lines: &RangeInclusive<usize>| match (lines.start(), lines.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    };
    let mut names: Vec<String> = lines.iter().take(MAX_NAMED).map(name).collect();
    if lines.len() > MAX_NAMED {
        names.push(format!("and {} more", lines.len() - MAX_NAMED));
    }
    let noun = match lines {
        [only] if only.start() == only.end() => "line",
        _ => "lines",
    };
    format!("{noun} {}", names.join(", "))
}

/// Returns what the model should know about how the places were found.
pub(super) fn notes(edited: &Edited) -> Vec<String> {
    let places = &edited.places;
    let lines = lines_of_all(&edited.text, places.iter().map(|place| &place.span));
    let mut tolerated: BTreeMap<Layer, Vec<RangeInclusive<usize>>> = BTreeMap::new();
    let mut parts = Vec::new();
    for (place, lines) in places.iter().zip(&lines) {
        if place.layer != Layer::Exact {
            tolerated
                .entry(place.layer)
                .or_default()
                .push(lines.clone());
        }
        if place.is_part_of_word {
            parts.push(lines.clone());
        }
    }
    let mut notes: Vec<String> = tolerated
        .iter()
        .filter_map(|(layer, lines)| {
            let difference = layer.difference()?;
            Some(format!(
                "`old` matched apart from {difference} ({}).",
                names(lines)
            ))
        })
        .collect();
    if !parts.is_empty() {
        notes.push(format!(
            "`all` also replaced parts of longer words ({}).",
            names(&parts)
        ));
    }
    notes
}
