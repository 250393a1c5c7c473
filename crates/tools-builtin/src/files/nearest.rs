//! The text of a file most similar to a string that does not occur in it, for error messages only.

use similar::get_close_matches;

use crate::newlines::first_chars;

/// Maximum number of lines to compare by similarity.
const MAX_LINES: usize = 2000;
const MAX_LINE_CHARS: usize = 120;
/// Maximum number of lines of the wanted text to search for.
const MAX_LINES_TRIED: usize = 8;
/// Shorter lines, such as a brace, occur everywhere.
const MIN_LINE_BYTES: usize = 8;
#[cfg(feature = "document-sets")]
const MAX_LINES_SHOWN: usize = 8;

/// Returns the lines most similar to the start of `wanted`, for a model to copy.
#[cfg(feature = "document-sets")]
pub(super) fn nearest_text(text: &str, wanted: &str) -> Option<String> {
    let at = nearest_line(text, wanted)?;
    let count = wanted.trim().lines().count().min(MAX_LINES_SHOWN);
    let block: Vec<&str> = text
        .lines()
        .skip(at)
        .take(count)
        .map(|line| first_chars(line, MAX_LINE_CHARS))
        .collect();
    Some(format!(
        "The most similar text is at line {}:\n{}",
        at + 1,
        block.join("\n")
    ))
}

/// Returns the index of the line at which text similar to `wanted` starts.
pub(super) fn nearest_line(text: &str, wanted: &str) -> Option<usize> {
    let lead = wanted
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())?;
    equal_when_trimmed(text, lead)
        .or_else(|| by_another_line(text, wanted))
        .or_else(|| like(text, lead))
}

fn equal_when_trimmed(text: &str, lead: &str) -> Option<usize> {
    text.lines().position(|line| line.trim() == lead)
}

/// Returns the line at which the text would start if one of its other lines matches. Short lines
/// are skipped.
fn by_another_line(text: &str, wanted: &str) -> Option<usize> {
    let lines = wanted.trim_start().lines().map(str::trim).enumerate();
    lines
        .skip(1)
        .take(MAX_LINES_TRIED)
        .filter(|(_, line)| line.len() >= MIN_LINE_BYTES)
        .find_map(|(offset, line)| Some(equal_when_trimmed(text, line)?.saturating_sub(offset)))
}

fn like(text: &str, lead: &str) -> Option<usize> {
    let lines: Vec<&str> = text
        .lines()
        .take(MAX_LINES)
        .map(|line| first_chars(line.trim(), MAX_LINE_CHARS))
        .collect();
    let best = get_close_matches(first_chars(lead, MAX_LINE_CHARS), &lines, 1, 0.6).pop()?;
    lines.iter().position(|line| *line == best)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn finds_the_line_at_which_similar_text_starts() {
        let text = "fn main() {\n    let count = 1;\n    print(count);\n}\n";
        for (wanted, expected) in [
            ("let count = 1;\nprint(count);", Some(1)),
            ("    let counter = 1;", Some(1)),
            ("fn start() {\n    let count = 1;", Some(0)),
            ("something else entirely", None),
            ("  \n", None),
        ] {
            assert_eq!(nearest_line(text, wanted), expected, "{wanted}");
        }
    }

    #[test]
    fn adversarial_lines_finish_in_time() {
        let line = |seed: usize| -> String {
            (0..400)
                .map(|i| if (i * seed) % 7 < 3 { 'a' } else { 'b' })
                .collect()
        };
        let text: Vec<String> = (1..20_000).map(line).collect();
        let start = Instant::now();

        let _ = nearest_line(&text.join("\n"), &"ab".repeat(200));

        assert!(
            start.elapsed() < Duration::from_mins(1),
            "{:?}",
            start.elapsed()
        );
    }
}
