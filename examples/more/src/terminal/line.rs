//! Single lines for a terminal.

use std::io::Write;

/// Prints a line to standard output. Ignores closed pipes.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Returns `text` as one line of at most `most` characters, without control characters.
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
    fn removes_control_characters_and_truncates() {
        assert_eq!(one_line("a\n\u{1b}[31mb\t c", 80), "a [31mb c");
        assert_eq!(one_line("äöü", 2), "äö…");
    }
}
