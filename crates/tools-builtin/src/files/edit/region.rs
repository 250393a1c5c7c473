//! Places of the hunks of a patch: whole lines, in a part of the text that other lines name.

use std::ops::Range;

use super::numbering::{Numbering, lines_of_all};
use super::place::{Layer, Layered, Match, Shift, exact, indentation, tolerant};
use super::refusal::Refusal;
use super::{Edit, Place, line_of};

/// Where a hunk of a patch must be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::files) struct Region {
    /// Lines before the hunk, outermost first, each of which must occur once.
    pub(in crate::files) contexts: Vec<String>,
    /// Whether the hunk ends the file.
    pub(in crate::files) is_at_end: bool,
    /// First line of the hunk in the text before all edits. It only chooses between several places.
    pub(in crate::files) first_line: Option<usize>,
    /// Whether the new file ends with a newline. The default is what it was.
    pub(in crate::files) ends_with_newline: Option<bool>,
    /// Whether the hunk may be before the previous one.
    pub(in crate::files) starts_over: bool,
}

impl Region {
    /// Returns whether nothing narrows the place.
    pub(super) fn is_whole(&self) -> bool {
        self.contexts.is_empty() && !self.is_at_end
    }
}

/// Text in which a hunk is searched.
pub(super) struct Searched<'t> {
    pub(super) index: usize,
    pub(super) text: &'t str,
    /// End of the previous hunk.
    pub(super) after: usize,
    pub(super) places: &'t [Place],
}

impl Searched<'_> {
    /// Returns the places of a hunk.
    ///
    /// # Errors
    /// Fails if a context line occurs never or repeatedly, if the hunk is already made, or if it inserts lines and nothing
    /// says where.
    pub(super) fn find(&self, edit: &Edit<'_>, region: &Region) -> Result<Vec<Match>, Refusal> {
        let scope = self.scope(region)?;
        if edit.old.is_empty() {
            return self
                .insertion(edit, region, &scope)
                .map(|found| vec![found]);
        }
        let ranges = [&scope.block, &scope.rest];
        let searches: [Layered; 2] = [exact, tolerant];
        let all = searches
            .iter()
            .flat_map(|search| ranges.map(|range| (search, range)));
        for (search, range) in all {
            let part = self.text.get(range.clone()).unwrap_or_default();
            let mut found = search(part, edit.old, true);
            if found.is_empty() {
                continue;
            }
            for found in &mut found {
                found.span = found.span.start + range.start..found.span.end + range.start;
            }
            let found = self.narrowed(found, region);
            self.check_is_new(edit, &found)?;
            return Ok(found);
        }
        if let [only] = exact(self.text, edit.old, true).as_slice() {
            let line = self.line_of(only.span.start);
            return Err(Refusal::outside_context(
                self.index,
                line,
                self.line_of(scope.line.start),
            ));
        }
        Ok(Vec::new())
    }

    /// Rejects a hunk whose new lines are already where it would insert them, as after a call whose reply was lost.
    fn check_is_new(&self, edit: &Edit<'_>, found: &[Match]) -> Result<(), Refusal> {
        match found {
            [only] if is_made(self.text, edit, &only.span) => {
                let line = self.line_of(only.span.start);
                Err(Refusal::applied(self.index, line, true))
            }
            _ => Ok(()),
        }
    }

    /// Leaves the places that fit the order of the hunks, the end of the file or the number of the line, if any does.
    fn narrowed(&self, mut found: Vec<Match>, region: &Region) -> Vec<Match> {
        if found.len() < 2 {
            return found;
        }
        let is_last = |found: &Match| region.is_at_end && found.span.end == self.text.len();
        keep(&mut found, is_last);
        if !region.starts_over {
            keep(&mut found, |found| found.span.start >= self.after);
        }
        let lines = lines_of_all(self.text, found.iter().map(|found| &found.span));
        let numbering = Numbering::of(self.text, self.places);
        let first = lines.iter().map(|lines| numbering.original(*lines.start()));
        let places = found.iter().zip(first);
        let at_line = places.filter(|(_, line)| Some(*line) == region.first_line);
        let at_line: Vec<Match> = at_line.map(|(found, _)| found.clone()).collect();
        if at_line.is_empty() { found } else { at_line }
    }

    /// Returns the line that a position had before all edits.
    fn line_of(&self, position: usize) -> usize {
        let numbering = Numbering::of(self.text, self.places);
        numbering.original(line_of(self.text, position))
    }

    fn insertion(&self, edit: &Edit<'_>, region: &Region, scope: &Scope) -> Result<Match, Refusal> {
        let is_nowhere = region.contexts.is_empty();
        if is_nowhere && region.first_line.is_some() && !self.text.is_empty() {
            // A number alone is no proof that the model knows the text there.
            return Err(Refusal::without_context(self.index));
        }
        // As in codex, lines without any place are added at the end.
        let is_at_end = region.is_at_end || is_nowhere;
        let at = if is_at_end {
            self.text.len()
        } else {
            scope.line.end
        };
        let (before, after) = self.text.split_at_checked(at).unwrap_or_default();
        if after.starts_with(edit.new) || is_at_end && before.ends_with(edit.new) {
            return Err(Refusal::applied(self.index, self.line_of(at), true));
        }
        Ok(Match {
            span: at..at,
            layer: Layer::Exact,
            shift: Shift::None,
        })
    }

    /// Finds the context lines.
    fn scope(&self, region: &Region) -> Result<Scope, Refusal> {
        let whole = 0..self.text.len();
        let mut scope = Scope {
            line: 0..0,
            block: whole.clone(),
            rest: whole,
        };
        for context in &region.contexts {
            let mut found = lines_like(self.text, &scope.block, context);
            if found.len() != 1 && scope.block != scope.rest {
                found = lines_like(self.text, &scope.rest, context);
            }
            let [line] = found.as_slice() else {
                let lines = found.iter().map(|line| self.line_of(line.start));
                let lines: Vec<usize> = lines.collect();
                return Err(Refusal::context(self.index, context, &lines));
            };
            scope = Scope {
                line: line.clone(),
                block: line.start..end_of_block(self.text, line),
                rest: line.start..self.text.len(),
            };
        }
        Ok(scope)
    }
}

