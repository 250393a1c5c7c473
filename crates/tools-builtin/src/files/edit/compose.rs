//! The text that replaces a place.

use std::ops::Range;
use std::time::Duration;

use similar::{DiffTag, TextDiff};

use super::Edit;
use super::place::{Layer, Match, Shift, indentation, unnumbered};
use crate::newlines::{are_windows, with_endings};

/// Time after which fewer of the unchanged lines may be recognized.
const TIMEOUT: Duration = Duration::from_millis(500);

/// Returns the replacement for a place. Lines that the edit does not change stay as they are in the file, byte for byte, and
/// new lines get its line endings and indentation.
pub(super) fn replacement(text: &str, replaced: &str, edit: &Edit<'_>, found: &Match) -> String {
    if found.layer == Layer::Exact {
        return exact(text, &found.span, edit);
    }
    let is_numbered = found.layer == Layer::LineNumbers;
    let bare = |text: &str| unnumbered(text).filter(|_| is_numbered);
    let old = bare(edit.old).unwrap_or_else(|| edit.old.to_owned());
    let new = bare(edit.new).unwrap_or_else(|| edit.new.to_owned());
    let composed = merged(replaced, &old, &new, &found.shift);
    fitted(&composed, text, &found.span)
}

/// Returns the replacement for a place that has exactly the old text.
pub(super) fn exact(text: &str, span: &Range<usize>, edit: &Edit<'_>) -> String {
    if edit.new.contains('\n') {
        fitted(edit.new, text, span)
    } else {
        edit.new.to_owned()
    }
}

/// Applies the difference between `old` and `new` to the lines of the file.
fn merged(replaced: &str, old: &str, new: &str, shift: &Shift) -> String {
    let there: Vec<&str> = replaced.split_inclusive('\n').collect();
    let [old, new] = [old, new].map(|text| with_endings(text, Some(false)));
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let mut composed = String::with_capacity(replaced.len() + new.len());
    let diff = TextDiff::configure()
        .timeout(TIMEOUT)
        .diff_slices(&old_lines, &new_lines);
    for operation in diff.ops() {
        if operation.tag() == DiffTag::Equal {
            let kept = there.get(operation.old_range()).unwrap_or_default();
            composed.extend(kept.iter().copied());
        } else {
            let lines = new_lines.get(operation.new_range()).unwrap_or_default();
            for line in lines {
                push_shifted(&mut composed, line, shift);
            }
        }
    }
    composed
}

fn push_shifted(composed: &mut String, line: &str, shift: &Shift) {
    let quoted = indentation(line);
    let rest = line.get(quoted.len()..).unwrap_or_default();
    if rest.trim().is_empty() {
        composed.push_str(rest);
        return;
    }
    composed.push_str(&shift.applied(quoted).unwrap_or_else(|| quoted.to_owned()));
    composed.push_str(rest);
}

/// Gives new lines the line ending of the replaced lines, or of the lines around them.
fn fitted(new: &str, text: &str, span: &Range<usize>) -> String {
    let replaced = text.get(span.clone()).unwrap_or_default();
    let are_windows = if replaced.contains('\n') {
        are_windows(replaced)
    } else {
        is_windows_near(text, span)
    };
    with_endings(new, are_windows)
}

/// Returns whether the line at a span, or else the one before it, ends with a carriage return and a newline.
fn is_windows_near(text: &str, span: &Range<usize>) -> Option<bool> {
    let after = text.get(span.end..).unwrap_or_default();
    let before = text.get(..span.start).unwrap_or_default();
    let (line, _) = after
        .split_once('\n')
        .or_else(|| before.rsplit_once('\n'))?;
    Some(line.ends_with('\r'))
}
