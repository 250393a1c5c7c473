//! Why an edit was not made, for the model that repeats it.

use std::fmt::Write as _;
use std::ops::{Range, RangeInclusive};

use super::numbering::Numbering;
use super::place::tolerant;
use super::{Edit, line_of};
use crate::files::nearest::nearest_line;
use crate::newlines::first_chars;

/// Maximum number of places to list.
const MAX_PLACES: usize = 8;
/// Maximum number of lines to show.
const MAX_LINES: usize = 20;
/// Maximum number of characters of a line to show.
const MAX_CHARS: usize = 120;
/// Maximum number of lines between a place and the line that distinguishes it.
const MAX_DISTANCE: usize = 20;

/// Why an edit was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Index of the edit; `None` if it is about all of them.
    pub(crate) edit: Option<usize>,
    pub(crate) kind: RefusalKind,
    /// Predicate, and what to do next.
    pub(crate) text: String,
}

/// Kind of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusalKind {
    Ambiguous,
    Applied,
    Invalid,
    Missing,
    TooLarge,
}

impl Refusal {
    fn new(edit: usize, kind: RefusalKind, text: impl Into<String>) -> Self {
        Self {
            edit: Some(edit),
            kind,
            text: text.into(),
        }
    }

    pub(super) fn too_many(most: usize) -> Self {
        Self {
            edit: None,
            kind: RefusalKind::Invalid,
            text: format!(
                "More than {most} edits are too many for a file of this size. Make fewer in one call."
            ),
        }
    }

    pub(super) fn too_large(edit: usize, limit: usize) -> Self {
        let text = format!(
            "The file would have more than {limit} bytes. Insert less text, or write it to another file."
        );
        Self::new(edit, RefusalKind::TooLarge, text)
    }

    pub(super) fn without_effect(are_hunks: bool) -> Self {
        let edits = if are_hunks { "hunks" } else { "edits" };
        Self {
            edit: None,
            kind: RefusalKind::Invalid,
            text: format!(
                "Together, the {edits} change nothing. Omit those that cancel each other."
            ),
        }
    }

    pub(super) fn empty(edit: usize) -> Self {
        let text = "`old` is empty. To insert text, set `old` to the line beside it and repeat that line in `new`; \
                    to replace the whole file, use `write`.";
        Self::new(edit, RefusalKind::Invalid, text)
    }

    pub(super) fn same(edit: usize, is_hunk: bool) -> Self {
        let text = if is_hunk {
            "It changes nothing. Begin removed lines with `-` and new ones with `+`."
        } else {
            "`new` equals `old`. Set `new` to the changed text."
        };
        Self::new(edit, RefusalKind::Invalid, text)
    }

    pub(super) fn changed(edit: usize, earlier: usize, is_hunk: bool) -> Self {
        let text = if is_hunk {
            "An earlier hunk changed that text. Hunks apply in their order: quote the text as it is then, or join both hunks.".to_owned()
        } else {
            let or_before = if earlier > 0 { " or one before it" } else { "" };
            format!(
                "edits[{earlier}]{or_before} changed that text. Edits apply in their order: quote the text as it is then, or join both edits."
            )
        };
        Self::new(edit, RefusalKind::Missing, text)
    }

    pub(super) fn applied(edit: usize, line: usize, is_hunk: bool) -> Self {
        let text = if is_hunk {
            format!("This hunk is already made at line {line}. Omit it.")
        } else {
            format!(
                "This edit is already made: `new` is at line {line}, and `old` does not occur. Omit this edit."
            )
        };
        Self::new(edit, RefusalKind::Applied, text)
    }