/// Returns whether the lines that a hunk would add at a place are already there.
pub(super) fn is_made(text: &str, edit: &Edit<'_>, span: &Range<usize>) -> bool {
    let after = text.get(span.start..).unwrap_or_default();
    let before = text.get(..span.end).unwrap_or_default();
    let is_longer = edit.new.len() > edit.old.len();
    is_longer && (after.starts_with(edit.new) || before.ends_with(edit.new))
}

/// Part of a string after a context line.
struct Scope {
    line: Range<usize>,
    /// Lines that are indented more than the context line, and the one after them.
    block: Range<usize>,
    rest: Range<usize>,
}

fn keep(found: &mut Vec<Match>, is_kept: impl Fn(&Match) -> bool) {
    if found.len() > 1 && found.iter().any(&is_kept) {
        found.retain(is_kept);
    }
}

/// Returns the lines of a part that equal a context line: exactly, or else apart from the whitespace around it, or else those that
/// begin with it.
fn lines_like(text: &str, part: &Range<usize>, context: &str) -> Vec<Range<usize>> {
    let wanted = context.trim();
    let (mut equal, mut trimmed, mut begun) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = part.start;
    for line in text
        .get(part.clone())
        .unwrap_or_default()
        .split_inclusive('\n')
    {
        let span = at..at + line.len();
        at = span.end;
        if line.trim_end_matches(['\r', '\n']) == context {
            equal.push(span);
        } else if line.trim() == wanted {
            trimmed.push(span);
        } else if line.trim_start().starts_with(wanted) {
            begun.push(span);
        }
    }
    let mut found = [equal, trimmed, begun].into_iter();
    found.find(|lines| !lines.is_empty()).unwrap_or_default()
}

