//! Edits of a string in memory: each finds exactly one place, or says why not.
//!
//! A model quotes the text to replace from memory, often with small differences: other line endings, tabs for spaces,
//! typographic quotes. Such a difference is tolerated if the text then fits in exactly one place, and never by similarity:
//! an edit in a wrong place is worse than one more call.

mod compose;
mod numbering;
mod place;
mod refusal;
mod region;
mod together;
mod typography;

use std::ops::Range;

use memchr::memmem;

use self::numbering::Numbering;
pub(super) use self::numbering::lines_of_all;
pub(super) use self::place::Layer;
use self::place::{Match, exact, tolerant};
pub(super) use self::refusal::{Refusal, RefusalKind};
pub(super) use self::region::Region;
use self::region::Searched;
use crate::newlines::count_newlines;

/// Maximum number of bytes to search, summed over the edits. A tolerant search is ten times as slow.
const MAX_SEARCHED: usize = 1024 * 1024 * 1024;

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit<'e> {
    pub(super) old: &'e str,
    pub(super) new: &'e str,
    /// Whether to replace every occurrence. Only exact occurrences count.
    pub(super) all: bool,
    /// Line of the text before all edits, counted from 1, in the occurrence to choose.
    pub(super) near_line: Option<usize>,
    /// For a hunk of a patch: where it must be. Its strings are whole lines, and an empty `old` inserts.
    pub(super) region: Option<Region>,
}

impl Edit<'_> {
    fn is_hunk(&self) -> bool {
        self.region.is_some()
    }
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
    let are_hunks = edits.iter().any(Edit::is_hunk);
    let is_open = are_hunks && !text.is_empty() && !text.ends_with('\n');
    let edited = if is_open {
        // Hunks are whole lines, also the last one of a file.
        changed(&format!("{text}\n"), edits, limit)?
    } else {
        changed(text, edits, limit)?
    };
    let mut asked = edits
        .iter()
        .filter_map(|edit| edit.region.as_ref()?.ends_with_newline);
    let ends_with_newline = asked.next_back().unwrap_or(!is_open);
    let edited = if are_hunks {
        edited.ending(ends_with_newline)
    } else {
        edited
    };
    if edited.text == text {
        return Err(vec![Refusal::without_effect(are_hunks)]);
    }
    Ok(edited)
}

impl Edited {
    /// Adds or removes the newline at the end.
    fn ending(mut self, with_newline: bool) -> Self {
        let text = &mut self.text;
        if with_newline && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        } else if !with_newline && text.ends_with('\n') {
            text.pop();
            text.truncate(text.strip_suffix('\r').unwrap_or(text).len());
        }
        let end = text.len();
        for place in &mut self.places {
            place.span = place.span.start.min(end)..place.span.end.min(end);
        }
        self
    }
}

fn changed(text: &str, edits: &[Edit<'_>], limit: usize) -> Result<Edited, Vec<Refusal>> {
    if let Some(edited) = together::apply(text, edits)
        && edited.text.len() <= limit
    {
        return Ok(edited);
    }
    let most = MAX_SEARCHED / text.len().max(1);
    if edits.len() > most {
        return Err(vec![Refusal::too_many(most)]);
    }
    let mut changing = Changing {
        original: text,
        text: text.to_owned(),
        places: Vec::new(),
        limit,
        previous: 0,
    };
    let mut refusals = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        if let Err(refusal) = changing.apply(index, edit) {
            refusals.push(refusal);
        }
    }
    if !refusals.is_empty() {
        return Err(refusals);
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
    /// End of the place of the last edit.
    previous: usize,
}

impl Changing<'_> {
    fn apply(&mut self, index: usize, edit: &Edit<'_>) -> Result<(), Refusal> {
        if edit.old.is_empty() && !edit.is_hunk() {
            return Err(Refusal::empty(index));
        }
        let region = edit.region.as_ref();
        let changes_ending = region.is_some_and(|region| region.ends_with_newline.is_some());
        if edit.old == edit.new && !changes_ending {
            return Err(Refusal::same(index, edit.is_hunk()));
        }
        let found = self.find(index, edit)?;
        self.replace(index, edit, &found)
    }

    /// Returns the places to replace, at least one, in the order of the text.
    fn find(&self, index: usize, edit: &Edit<'_>) -> Result<Vec<Match>, Refusal> {
        if let Some(region) = &edit.region {
            return self.find_hunk(index, edit, region);
        }
        let mut found = exact(&self.text, edit.old, false);
        if edit.all && !found.is_empty() {
            return Ok(found);
        }
        if found.is_empty() && !edit.all {
            found = tolerant(&self.text, edit.old, false);
        }
        self.only(index, edit, found)
    }

    fn find_hunk(
        &self,
        index: usize,
        edit: &Edit<'_>,
        region: &Region,
    ) -> Result<Vec<Match>, Refusal> {
        let searched = Searched {
            index,
            text: &self.text,
            after: self.previous,
            places: &self.places,
        };
        let found = searched.find(edit, region)?;
        self.only(index, edit, found)
    }

    /// Returns the only match, or the only one that the edit chooses by its line.
    fn only(
        &self,
        index: usize,
        edit: &Edit<'_>,
        found: Vec<Match>,
    ) -> Result<Vec<Match>, Refusal> {
        match found.len() {
            0 => Err(self.missing(index, edit)),
            1 => Ok(found),
            _ => self.chosen(index, &found, edit),
        }
    }

    /// Returns the only match that contains `line`.
    fn chosen(
        &self,
        index: usize,
        found: &[Match],
        edit: &Edit<'_>,
    ) -> Result<Vec<Match>, Refusal> {
        let line = edit.near_line;
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
                index, &self.text, &lines, edit, &numbering,
            )),
        }
    }

    fn missing(&self, index: usize, edit: &Edit<'_>) -> Refusal {
        if let Some(earlier) = self.changed_by(edit.old) {
            return Refusal::changed(index, earlier, edit.is_hunk());
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
            return Refusal::applied(index, line, edit.is_hunk());
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
        self.previous = made.last().map_or(0, |place| place.span.end);
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