    pub(super) fn ambiguous(
        edit: usize,
        text: &str,
        places: &[RangeInclusive<usize>],
        wanted: &Edit<'_>,
        numbering: &Numbering,
    ) -> Self {
        let (count, old) = (places.len(), subject(wanted));
        let mut shown = match wanted.near_line {
            Some(line) => {
                format!("{old} fits {count} places, and line {line} is in none or several of them:")
            }
            None => format!("{old} fits {count} places:"),
        };
        let lines: Vec<&str> = text.lines().collect();
        let mut push = |before: &str, line: usize| {
            let text = line.checked_sub(1).and_then(|index| lines.get(index));
            let text = first_chars(text.copied().unwrap_or_default(), MAX_CHARS);
            let _ = write!(shown, "{before}{}: {text}", numbering.original(line));
        };
        let mut after = 0;
        for (index, place) in places.iter().take(MAX_PLACES).enumerate() {
            push("\n", *place.start());
            let next = places
                .get(index + 1)
                .map_or(usize::MAX, |next| *next.start());
            if let Some(neighbor) = unique_neighbor(&lines, place, after..next) {
                push("\n    only here: line ", neighbor);
            }
            after = *place.end() + 1;
        }
        if count > MAX_PLACES {
            let _ = write!(shown, "\n[… {} more]", count - MAX_PLACES);
        }
        shown.push_str(if wanted.is_hunk() {
            "\nQuote more lines around it, or put an `@@` line before it."
        } else {
            "\nAdd a line that only one place has to `old` and `new`, pass `near_line`, or `all: true`."
        });
        Self::new(edit, RefusalKind::Ambiguous, shown)
    }

    pub(super) fn missing(
        edit: usize,
        text: &str,
        wanted: &Edit<'_>,
        numbering: &Numbering,
    ) -> Self {
        if wanted.all && !tolerant(text, wanted.old, false).is_empty() {
            let shown = "`old` occurs only with other blanks, quotes or line endings, and `all` replaces exact text only. \
                         Copy the text exactly, or make one edit for each place.";
            return Self::new(edit, RefusalKind::Missing, shown);
        }
        if let Some(sentence) = escaped(text, wanted, numbering) {
            return Self::new(edit, RefusalKind::Missing, sentence);
        }
        let shown = nearest(text, wanted, numbering).unwrap_or_else(|| {
            let old = subject(wanted);
            format!("{old} does not occur in the file, and nothing like it. Read the file and copy the text.")
        });
        Self::new(edit, RefusalKind::Missing, shown)
    }

    pub(super) fn outside_context(edit: usize, line: usize, context: usize) -> Self {
        let text = format!(
            "The quoted text is at line {line}, but not after the `@@` line (line {context}). Correct the `@@` line, or omit it."
        );
        Self::new(edit, RefusalKind::Missing, text)
    }

    pub(super) fn without_context(edit: usize) -> Self {
        let text = "It only adds lines and does not say where. Repeat the line before them with a space in front, or put it after `@@`.";
        Self::new(edit, RefusalKind::Invalid, text)
    }

    /// Rejects a context line that occurs never, or at these lines.
    pub(super) fn context(edit: usize, context: &str, lines: &[usize]) -> Self {
        let context = first_chars(context.trim(), MAX_CHARS);
        if lines.is_empty() {
            let text = format!(
                "The `@@` line `{context}` is no line of the file. Copy a line of the file, or omit it."
            );
            return Self::new(edit, RefusalKind::Missing, text);
        }
        let count = lines.len();
        let mut shown: Vec<String> = lines
            .iter()
            .take(MAX_PLACES)
            .map(usize::to_string)
            .collect();
        if count > MAX_PLACES {
            shown.push("…".to_owned());
        }
        let text = format!(
            "The `@@` line `{context}` occurs {count} times (lines {}). Put another `@@` line before it, such as that of its class, or omit it and quote more lines.",
            shown.join(", ")
        );
        Self::new(edit, RefusalKind::Ambiguous, text)
    }
}