/// Returns the end of the lines that are indented more than `line`, and of the one after them, which often closes a block.
fn end_of_block(text: &str, line: &Range<usize>) -> usize {
    let depth = indentation(text.get(line.clone()).unwrap_or_default()).len();
    let mut at = line.end;
    for line in text
        .get(line.end..)
        .unwrap_or_default()
        .split_inclusive('\n')
    {
        at += line.len();
        if !line.trim().is_empty() && indentation(line).len() <= depth {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::super::tests::{apply, refusal};
    use super::super::{Edit, RefusalKind};
    use super::*;

    fn hunk<'e>(contexts: &[&str], old: &'e str, new: &'e str) -> Edit<'e> {
        let region = Region {
            contexts: contexts.iter().map(ToString::to_string).collect(),
            ..Region::default()
        };
        Edit {
            old,
            new,
            all: false,
            near_line: None,
            region: Some(region),
        }
    }

    fn changed(edit: Edit<'_>, change: impl Fn(&mut Region)) -> Edit<'_> {
        let mut edit = edit;
        change(edit.region.as_mut().unwrap());
        edit
    }

    const CLASSES: &str = "class A:\n    def run(self):\n        stop()\n\nclass B:\n    def run(self):\n        stop()\n";

    #[test]
    fn context_lines_narrow_the_place() {
        let (old, new) = ("        stop()\n", "        go()\n");
        for (contexts, line) in [
            (vec!["class A:"], 3),
            (vec!["class B:"], 7),
            (vec!["class A", "def run(self):"], 3),
            (vec!["class B:", "    def run(self):"], 7),
        ] {
            let edited = apply(CLASSES, &[hunk(&contexts, old, new)]).unwrap();

            let lines: Vec<&str> = edited.text.lines().collect();
            assert_eq!(lines[line - 1], "        go()", "{contexts:?}");
            assert_eq!(edited.text.matches("stop").count(), 1, "{contexts:?}");
        }
        let (_, kind, shown) = refusal(CLASSES, &[hunk(&[], old, new)]);
        assert_eq!(kind, RefusalKind::Ambiguous);
        assert!(
            shown.starts_with("The quoted text fits 2 places:\n3: "),
            "{shown}"
        );
        assert!(
            shown.ends_with("Quote more lines around it, or put an `@@` line before it."),
            "{shown}"
        );
    }

    #[test]
    fn context_line_must_occur_once() {
        let stop = |context| hunk(&[context], "        stop()\n", "");

        let (_, kind, shown) = refusal(CLASSES, &[stop("def run(self):")]);
        assert_eq!(kind, RefusalKind::Ambiguous);
        assert!(shown.contains("(lines 2, 6)"), "{shown}");
        let (_, kind, shown) = refusal(CLASSES, &[stop("class C:")]);
        assert_eq!(kind, RefusalKind::Missing);
        assert!(shown.contains("`class C:`"), "{shown}");
        let before = hunk(&["class B:"], "class A:\n", "class Z:\n");
        let (_, kind, shown) = refusal(CLASSES, &[before]);
        assert_eq!(kind, RefusalKind::Missing);
        assert!(
            shown.contains("is at line 1, but not after the `@@` line (line 5)"),
            "{shown}"
        );
    }

    #[test]
    fn hunks_are_whole_lines() {
        let (_, kind, _) = refusal("x}\n", &[hunk(&[], "}\n", "")]);
        assert_eq!(kind, RefusalKind::Missing);
        let edited = apply("  a\n a\na\n", &[hunk(&[], "a\n", "b\n")]).unwrap();
        assert_eq!(edited.text, "  a\n a\nb\n");
    }

    #[test]
    fn inserts_after_context_or_at_end() {
        let insert = hunk(&["class A:"], "", "    x = 1\n");
        let edited = apply(CLASSES, std::slice::from_ref(&insert)).unwrap();
        assert!(
            edited.text.starts_with("class A:\n    x = 1\n    def"),
            "{}",
            edited.text
        );

        let last = changed(hunk(&[], "", "end\n"), |region| region.is_at_end = true);
        let ended = apply(CLASSES, std::slice::from_ref(&last)).unwrap();
        assert!(ended.text.ends_with("stop()\nend\n"));

        let added = apply("a\n", &[hunk(&[], "", "x\n")]).unwrap();
        assert_eq!(added.text, "a\nx\n");
        let numbered = changed(hunk(&[], "", "x\n"), |region| region.first_line = Some(1));
        assert_eq!(refusal("a\n", &[numbered]).1, RefusalKind::Invalid);
        for (text, hunk) in [(&edited.text, insert), (&ended.text, last)] {
            assert_eq!(refusal(text, &[hunk]).1, RefusalKind::Applied);
        }
    }

    #[test]
    fn hunk_is_not_made_twice() {
        for (old, new) in [
            ("a\n", "a\nx\n"),
            ("b\n", "x\nb\n"),
            ("a\nb\n", "a\nx\nb\n"),
        ] {
            let edit = hunk(&[], old, new);

            let once = apply("a\nb\n", std::slice::from_ref(&edit)).unwrap().text;

            assert_eq!(once, "a\nx\nb\n");
            assert_eq!(refusal(&once, &[edit]).1, RefusalKind::Applied, "{old:?}");
        }
    }

    #[test]
    fn order_end_and_line_choose_between_equal_places() {
        let text = "x\na\nx\nb\nx\n";
        let first = hunk(&[], "a\nx\nb\n", "a\nx\nc\n");
        let ordered = apply(text, &[first, hunk(&[], "x\n", "y\n")]).unwrap();
        assert_eq!(ordered.text, "x\na\nx\nc\ny\n");

        let end = changed(hunk(&[], "x\n", "y\n"), |region| region.is_at_end = true);
        assert_eq!(apply(text, &[end]).unwrap().text, "x\na\nx\nb\ny\n");

        let line = |line| {
            changed(hunk(&[], "x\n", "y\n"), |region| {
                region.first_line = Some(line);
            })
        };
        assert_eq!(apply(text, &[line(3)]).unwrap().text, "x\na\ny\nb\nx\n");
        assert_eq!(refusal(text, &[line(2)]).1, RefusalKind::Ambiguous);
    }
}
