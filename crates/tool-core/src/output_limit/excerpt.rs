//! Excerpts: head and tail of an output, and the record of what was cut.

use std::borrow::Cow;

use super::OutputLimit;
use crate::{ContentBlock, text};

/// Head and tail of an output, and the size of the omitted part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Excerpt<'t> {
    pub(crate) head: &'t str,
    pub(crate) tail: &'t str,
    pub(crate) omitted: OmittedSize,
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

    fn plus(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            lines: self.lines + other.lines,
        }
    }
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
    #[must_use]
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
        let between = rest.get(..rest.len() - tail.len()).unwrap_or_default();
        Self {
            head,
            tail,
            omitted: OmittedSize::of(between),
        }
    }

    /// Shortens both ends.
    pub(crate) fn shortened(self, limit: OutputLimit, capacity: usize) -> Self {
        let head = limit.head(self.head, capacity / 2);
        let tail = limit.tail(self.tail, capacity / 2);
        let after_head = self.head.get(head.len()..).unwrap_or_default();
        let before_tail = self.tail.get(..self.tail.len() - tail.len());
        let more =
            OmittedSize::of(after_head).plus(OmittedSize::of(before_tail.unwrap_or_default()));
        Self {
            head,
            tail,
            omitted: self.omitted.plus(more),
        }
    }

    pub(crate) fn size(self, limit: OutputLimit) -> usize {
        limit.size(self.head) + limit.size(self.tail)
    }

    /// Returns the bytes of the full text.
    pub(crate) fn full_bytes(self) -> usize {
        self.head.len() + self.omitted.bytes + self.tail.len()
    }

    /// Returns the text with a marker for the omitted part, which ends with `kept`.
    pub(crate) fn render(self, kept: &str) -> String {
        let Self {
            head,
            tail,
            omitted,
        } = self;
        let line_end = if head.is_empty() || head.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        let marker = marker(omitted.bytes, omitted.lines, self.full_bytes());
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
#[must_use]
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

/// Cuts in a result. They are not part of its value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Truncations(Option<Box<Stored>>);

#[derive(Debug, Clone)]
pub(crate) struct Stored {
    /// Location of the full text, for the markers.
    pub(crate) stored: StoredText,
    pub(crate) truncations: Vec<TruncatedBlock>,
}

/// Location of the full text of a result.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoredText {
    pub(crate) handle: Option<String>,
    /// Whether the model has the tool that reads the rest.
    pub(crate) readable: bool,
}

/// Cut in one block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TruncatedBlock {
    pub(crate) block: usize,
    pub(crate) head: usize,
    pub(crate) tail: usize,
    pub(crate) omitted: OmittedSize,
}

impl Truncations {
    pub(crate) fn new(new: Stored) -> Self {
        // There is nothing to remember about an output that is complete.
        Self((!new.truncations.is_empty()).then(|| Box::new(new)))
    }

    pub(crate) fn stored(&self) -> StoredText {
        self.0
            .as_ref()
            .map(|new| new.stored.clone())
            .unwrap_or_default()
    }

    pub(crate) fn of_block(&self, block: usize) -> Option<TruncatedBlock> {
        let truncations = &self.0.as_ref()?.truncations;
        truncations
            .iter()
            .find(|truncated| truncated.block == block)
            .copied()
    }

    /// Returns the bytes of text before the cuts.
    pub(crate) fn full_bytes(&self, content: &[ContentBlock]) -> u64 {
        let whole = |(place, block): (usize, &ContentBlock)| match self.of_block(place) {
            Some(truncated) => truncated.head + truncated.omitted.bytes + truncated.tail,
            None => block.as_text().map_or(0, str::len),
        };
        content
            .iter()
            .enumerate()
            .map(|block| whole(block) as u64)
            .sum()
    }
}

/// Results with different cuts are equal.
impl PartialEq for Truncations {
    // Results are equal if a host sees the same; this record is not part of their JSON.
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl TruncatedBlock {
    pub(crate) fn new(block: usize, excerpt: &Excerpt<'_>) -> Self {
        Self {
            block,
            head: excerpt.head.len(),
            tail: excerpt.tail.len(),
            omitted: excerpt.omitted,
        }
    }

    /// Returns the excerpt in the text of a block.
    pub(crate) fn excerpt<'t>(&self, shown: &'t str) -> Excerpt<'t> {
        let tail = shown.len().checked_sub(self.tail);
        Excerpt {
            head: shown.get(..self.head).unwrap_or_default(),
            tail: tail.and_then(|from| shown.get(from..)).unwrap_or_default(),
            omitted: self.omitted,
        }
    }
}

impl StoredText {
    /// Returns the end of a marker, for a model that may continue at byte `next`.
    pub(crate) fn note(&self, next: usize) -> String {
        match &self.handle {
            None => String::new(),
            Some(handle) if self.readable => format!(
                "; continue with read_stored_output {{\"handle\":\"{handle}\",\"offset\":{next}}}"
            ),
            Some(handle) => format!("; the full output is stored as {handle}"),
        }
    }
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

    #[test]
    fn cutting_lines_is_idempotent() {
        let text = "line\n".repeat(1000);
        let limit = OutputLimit::bytes(0);

        let twice = Excerpt::of(&text, limit, 1000).shortened(limit, 100);

        assert_eq!(twice, Excerpt::of(&text, limit, 100));
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
            less in 0_usize..1200,
        ) {
            let once = Excerpt::of(&text, limit, limit.capacity());
            for (excerpt, capacity) in [(once, limit.capacity()), (once.shortened(limit, less), less)] {
                prop_assert!(excerpt.size(limit) <= capacity);
                prop_assert!(text.starts_with(excerpt.head) && text.ends_with(excerpt.tail));
                prop_assert_eq!(excerpt.full_bytes(), text.len());
                let shown = excerpt.render("");
                prop_assert!(shown.starts_with(excerpt.head) && shown.ends_with(excerpt.tail));
                prop_assert!(shown.len() <= excerpt.head.len() + excerpt.tail.len() + 100);
            }
        }
    }
}