/// Names the text to replace.
fn subject(wanted: &Edit<'_>) -> &'static str {
    if wanted.is_hunk() {
        "The quoted text"
    } else {
        "`old`"
    }
}

/// Recognizes text that was escaped for HTML or JSON.
fn escaped(text: &str, wanted: &Edit<'_>, numbering: &Numbering) -> Option<String> {
    let old = wanted.old;
    let html = old
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
    let json = old
        .replace("\\n", "\n")
        .replace("\\t", "\t")
        .replace("\\\"", "\"")
        .replace("\\\\", "\\");
    let (plain, kind) = [(html, "HTML entities"), (json, "backslash escapes")]
        .into_iter()
        .find(|(plain, _)| plain != old && text.contains(plain.as_str()))?;
    let line = numbering.original(line_of(text, text.find(&plain)?));
    let old = subject(wanted);
    Some(format!(
        "{old} does not occur, but it does at line {line} without {kind}. Send the text unescaped."
    ))
}

/// Returns the line nearest to a place that no other place of the file has. It is in `between`, because together with a line
/// beyond another place, the text would still fit that one.
fn unique_neighbor(
    lines: &[&str],
    place: &RangeInclusive<usize>,
    between: Range<usize>,
) -> Option<usize> {
    let (first, last) = (*place.start(), *place.end());
    let from = first.saturating_sub(MAX_DISTANCE).max(1).max(between.start);
    let to = last.saturating_add(MAX_DISTANCE).min(lines.len());
    let to = to.min(between.end - 1);
    let near = (from..first).chain(last + 1..=to);
    let distance = |line: usize| {
        if line < first {
            first - line
        } else {
            line - last
        }
    };
    let is_unique = |line: &usize| {
        let Some(text) = line.checked_sub(1).and_then(|index| lines.get(index)) else {
            return false;
        };
        !text.trim().is_empty() && lines.iter().filter(|other| *other == text).count() == 1
    };
    near.filter(is_unique)
        .min_by_key(|line| (distance(*line), *line))
}

/// Shows the lines most similar to the wanted ones, with what differs.
fn nearest(text: &str, edit: &Edit<'_>, numbering: &Numbering) -> Option<String> {
    let at = nearest_line(text, edit.old)?;
    let number = |index: usize| numbering.original(index + 1);
    let wanted = edit.old.trim_matches('\n').split('\n');
    let mut shown = format!(
        "{} does not occur. The most similar text is at line {}:",
        subject(edit),
        number(at)
    );
    let source = if edit.is_hunk() { "patch" } else { "`old`" };
    // Not `lines`: a carriage return may be what differs.
    let lines = text.split('\n').enumerate().skip(at);
    for ((index, line), wanted) in lines.zip(wanted).take(MAX_LINES / 2) {
        let number = number(index);
        if line == wanted {
            let _ = write!(shown, "\n{number}: {}", first_chars(line, MAX_CHARS));
        } else {
            let _ = write!(
                shown,
                "\n{number}: {}\n    {source}: {}",
                marked(line),
                marked(wanted)
            );
        }
    }
    shown.push_str(
        "\nCopy the text of the file (→ is a tab, · a blank at an end, ␍ a carriage return).",
    );
    Some(shown)
}

/// Makes whitespace visible that a model can't see.
fn marked(line: &str) -> String {
    let body = line.trim_end_matches([' ', '\t', '\r']);
    let mut shown = String::new();
    for letter in first_chars(body, MAX_CHARS).chars() {
        match letter {
            '\t' => shown.push('→'),
            ' '..='~' => shown.push(letter),
            letter if letter.is_alphanumeric() => shown.push(letter),
            letter => {
                let _ = write!(shown, "[U+{:04X}]", u32::from(letter));
            }
        }
    }
    for letter in line
        .get(body.len()..)
        .unwrap_or_default()
        .chars()
        .take(MAX_LINES)
    {
        shown.push(match letter {
            ' ' => '·',
            '\r' => '␍',
            _ => '→',
        });
    }
    shown
}
