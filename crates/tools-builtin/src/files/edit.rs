//! Edits of a string in memory: each finds exactly one place, or says why not.
//!
//! A model quotes the text to replace from memory, often with small differences: other line endings, tabs for spaces,
//! typographic quotes. Such a difference is tolerated if the text then fits in exactly one place, and never by similarity:
//! an edit in a wrong place is worse than one more call.

mod compose;
mod numbering;
mod place;
mod refusal;
mod together;
mod typography;

use std::ops::Range;

use memchr::memmem;

use self::numbering::Numbering;
pub(super) use self::numbering::lines_of_all;
pub(super) use self::place::Layer;
use self::place::{Match, exact, tolerant};
pub(super) use self::refusal::{Refusal, RefusalKind};
use crate::newlines::count_newlines;

/// Maximum number of bytes to search, summed over the edits.
const MAX_SEARCHED: usize = 4 * 1024 * 1024 * 1024;
/// Cost of a tolerant search or a diagnosis, compared with an exact search.
const SLOWER: usize = 10;

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit<'e> {
    pub(super) old: &'e str,
    pub(super) new: &'e str,
    /// Whether to replace every occurrence. Only exact occurrences count.
    pub(super) all: bool,
    /// Line of the text before all edits, counted from 1, in the occurrence to choose.
    pub(super) near_line: Option<usize>,
}

/// Text after the edits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    pub(super) text: String,
    /// Changed places of `text`, in its order.
    pub(super) places: Vec<Place>,
}

/// A changed place of the new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Index of the edit.
    pub(super) edit: usize,
    pub(super) span: Range<usize>,
    pub(super) layer: Layer,
    /// Whether the replaced text was part of a longer identifier.
    pub(super) is_part_of_word: bool,
    lines_added: isize,
}

/// Applies the edits in their order, all or none. The result has at most `limit` bytes.
///
/// # Errors
/// Returns one [`Refusal`] for each edit that fails.
pub(super) fn apply(text: &str, edits: &[Edit<'_>], limit: usize) -> Result<Edited, Vec<Refusal>> {
    if let Some(edited) = together::apply(text, edits)
        && edited.text.len() <= limit
    {
        return Ok(edited);
    }
    let mut changing = Changing {
        original: text,
        text: text.to_owned(),
        places: Vec::new(),
        limit,
        budget: MAX_SEARCHED,
    };
    let mut refusals = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        if let Err(refusal) = changing.apply(index, edit) {
            let is_last = refusal.edit.is_none();
            refusals.push(refusal);
            if is_last {
                break;
            }
        }
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    if changing.text == text {
        return Err(vec![Refusal::without_effect()]);
    }
    changing.places.sort_by_key(|place| place.span.start);
    Ok(Edited {
        text: changing.text,
        places: changing.places,
    })
}

/// State after the first edits.
struct Changing<'t> {
    original: &'t str,
    text: String,
    places: Vec<Place>,
    limit: usize,
    /// Number of bytes that may still be searched.
    budget: usize,
}

