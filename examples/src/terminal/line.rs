//! Single lines for a terminal.

use std::io::Write;

/// Writes a line to the standard output. A reader that went away is no reason to stop.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A text as one line of at most `most` characters, without what a terminal would obey.
#[must_use]
pub fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let line = words.join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_nothing_that_a_terminal_obeys_and_is_cut() {
        assert_eq!(one_line("a\n\u{1b}[31mb\t c", 80), "a [31mb c");
        assert_eq!(one_line("äöü", 2), "äö…");
    }
}
