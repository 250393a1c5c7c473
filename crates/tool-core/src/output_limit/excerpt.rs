//! Excerpts: head and tail of an output, and the record of what was cut.

use std::borrow::Cow;

use super::OutputLimit;
use crate::text;

/// Head and tail of an output, and the size of the omitted part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Excerpt<'t> {
    pub(crate) head: &'t str,
    pub(crate) omitted: &'t str,
    pub(crate) tail: &'t str,
}

impl OutputLimit {
    /// Returns `text`, or its head and tail with the marker between them if it exceeds the limit.
    ///
    /// # Examples
    /// ```
    /// use tool_core::OutputLimit;
    ///
    /// let limit = OutputLimit::bytes(8);
    /// assert_eq!(limit.excerpt("one\ntwo\n"), "one\ntwo\n");
    /// assert_eq!(
    ///     limit.excerpt("one\ntwo\nsix\nten"),
    ///     "one\n[… 8 bytes in 2 lines omitted of 15 bytes in total]\nten"
    /// );
    /// ```
    pub fn excerpt(self, text: &str) -> Cow<'_, str> {
        if self.fits([text]) {
            return Cow::Borrowed(text);
        }
        Cow::Owned(Excerpt::of(text, self, self.capacity()).render(""))
    }
}

impl<'t> Excerpt<'t> {
    /// Returns the two ends of `text` that fit into `capacity`.
    pub(crate) fn of(text: &'t str, limit: OutputLimit, capacity: usize) -> Self {
        let head = limit.head(text, capacity / 2);
        let rest = text.get(head.len()..).unwrap_or_default();
        let tail = limit.tail(rest, capacity / 2);
        Self {
            head,
            omitted: rest.get(..rest.len() - tail.len()).unwrap_or_default(),
            tail,
        }
    }

    /// Returns the text with a marker for the omitted part, which ends with `kept`.
    pub(crate) fn render(self, kept: &str) -> String {
        let Self {
            head,
            omitted,
            tail,
        } = self;
        let line_end = if head.is_empty() || head.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        let total = head.len() + omitted.len() + tail.len();
        let marker = marker(omitted.len(), omitted.lines().count(), total);
        format!("{head}{line_end}[… {marker}{kept}]\n{tail}")
    }
}

/// Returns the marker in place of an omitted part, such as `[… 768 bytes in 96 lines omitted of 800 bytes in total]`.
///
/// Tools that keep only a part of what they read use it, so that a model learns one form.
///
/// # Examples
/// ```
/// use tool_core::omission;
///
/// assert_eq!(omission(1500, 1, 2000), "[… 1,500 bytes in 1 line omitted of 2,000 bytes in total]");
/// ```
pub fn omission(bytes: usize, lines: usize, total_bytes: usize) -> String {
    format!("[… {}]", marker(bytes, lines, total_bytes))
}

fn marker(bytes: usize, lines: usize, total_bytes: usize) -> String {
    format!(
        "{} bytes in {} {} omitted of {} bytes in total",
        text::with_commas(bytes),
        text::with_commas(lines),
        if lines == 1 { "line" } else { "lines" },
        text::with_commas(total_bytes),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keeps_head_and_tail_at_line_boundaries() {
        let lines: Vec<String> = (0..100).map(|n| format!("line {n:02}")).collect();
        let text = lines.join("\n") + "\n";

        let excerpt = Excerpt::of(&text, OutputLimit::bytes(40), 40);

        assert_eq!(
            excerpt.render(""),
            "line 00\nline 01\n[… 768 bytes in 96 lines omitted of 800 bytes in total]\nline 98\nline 99\n"
        );
    }

    fn limits() -> impl Strategy<Value = OutputLimit> {
        prop_oneof![
            (0_usize..100).prop_map(OutputLimit::bytes),
            (0_usize..40).prop_map(OutputLimit::tokens),
        ]
    }

    proptest! {
        #[test]
        fn excerpt_is_prefix_and_suffix_within_limit(
            text in "(\\PC|\n|[äöü日🦀]){0,300}",
            limit in limits(),
        ) {
            let excerpt = Excerpt::of(&text, limit, limit.capacity());
            let Excerpt { head, omitted, tail } = excerpt;
            prop_assert!(limit.size(head) + limit.size(tail) <= limit.capacity());
            prop_assert_eq!([head, omitted, tail].concat(), text.as_str());
            let shown = excerpt.render("");
            prop_assert!(shown.starts_with(head) && shown.ends_with(tail));
            prop_assert!(shown.len() <= head.len() + tail.len() + 100);
        }
    }
}
