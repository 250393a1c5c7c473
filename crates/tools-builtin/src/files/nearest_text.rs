//! Where a text may stand that does not stand there exactly.

use similar::get_close_matches;

/// How many lines are compared letter by letter.
const MAX_LINES: usize = 2000;
const MAX_LINE_CHARS: usize = 120;
const MAX_LINES_SHOWN: usize = 8;

/// The lines that are most like the beginning of `wanted`, for a model to copy.
pub(super) fn nearest_text(text: &str, wanted: &str) -> Option<String> {
    let lead = wanted
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())?;
    let at = same_but_for_blanks(text, lead).or_else(|| like(text, lead))?;
    let count = wanted.trim().lines().count().min(MAX_LINES_SHOWN);
    let block: Vec<&str> = text.lines().skip(at).take(count).map(short).collect();
    Some(format!(
        "The nearest text is at line {}:\n{}",
        at + 1,
        block.join("\n")
    ))
}

fn same_but_for_blanks(text: &str, lead: &str) -> Option<usize> {
    text.lines().position(|line| line.trim() == lead)
}

fn like(text: &str, lead: &str) -> Option<usize> {
    let lines: Vec<&str> = text
        .lines()
        .take(MAX_LINES)
        .map(|line| short(line.trim()))
        .collect();
    let best = get_close_matches(short(lead), &lines, 1, 0.6).pop()?;
    lines.iter().position(|line| *line == best)
}

fn short(line: &str) -> &str {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => line.get(..end).unwrap_or(line),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn the_nearest_lines_are_shown_as_they_stand() {
        let text = "fn main() {\n    let count = 1;\n    print(count);\n}\n";
        for (wanted, expected) in [
            (
                "let count = 1;\nprint(count);",
                Some("line 2:\n    let count = 1;\n    print(count);"),
            ),
            ("    let counter = 1;", Some("line 2:\n    let count = 1;")),
            ("something else entirely", None),
            ("  \n", None),
        ] {
            let found = nearest_text(text, wanted);

            assert_eq!(found.is_some(), expected.is_some(), "{wanted}: {found:?}");
            assert!(
                found
                    .unwrap_or_default()
                    .ends_with(expected.unwrap_or_default())
            );
        }
    }

    #[test]
    fn lines_made_to_be_slow_are_done_in_time() {
        let line = |seed: usize| -> String {
            (0..400)
                .map(|i| if (i * seed) % 7 < 3 { 'a' } else { 'b' })
                .collect()
        };
        let text: Vec<String> = (1..20_000).map(line).collect();
        let start = Instant::now();

        let _ = nearest_text(&text.join("\n"), &"ab".repeat(200));

        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{:?}",
            start.elapsed()
        );
    }
}
