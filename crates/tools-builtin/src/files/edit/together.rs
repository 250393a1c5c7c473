//! Many edits in one pass, if their order can't matter.

use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::place::{Layer, is_line_start};
use super::region::is_made;
use super::{Edit, Edited, Place, Region, compose};

/// Applies edits that each occur exactly once, far enough from each other, and whose new strings make no further occurrences.
/// Returns `None` for others, which apply in sequence.
pub(super) fn apply(text: &str, edits: &[Edit<'_>]) -> Option<Edited> {
    let are_plain = edits
        .iter()
        .all(|edit| !edit.all && !edit.old.is_empty() && edit.old != edit.new)
        && edits
            .iter()
            .all(|edit| edit.region.as_ref().is_none_or(Region::is_whole));
    if edits.len() < 2 || !are_plain {
        return None;
    }
    let finder = AhoCorasick::new(edits.iter().map(|edit| edit.old)).ok()?;
    let spans = only_spans(&finder, text, edits.len())?;
    let longest = edits.iter().map(|edit| edit.old.len()).max()?;
    let are_apart = spans.windows(2).all(|pair| match pair {
        [(one, _), (other, _)] => one.end + longest <= other.start,
        _ => true,
    });
    let are_hunks_new = spans
        .iter()
        .all(|(span, index)| is_new_lines(text, edits.get(*index), span));
    if !are_apart || !are_hunks_new {
        return None;
    }
    let edited = replaced(text, edits, &spans);
    let is_settled = edited
        .places
        .iter()
        .all(|place| makes_nothing_for_later(&finder, &edited.text, place, longest));
    is_settled.then_some(edited)
}

/// Returns whether a hunk fits whole lines, and adds none that are there already.
fn is_new_lines(text: &str, edit: Option<&Edit<'_>>, span: &Range<usize>) -> bool {
    edit.filter(|edit| edit.is_hunk())
        .is_none_or(|edit| is_line_start(text, span.start) && !is_made(text, edit, span))
}

/// Returns whether no later edit would find its old text in or across a new text.
fn makes_nothing_for_later(
    finder: &AhoCorasick,
    text: &str,
    place: &Place,
    longest: usize,
) -> bool {
    let from = place.span.start.saturating_sub(longest);
    let to = (place.span.end + longest).min(text.len());
    let around = text.as_bytes().get(from..to).unwrap_or_default();
    finder
        .try_find_overlapping_iter(around)
        .is_ok_and(|mut found| found.all(|found| found.pattern().as_usize() <= place.edit))
}

/// Returns the only place of each pattern, in the order of the text; `None` if one occurs never or repeatedly.
fn only_spans(
    finder: &AhoCorasick,
    text: &str,
    count: usize,
) -> Option<Vec<(Range<usize>, usize)>> {
    let mut spans = Vec::with_capacity(count);
    let mut is_found = vec![false; count];
    for found in finder.try_find_overlapping_iter(text).ok()? {
        let pattern = found.pattern().as_usize();
        if std::mem::replace(is_found.get_mut(pattern)?, true) {
            return None;
        }
        spans.push((found.range(), pattern));
    }
    if spans.len() < count {
        return None;
    }
    spans.sort_by_key(|(span, _)| span.start);
    Some(spans)
}

fn replaced(text: &str, edits: &[Edit<'_>], spans: &[(Range<usize>, usize)]) -> Edited {
    let mut new = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(spans.len());
    let mut end = 0;
    for (span, index) in spans {
        let (Some(edit), Some(old)) = (edits.get(*index), text.get(span.clone())) else {
            continue;
        };
        new.push_str(text.get(end..span.start).unwrap_or_default());
        let start = new.len();
        new.push_str(&compose::exact(text, span, edit));
        end = span.end;
        places.push(Place {
            edit: *index,
            span: start..new.len(),
            layer: Layer::Exact,
            is_part_of_word: false,
            lines_added: super::lines_added(old, edit.new),
        });
    }
    new.push_str(text.get(end..).unwrap_or_default());
    Edited { text: new, places }
}