impl Changing<'_> {
    fn apply(&mut self, index: usize, edit: &Edit<'_>) -> Result<(), Refusal> {
        if edit.old.is_empty() {
            return Err(Refusal::empty(index));
        }
        if edit.old == edit.new {
            return Err(Refusal::same(index));
        }
        self.spend(1, index)?;
        let found = self.find(index, edit)?;
        self.replace(index, edit, &found)
    }

    /// Counts searches of the text.
    fn spend(&mut self, searches: usize, index: usize) -> Result<(), Refusal> {
        let cost = self.text.len().max(1).saturating_mul(searches);
        let left = self.budget.checked_sub(cost);
        self.budget = left.ok_or_else(|| Refusal::too_many(index))?;
        Ok(())
    }

    /// Returns the places to replace, at least one, in the order of the text.
    fn find(&mut self, index: usize, edit: &Edit<'_>) -> Result<Vec<Match>, Refusal> {
        let mut found = exact(&self.text, edit.old);
        if edit.all && !found.is_empty() {
            return Ok(found);
        }
        if found.is_empty() && !edit.all {
            self.spend(SLOWER, index)?;
            found = tolerant(&self.text, edit.old);
        }
        match found.len() {
            0 => {
                self.spend(SLOWER, index)?;
                Err(self.missing(index, edit))
            }
            1 => Ok(found),
            _ => self.chosen(index, &found, edit.near_line),
        }
    }

    /// Returns the only match that contains `line`.
    fn chosen(
        &self,
        index: usize,
        found: &[Match],
        line: Option<usize>,
    ) -> Result<Vec<Match>, Refusal> {
        let numbering = Numbering::of(&self.text, &self.places);
        let spans = found.iter().map(|found| &found.span);
        let lines = lines_of_all(&self.text, spans);
        let is_near = |lines: &std::ops::RangeInclusive<usize>| {
            let (first, last) = (
                numbering.original(*lines.start()),
                numbering.original(*lines.end()),
            );
            line.is_some_and(|line| (first..=last).contains(&line))
        };
        let mut near = lines.iter().zip(found).filter(|(lines, _)| is_near(lines));
        match (near.next(), near.next()) {
            (Some((_, only)), None) => Ok(vec![only.clone()]),
            _ => Err(Refusal::ambiguous(
                index, &self.text, &lines, line, &numbering,
            )),
        }
    }

    fn missing(&self, index: usize, edit: &Edit<'_>) -> Refusal {
        if let Some(earlier) = self.changed_by(edit.old) {
            return Refusal::changed(index, earlier);
        }
        let numbering = Numbering::of(&self.text, &self.places);
        let applied = place::with_any_endings(&self.text, edit.new);
        if let [only] = applied.as_slice()
            && !edit.new.trim().is_empty()
            && !edit.new.contains(edit.old)
            // A part of the old text may exist by chance.
            && !edit.old.contains(edit.new)
        {
            let line = numbering.original(line_of(&self.text, only.span.start));
            return Refusal::applied(index, line);
        }
        Refusal::missing(index, &self.text, edit, &numbering)
    }

    /// Returns the last earlier edit if the original text had `old`, which then is its change.
    fn changed_by(&self, old: &str) -> Option<usize> {
        let was_there = memmem::find(self.original.as_bytes(), old.as_bytes()).is_some();
        let last = self.places.iter().map(|place| place.edit).max();
        last.filter(|_| was_there)
    }

    fn replace(&mut self, index: usize, edit: &Edit<'_>, found: &[Match]) -> Result<(), Refusal> {
        let mut text = String::with_capacity(self.text.len());
        let mut made = Vec::with_capacity(found.len());
        let mut end = 0;
        for found in found {
            let span = &found.span;
            let old = self.text.get(span.clone()).unwrap_or_default();
            let new = compose::replacement(&self.text, old, edit, found);
            text.push_str(self.text.get(end..span.start).unwrap_or_default());
            let start = text.len();
            text.push_str(&new);
            end = span.end;
            made.push(Place {
                edit: index,
                span: start..text.len(),
                layer: found.layer,
                is_part_of_word: edit.all && is_part_of_word(&self.text, span, old),
                lines_added: lines_added(old, &new),
            });
            if text.len() > self.limit {
                return Err(Refusal::too_large(index, self.limit));
            }
        }
        text.push_str(self.text.get(end..).unwrap_or_default());
        if text.len() > self.limit {
            return Err(Refusal::too_large(index, self.limit));
        }
        for place in &mut self.places {
            let start = moved(place.span.start, found, &made, false);
            place.span = start..moved(place.span.end, found, &made, true);
        }
        self.places.extend(made);
        self.text = text;
        Ok(())
    }
}

/// Returns the position after the replacement of `found` by `made`.
fn moved(at: usize, found: &[Match], made: &[Place], is_end: bool) -> usize {
    let before = found.partition_point(|found| found.span.end <= at);
    if let Some((old, new)) = found.get(before).zip(made.get(before))
        && old.span.start < at
    {
        return if is_end { new.span.end } else { new.span.start };
    }
    let last = before.checked_sub(1);
    let last = last.and_then(|last| found.get(last).zip(made.get(last)));
    last.map_or(at, |(old, new)| at - old.span.end + new.span.end)
}

fn lines_added(old: &str, new: &str) -> isize {
    let [old, new] = [old, new].map(|text| count_newlines(text.as_bytes()).cast_signed());
    new - old
}

fn is_part_of_word(text: &str, span: &Range<usize>, replaced: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    replaced.starts_with(is_word) && before.ends_with(is_word)
        || replaced.ends_with(is_word) && after.starts_with(is_word)
}

/// Returns the line at `position`, counted from 1.
fn line_of(text: &str, position: usize) -> usize {
    count_newlines(text.as_bytes().get(..position).unwrap_or_default()) + 1
}

#[cfg(test)]
mod tests;
