//! Long outputs that arrive in parts.

use super::error_lines::{ErrorLines, KeptLines, within};
use super::excerpt::{ERRORS_PART, Excerpt, OmittedSize, stored_note};
use super::tail;

/// Maximum bytes of an omitted line that are inspected.
const MAX_LINE_BYTES: usize = 4000;

/// Beginning, end and error lines of a long text that arrives in parts, such as the output of a program.
///
/// Keeps half of the limit from the beginning and half from the end, at whole lines if that loses little. Of the lines
/// in between, the first five and the last five that report errors are kept with three lines after each, up to a
/// quarter of the limit. Memory is bounded by twice the limit.
///
/// # Examples
/// ```
/// use tool_core::LongOutput;
///
/// let mut output = LongOutput::new(20);
/// for line in ["one\n", "two\n", "three\n", "four\n", "error: five\n", "six\n", "seven\n", "eight\n", "nine\n"] {
///     output.push(line);
/// }
/// assert!(output.is_cut());
/// assert_eq!(
///     output.render(None),
///     "one\ntwo\n[… 39 bytes in lines 3-8 omitted of 52 bytes in total]\nnine\n"
/// );
/// ```
#[derive(Debug, Clone, Default)]
pub struct LongOutput {
    half: usize,
    head: String,
    is_head_full: bool,
    /// Complete lines in `head`, once it is full.
    head_lines: usize,
    /// At most twice `half`, so that bytes are not moved for every line.
    tail: String,
    errors: ErrorLines,
    /// Beginning of an omitted line whose end is not yet known.
    line: String,
    /// Whether the last omitted line is incomplete.
    is_line_open: bool,
    omitted: OmittedSize,
    total: usize,
}

impl LongOutput {
    /// Keeps at most `max_bytes`, and a quarter more if there are errors in between.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            half: max_bytes / 2,
            ..Self::default()
        }
    }

    /// Adds the next part of the text.
    pub fn push(&mut self, text: &str) {
        self.total = self.total.saturating_add(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let (part, next) = rest.split_at(rest.floor_char_boundary(self.half.max(4)));
            self.push_part(part);
            rest = next;
        }
    }

    fn push_part(&mut self, part: &str) {
        let mut rest = part;
        if !self.is_head_full {
            let room = self.half.saturating_sub(self.head.len());
            let (first, last) = part.split_at(part.floor_char_boundary(room));
            self.head.push_str(first);
            if last.is_empty() {
                return;
            }
            self.is_head_full = true;
            // The head ends with a line, whose rest would otherwise be alone.
            let end = crate::text::to_line_boundary(&self.head).len();
            self.tail = self.head.split_off(end);
            self.head_lines = self.head.matches('\n').count();
            rest = last;
        }
        self.tail.push_str(rest);
        if self.tail.len() > self.half.saturating_mul(2) {
            self.shorten_tail();
        }
    }

    /// Omits the beginning of the tail, at the end of a line if that loses little.
    fn shorten_tail(&mut self) {
        let kept = tail(&self.tail, self.half).len();
        let omitted: String = self.tail.drain(..self.tail.len() - kept).collect();
        for line in omitted.split_inclusive('\n') {
            self.omit(line);
        }
    }

    fn omit(&mut self, line: &str) {
        self.omitted.bytes += line.len();
        if !self.is_line_open {
            self.omitted.lines += 1;
        }
        let body = line.strip_suffix('\n');
        self.is_line_open = body.is_none();
        let room = MAX_LINE_BYTES.saturating_sub(self.line.len());
        let added = body.unwrap_or(line);
        let added = added.get(..added.floor_char_boundary(room));
        self.line.push_str(added.unwrap_or_default());
        if !self.is_line_open {
            let line = std::mem::take(&mut self.line);
            self.errors
                .push(self.head_lines + self.omitted.lines, &line);
        }
    }

    /// Returns whether anything is omitted.
    pub fn is_cut(&self) -> bool {
        self.omitted.bytes > 0 || self.head.len() + self.tail.len() > self.half.saturating_mul(2)
    }

    /// Returns the text with a marker at each cut.
    ///
    /// The first marker has the `handle` of the full text, if it is stored.
    pub fn render(mut self, handle: Option<&str>) -> String {
        if !self.is_cut() {
            self.head.push_str(&self.tail);
            return self.head;
        }
        self.shorten_tail();
        let excerpt = Excerpt {
            head: &self.head,
            tail: &self.tail,
            omitted: self.omitted,
            kept: self.kept(),
        };
        excerpt.render(&stored_note(handle, false, 0))
    }

    fn kept(&self) -> Vec<KeptLines> {
        let kept = self.errors.clone().into_kept();
        within(kept, 2 * self.half / ERRORS_PART)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rendered(parts: impl IntoIterator<Item = impl AsRef<str>>, max_bytes: usize) -> String {
        let mut output = LongOutput::new(max_bytes);
        for part in parts {
            output.push(part.as_ref());
            assert!(output.tail.len() <= 3 * output.half + 8);
        }
        output.render(None)
    }

    #[test]
    fn error_in_the_middle_is_shown_with_its_lines() {
        let line = |number: usize| match number {
            50_000 => "src/a.rs:1: error: mismatched types\n".to_owned(),
            _ => format!("compiled {number}\n"),
        };
        let mut output = LongOutput::new(1000);
        (1..=100_000).for_each(|number| output.push(&line(number)));

        let shown = output.render(Some("out_1"));

        let cut = shown
            .lines()
            .position(|line| line.starts_with('['))
            .unwrap();
        let lines: Vec<&str> = shown.lines().skip(cut - 1).take(8).collect();
        let tail = lines[7].strip_prefix("compiled ").unwrap();
        let tail: usize = tail.parse().unwrap();
        let note = " omitted of 1,488,916 bytes in total; the full output is stored as out_1]";
        assert_eq!(lines[0], format!("compiled {cut}"));
        assert!(
            lines[1].contains(&format!(" bytes in lines {}-49,999{note}", cut + 1)),
            "{shown}"
        );
        assert_eq!(lines[2], "src/a.rs:1: error: mismatched types");
        assert_eq!(lines[5], "compiled 50003");
        assert_eq!(
            lines[6].replace(',', ""),
            format!("[… lines 50004-{} omitted]", tail - 1)
        );
        assert!(shown.len() < 1400, "{}", shown.len());
    }

    #[test]
    fn short_output_is_complete_and_a_long_line_is_cut_at_characters() {
        assert_eq!(rendered(["one\n", "tw", "o\n", "äö"], 20), "one\ntwo\näö");
        assert_eq!(rendered([""; 3], 20), "");

        let line = rendered(["ä".repeat(100)], 20);

        assert_eq!(
            line,
            "äääää\n[… 180 bytes in line 1 omitted of 200 bytes in total]\näääää"
        );
    }

    proptest! {
        #[test]
        fn parts_give_the_same_as_the_whole(
            text in "([ab]{0,6}(error)?\n?){0,60}",
            size in 1_usize..20,
            max_bytes in 8_usize..80,
        ) {
            let mut output = LongOutput::new(max_bytes);
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let (part, next) = rest.split_at(size.min(rest.len()));
                output.push(part);
                rest = next;
            }
            let (is_cut, shown) = (output.is_cut(), output.render(None));

            prop_assert_eq!(!is_cut, shown == text);
            prop_assert!(shown.len() <= max_bytes + max_bytes / 4 + 60 * 12, "{}", shown);
        }
    }
}
