//! Excerpts: head and tail of an output, and the record of what was truncated.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::error_lines::{ErrorLines, KeptLines, within};
use super::{OutputLimit, head, tail};
use crate::text;

/// Head and tail of an output, and the lines in between that report errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt<'t> {
    pub(crate) head: &'t str,
    pub(crate) tail: &'t str,
    /// What is between head and tail, including the kept lines.
    pub(crate) omitted: OmittedSize,
    pub(crate) kept: Vec<KeptLines>,
}

/// Size of an omitted part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OmittedSize {
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
}

impl OmittedSize {
    fn of(text: &str) -> Self {
        Self {
            bytes: text.len(),
            lines: text.lines().count(),
        }
    }
}

impl OutputLimit {
    /// Returns `text`, or its head and tail with the marker between them if it exceeds the limit.
    ///
    /// Lines in between that report errors are kept, with three lines after each.
    ///
    /// # Examples
    /// ```
    /// use tool_core::OutputLimit;
    ///
    /// let limit = OutputLimit::bytes(8);
    /// assert_eq!(limit.excerpt("one\ntwo\n"), "one\ntwo\n");
    /// assert_eq!(
    ///     limit.excerpt("one\ntwo\nsix\nten"),
    ///     "one\n[… 8 bytes in lines 2-3 omitted of 15 bytes in total]\nten"
    /// );
    /// ```
    pub fn excerpt(self, text: &str) -> Cow<'_, str> {
        if self.fits([text]) {
            return Cow::Borrowed(text);
        }
        Cow::Owned(Excerpt::of(text, self.capacity()).render(""))
    }
}

impl<'t> Excerpt<'t> {
    /// Returns the parts of `text` that fit into `capacity`.
    pub(crate) fn of(text: &'t str, capacity: usize) -> Self {
        let cut = |capacity| {
            let head = head(text, capacity / 2);
            let rest = text.get(head.len()..).unwrap_or_default();
            let tail = tail(rest, capacity / 2);
            let between = rest.get(..rest.len() - tail.len()).unwrap_or_default();
            let excerpt = Self {
                head,
                tail,
                omitted: OmittedSize::of(between),
                kept: Vec::new(),
            };
            (errors_in(head, between), excerpt)
        };
        with_errors(capacity, cut)
    }

    /// Returns the bytes of the full text.
    pub(crate) fn full_bytes(&self) -> usize {
        self.head.len() + self.omitted.bytes + self.tail.len()
    }

    /// Returns the bytes that are not shown.
    pub(crate) fn hidden_bytes(&self) -> usize {
        let kept: usize = self.kept.iter().map(|lines| lines.text.len()).sum();
        self.omitted.bytes.saturating_sub(kept)
    }

    /// Returns the text with a marker at each cut. The first one has the sizes, and ends with `note`.
    pub(crate) fn render(&self, note: &str) -> String {
        let mut shown = self.head.to_owned();
        if !shown.is_empty() && !shown.ends_with('\n') {
            shown.push('\n');
        }
        let mut next = 1 + self.head.matches('\n').count();
        let end = next + self.omitted.lines;
        let mut sizes = Some((self.hidden_bytes(), self.full_bytes()));
        for lines in &self.kept {
            if lines.first > next {
                let place = line_numbers(next, lines.first - 1);
                push_marker(&mut shown, &place, sizes.take(), note);
            }
            shown.push_str(&lines.text);
            next = lines.first + lines.count;
        }
        if next < end || sizes.is_some() {
            let place = line_numbers(next, end.max(next + 1) - 1);
            push_marker(&mut shown, &place, sizes.take(), note);
        }
        shown.push_str(self.tail);
        shown
    }
}

/// Cuts to `capacity`, with a part of it for the errors in between if there are any.
fn with_errors<'t>(
    capacity: usize,
    cut: impl Fn(usize) -> (Vec<KeptLines>, Excerpt<'t>),
) -> Excerpt<'t> {
    let (errors, excerpt) = cut(capacity);
    if errors.is_empty() {
        return excerpt;
    }
    let for_errors = capacity / ERRORS_PART;
    // Again, because shorter ends leave more in between.
    let (errors, excerpt) = cut(capacity - for_errors);
    let kept = within(errors, for_errors);
    Excerpt { kept, ..excerpt }
}

/// Part of a limit for lines that report errors, as a divisor.
pub(super) const ERRORS_PART: usize = 4;

/// Returns the lines that report errors in the whole lines of `between`, which follows `head`.
fn errors_in(head: &str, between: &str) -> Vec<KeptLines> {
    let newlines = head.matches('\n').count();
    if head.is_empty() || head.ends_with('\n') {
        return ErrorLines::of(between, newlines + 1).into_kept();
    }
    let whole = between.split_once('\n').map_or("", |(_, whole)| whole);
    ErrorLines::of(whole, newlines + 2).into_kept()
}

