//! Changes that others made to a file since the model has seen it.

use std::fmt::Write as _;
use std::ops::Range;

use tool_core::{ErrorCode, ToolError};

use super::diff::{Hunk, hunks};
use super::seen::{Comparison, SeenFiles};
use super::text_format::FileText;
use crate::newlines::first_chars;

/// Maximum number of changed lines to show.
const MAX_LINES: usize = 20;
/// Maximum number of characters of a line to show.
const MAX_CHARS: usize = 200;
/// Maximum number of ranges of lines to name.
const MAX_RANGES: usize = 8;

/// Change of a file since it was seen.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ForeignChange {
    /// Text that the model has seen, if it is still known.
    pub(super) seen: Option<String>,
    hunks: Vec<Hunk>,
}

impl ForeignChange {
    /// Returns the change of the file with this key, whose content is `content` and whose text is `text`; `None` if it is
    /// as it was seen, or was never seen.
    pub(super) fn of(seen: &SeenFiles, key: &str, content: &[u8], text: &str) -> Option<Self> {
        let Comparison::Changed(old) = seen.compare(key, content) else {
            return None;
        };
        let old = old.and_then(|old| FileText::of(&old).ok());
        let seen = old.map(|old| old.text);
        // If the old text is no longer known, every line may have changed.
        let hunks = hunks(seen.as_deref().unwrap_or_default(), text);
        Some(Self { seen, hunks })
    }

    /// Rejects a file that is to be removed or replaced, and that others changed since it was seen.
    pub(super) fn check(seen: &SeenFiles, key: &str, content: &[u8]) -> Result<(), ToolError> {
        let text = FileText::of(content)
            .map(|file| file.text)
            .unwrap_or_default();
        match Self::of(seen, key, content, &text) {
            Some(foreign) => Err(foreign.conflict(&text)),
            None => Ok(()),
        }
    }

    /// Returns the number that a line of the seen text has now; `None` if it has changed.
    pub(super) fn line_now(&self, line: usize) -> Option<usize> {
        self.seen.as_ref()?;
        let before = self.hunks.iter().take_while(|hunk| hunk.old_start <= line);
        let last = before.last();
        match last {
            None => Some(line),
            Some(hunk) if line < hunk.old_start + hunk.old_lines => None,
            Some(hunk) => {
                Some(line - hunk.old_start - hunk.old_lines + hunk.new_start + hunk.new_lines)
            }
        }
    }

    /// Returns whether one of the edited lines was changed by others.
    pub(super) fn touches(&self, edited: &[Hunk]) -> bool {
        let is_touched = |one: &Range<usize>, other: &Range<usize>| {
            one.start < other.end && other.start < one.end
        };
        edited.iter().any(|edited| {
            let edited = edited.old_start..edited.old_start + edited.old_lines;
            let mut foreign = self.hunks.iter().map(Self::now);
            foreign.any(|foreign| is_touched(&edited, &foreign))
        })
    }

    fn now(hunk: &Hunk) -> Range<usize> {
        hunk.new_start..hunk.new_start + hunk.new_lines
    }

    /// Returns the error for a call that would overwrite the change.
    pub(super) fn conflict(&self, text: &str) -> ToolError {
        let mut places = self.places();
        if !places.is_empty() {
            places = format!(" ({places})");
        }
        let sentence =
            format!("was changed by others since you read it{places}, so nothing was written");
        let shown = self.shown(text);
        ToolError::about(ErrorCode::Conflict, "path", sentence).suggest(format!(
            "Read the file again, and include the change{shown}"
        ))
    }

    /// Names the changed lines.
    pub(super) fn places(&self) -> String {
        let names = self.hunks.iter().map(|hunk| match hunk.new_lines {
            0 => format!("removed before line {}", hunk.new_start),
            1 => format!("line {}", hunk.new_start),
            lines => format!("lines {}-{}", hunk.new_start, hunk.new_start + lines - 1),
        });
        let mut names: Vec<String> = names.take(MAX_RANGES).collect();
        if self.hunks.len() > MAX_RANGES {
            names.push(format!("{} more places", self.hunks.len() - MAX_RANGES));
        }
        names.join(", ")
    }

    /// Returns the changed lines with their numbers.
    fn shown(&self, text: &str) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let changed = self.hunks.iter().flat_map(Self::now);
        let mut shown = String::new();
        let mut count = 0;
        for number in changed {
            let Some(line) = lines.get(number - 1) else {
                continue;
            };
            count += 1;
            if count <= MAX_LINES {
                let _ = write!(shown, "\n{number}: {}", first_chars(line, MAX_CHARS));
            }
        }
        if count > MAX_LINES {
            let _ = write!(shown, "\n[… {} more changed lines]", count - MAX_LINES);
        }
        if shown.is_empty() {
            return ".".to_owned();
        }
        format!(":{shown}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(seen: &str, now: &str) -> Option<ForeignChange> {
        let files = SeenFiles::default();
        files.remember("a", seen.as_bytes());
        ForeignChange::of(&files, "a", now.as_bytes(), now)
    }

    fn lines(start: usize, count: usize) -> Hunk {
        Hunk {
            old_start: start,
            old_lines: count,
            new_start: start,
            new_lines: count,
        }
    }

    #[test]
    fn unchanged_and_unknown_files_have_none() {
        assert_eq!(change("a\n", "a\n"), None);
        assert_eq!(
            ForeignChange::of(&SeenFiles::default(), "a", b"x", "x"),
            None
        );
    }

    #[test]
    fn lines_are_translated_unless_they_changed() {
        let change = change("1\n2\n3\n4\n5\n", "1\nnew\nnewer\n2\n4\nfive\n").unwrap();

        let now: Vec<Option<usize>> = (1..=6).map(|line| change.line_now(line)).collect();

        assert_eq!(now, [Some(1), Some(4), None, Some(5), None, Some(7)]);
    }

    #[test]
    fn edits_touch_changed_lines_only() {
        let change = change("1\n2\n3\n4\n", "1\ntwo\n3\n").unwrap();

        for (edited, is_touched) in [
            (lines(1, 1), false),
            (lines(2, 1), true),
            (lines(1, 3), true),
            (lines(3, 1), false),
            (lines(2, 0), false),
            (lines(3, 0), false),
        ] {
            assert_eq!(
                change.touches(std::slice::from_ref(&edited)),
                is_touched,
                "{edited:?}"
            );
        }
    }

    #[test]
    fn conflict_shows_the_new_lines() {
        let error = change("1\n2\n3\n", "1\ntwo\n3\n")
            .unwrap()
            .conflict("1\ntwo\n3\n");

        assert_eq!(
            error.to_string(),
            "`path` was changed by others since you read it (line 2), so nothing was written. Read the file again, and include the change:\n2: two"
        );
    }

    #[test]
    fn every_line_counts_as_changed_if_the_seen_text_is_forgotten() {
        let files = SeenFiles::default();
        let huge = "x\n".repeat(9_000_000);
        files.remember("a", huge.as_bytes());

        let change = ForeignChange::of(&files, "a", b"1\n2\n", "1\n2\n").unwrap();

        assert_eq!(change.seen, None);
        assert!(change.touches(&[lines(2, 1)]));
        assert_eq!(change.line_now(2), None);
    }
}
