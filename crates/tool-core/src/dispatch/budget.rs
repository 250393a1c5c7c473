//! Step 9: how much of the output the model is shown.

use super::record::Record;
use crate::{ContentBlock, ToolContext, ToolError, ToolOutput, text};

/// How much text of one call the model is shown; the rest is cut out of the middle.
///
/// # Examples
/// ```
/// use tool_core::OutputLimit;
///
/// let limit = OutputLimit::bytes(64 * 1024);
/// assert_eq!(limit, OutputLimit::bytes(65_536));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimit {
    max_bytes: usize,
}

impl OutputLimit {
    /// At most this many bytes, marks not counted.
    #[must_use]
    pub fn bytes(max_bytes: usize) -> Self {
        Self { max_bytes }
    }
}

/// Adds what the tool said through its context, and cuts what is too long. Errors keep what was said, too.
pub(super) fn apply(
    outcome: Result<ToolOutput, ToolError>,
    cx: &ToolContext,
    limit: OutputLimit,
    record: &mut Record<'_>,
) -> Result<ToolOutput, ToolError> {
    match outcome {
        Ok(mut output) => {
            cx.say_in(&mut output);
            record.dropped(cut(&mut output.content, limit.max_bytes));
            Ok(output)
        }
        Err(error) => {
            let mut output = error.output().cloned().unwrap_or_default();
            cx.say_in(&mut output);
            record.dropped(cut(&mut output.content, limit.max_bytes));
            Err(error.with_output(output))
        }
    }
}

/// Shortens the text blocks to `max_bytes` in all; media stay. Gives the number of bytes cut out.
fn cut(content: &mut [ContentBlock], max_bytes: usize) -> u64 {
    let mut left = max_bytes;
    let mut dropped = 0;
    for block in content {
        let ContentBlock::Text { text } = block else {
            continue;
        };
        if text.len() > left {
            let (short, bytes) = middle_cut(text, left);
            *text = short;
            dropped += bytes as u64;
            left = 0;
        } else {
            left -= text.len();
        }
    }
    dropped
}

/// The head and the tail of a text, with what is missing counted between them.
fn middle_cut(whole: &str, max_bytes: usize) -> (String, usize) {
    let head = text::head(whole, max_bytes / 2);
    let rest = whole.get(head.len()..).unwrap_or_default();
    let tail = text::tail(rest, max_bytes / 2);
    let missing = rest.get(..rest.len() - tail.len()).unwrap_or_default();
    let lines = missing.lines().count();
    let mark = format!(
        "[… {} bytes in {} {} left out of {} bytes in all]",
        text::with_commas(missing.len()),
        text::with_commas(lines),
        if lines == 1 { "line" } else { "lines" },
        text::with_commas(whole.len()),
    );
    let line_end = if head.is_empty() || head.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    (format!("{head}{line_end}{mark}\n{tail}"), missing.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_its_head_and_tail_on_line_borders() {
        let lines: Vec<String> = (0..100).map(|n| format!("line {n:02}")).collect();
        let mut content = [ContentBlock::text(lines.join("\n") + "\n")];

        let dropped = cut(&mut content, 40);

        assert_eq!(
            content[0].as_text().unwrap(),
            "line 00\nline 01\n[… 768 bytes in 96 lines left out of 800 bytes in all]\nline 98\nline 99\n"
        );
        assert_eq!(dropped, 768);
    }

    #[test]
    fn media_stay_and_later_blocks_share_the_budget() {
        let image = ContentBlock::Image {
            media_type: "image/png".into(),
            data: "x".repeat(500),
        };
        let mut content = [
            ContentBlock::text("12345"),
            image.clone(),
            ContentBlock::text("abcdef"),
        ];

        let dropped = cut(&mut content, 7);

        assert_eq!(content[0], ContentBlock::text("12345"));
        assert_eq!(content[1], image);
        assert_eq!(
            content[2],
            ContentBlock::text("a\n[… 4 bytes in 1 line left out of 6 bytes in all]\nf")
        );
        assert_eq!(dropped, 4);
    }

    #[test]
    fn a_text_within_the_budget_is_left_alone() {
        let mut content = [ContentBlock::text("äöü")];

        assert_eq!(cut(&mut content, 6), 0);
        assert_eq!(content[0], ContentBlock::text("äöü"));
    }
}