fn line_numbers(first: usize, last: usize) -> String {
    let [first, last] = [first, last].map(text::with_commas);
    if first == last {
        format!("line {first}")
    } else {
        format!("lines {first}-{last}")
    }
}

/// Adds the marker instead of omitted lines, with the hidden and all bytes if they are given.
fn push_marker(shown: &mut String, place: &str, sizes: Option<(usize, usize)>, note: &str) {
    // Writing to a string cannot fail.
    let _ = match sizes {
        Some(sizes) => {
            let (hidden, all) = (text::with_commas(sizes.0), text::with_commas(sizes.1));
            writeln!(
                shown,
                "[… {hidden} bytes in {place} omitted of {all} bytes in total{note}]"
            )
        }
        None => writeln!(shown, "[… {place} omitted]"),
    };
}

/// Returns the marker instead of an omitted part, such as `[… 768 bytes in 96 lines omitted of 800 bytes in total]`.
///
/// For tools that keep only a part of what they read, and don't know the numbers of the omitted lines.
///
/// # Examples
/// ```
/// use tool_core::omission;
///
/// assert_eq!(omission(1500, 1, 2000), "[… 1,500 bytes in 1 line omitted of 2,000 bytes in total]");
/// ```
pub fn omission(bytes: usize, lines: usize, total_bytes: usize) -> String {
    format!(
        "[… {} bytes in {} {} omitted of {} bytes in total]",
        text::with_commas(bytes),
        text::with_commas(lines),
        if lines == 1 { "line" } else { "lines" },
        text::with_commas(total_bytes),
    )
}

/// Returns the end of a marker, for a model that may continue at byte `next` of the stored text.
pub(crate) fn stored_note(handle: Option<&str>, can_continue: bool, next: usize) -> String {
    match handle {
        None => String::new(),
        Some(handle) if can_continue => format!(
            "; continue with read_stored_output {{\"handle\":\"{handle}\",\"offset\":{next}}}"
        ),
        Some(handle) => format!("; the full output is stored as {handle}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn size(excerpt: &Excerpt<'_>) -> usize {
        let kept = excerpt.kept.iter().map(|lines| lines.text.len());
        excerpt.head.len() + kept.sum::<usize>() + excerpt.tail.len()
    }

    #[test]
    fn keeps_head_and_tail_at_line_boundaries() {
        let lines: Vec<String> = (0..100).map(|n| format!("line {n:02}")).collect();
        let text = lines.join("\n") + "\n";

        let excerpt = Excerpt::of(&text, 40);

        assert_eq!(
            excerpt.render(""),
            "line 00\nline 01\n[… 768 bytes in lines 3-98 omitted of 800 bytes in total]\nline 98\nline 99\n"
        );
    }

    #[test]
    fn keeps_errors_between_head_and_tail() {
        let line = |number: usize| match number {
            50_000 => "error[E0308]: mismatched types".to_owned(),
            _ => format!("   Compiling crate {number} v1.0.0"),
        };
        let lines: Vec<String> = (1..=100_000).map(line).collect();
        let text = lines.join("\n") + "\n";

        let excerpt = Excerpt::of(&text, 1000);

        let hidden = excerpt.hidden_bytes();
        let shown = excerpt.render("; stored");
        assert!(size(&excerpt) <= 1000);
        let expected = [
            "   Compiling crate 13 v1.0.0",
            &format!(
                "[… {} bytes in lines 14-49,999 omitted of {} bytes in total; stored]",
                text::with_commas(hidden),
                text::with_commas(text.len())
            ),
            "error[E0308]: mismatched types",
            "   Compiling crate 50001 v1.0.0",
            "   Compiling crate 50002 v1.0.0",
            "   Compiling crate 50003 v1.0.0",
            "[… lines 50,004-99,989 omitted]",
            "   Compiling crate 99990 v1.0.0",
        ];
        assert!(shown.contains(&expected.join("\n")), "{shown}");
    }

    proptest! {
        #[test]
        fn excerpt_is_prefix_and_suffix_within_limit(
            text in "(\\PC|\n|[äöü日🦀]){0,300}",
            limit in 0_usize..100,
        ) {
            let excerpt = Excerpt::of(&text, limit);
            prop_assert!(size(&excerpt) <= limit);
            prop_assert!(text.starts_with(excerpt.head) && text.ends_with(excerpt.tail));
            prop_assert_eq!(excerpt.full_bytes(), text.len());
            let shown = excerpt.render("");
            prop_assert!(shown.starts_with(excerpt.head) && shown.ends_with(excerpt.tail));
            prop_assert!(shown.len() <= excerpt.head.len() + excerpt.tail.len() + 100);
        }
    }
}
