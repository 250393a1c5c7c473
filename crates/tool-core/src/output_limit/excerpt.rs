//! Excerpts: head and tail of an output.

use super::limit::OutputLimit;
use crate::text;

/// Head and tail of an output, and the size of the omitted part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Excerpt<'t> {
    pub(crate) head: &'t str,
    pub(crate) tail: &'t str,
    pub(crate) missing: Missing,
}

/// Size of an omitted part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
}

impl Missing {
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

impl<'t> Excerpt<'t> {
    /// Returns the two ends of `whole` that fit into `room`.
    pub(crate) fn of(whole: &'t str, limit: OutputLimit, room: usize) -> Self {
        let head = limit.head(whole, room / 2);
        let rest = whole.get(head.len()..).unwrap_or_default();
        let tail = limit.tail(rest, room / 2);
        let between = rest.get(..rest.len() - tail.len()).unwrap_or_default();
        Self {
            head,
            tail,
            missing: Missing::of(between),
        }
    }

    /// Shortens both ends.
    pub(crate) fn shortened(self, limit: OutputLimit, room: usize) -> Self {
        let head = limit.head(self.head, room / 2);
        let tail = limit.tail(self.tail, room / 2);
        let after_head = self.head.get(head.len()..).unwrap_or_default();
        let before_tail = self.tail.get(..self.tail.len() - tail.len());
        let more = Missing::of(after_head).plus(Missing::of(before_tail.unwrap_or_default()));
        Self {
            head,
            tail,
            missing: self.missing.plus(more),
        }
    }

    pub(crate) fn size(self, limit: OutputLimit) -> usize {
        limit.size(self.head) + limit.size(self.tail)
    }

    /// Returns the bytes of the full text.
    pub(crate) fn whole_bytes(self) -> usize {
        self.head.len() + self.missing.bytes + self.tail.len()
    }

    /// Returns the text with a marker for the omitted part, which ends with `kept`.
    pub(crate) fn render(self, kept: &str) -> String {
        let Self {
            head,
            tail,
            missing,
        } = self;
        let line_end = if head.is_empty() || head.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        format!(
            "{head}{line_end}[… {} bytes in {} {} omitted of {} bytes in total{kept}]\n{tail}",
            text::with_commas(missing.bytes),
            text::with_commas(missing.lines),
            if missing.lines == 1 { "line" } else { "lines" },
            text::with_commas(self.whole_bytes()),
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keeps_head_and_tail_at_line_boundaries() {
        let lines: Vec<String> = (0..100).map(|n| format!("line {n:02}")).collect();
        let whole = lines.join("\n") + "\n";

        let excerpt = Excerpt::of(&whole, OutputLimit::bytes(40), 40);

        assert_eq!(
            excerpt.render(""),
            "line 00\nline 01\n[… 768 bytes in 96 lines omitted of 800 bytes in total]\nline 98\nline 99\n"
        );
    }

    #[test]
    fn cutting_lines_is_idempotent() {
        let whole = "line\n".repeat(1000);
        let limit = OutputLimit::bytes(0);

        let twice = Excerpt::of(&whole, limit, 1000).shortened(limit, 100);

        assert_eq!(twice, Excerpt::of(&whole, limit, 100));
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
            whole in "(\\PC|\n|[äöü日🦀]){0,300}",
            limit in limits(),
            less in 0_usize..1200,
        ) {
            let once = Excerpt::of(&whole, limit, limit.room());
            for (excerpt, room) in [(once, limit.room()), (once.shortened(limit, less), less)] {
                prop_assert!(excerpt.size(limit) <= room);
                prop_assert!(whole.starts_with(excerpt.head) && whole.ends_with(excerpt.tail));
                prop_assert_eq!(excerpt.whole_bytes(), whole.len());
                let shown = excerpt.render("");
                prop_assert!(shown.starts_with(excerpt.head) && shown.ends_with(excerpt.tail));
                prop_assert!(shown.len() <= excerpt.head.len() + excerpt.tail.len() + 100);
            }
        }
    }
}
