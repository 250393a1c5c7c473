//! Escaping of untrusted text for terminals.

use tool_json::text::{is_invisible, is_unusual_space};

/// Returns the text on one line, with control and invisible characters escaped.
pub(super) fn visible(text: &str) -> String {
    escaped(text, |_| false)
}

/// Like [`visible`], but keeps newlines and tabs.
pub(super) fn visible_lines(text: &str) -> String {
    escaped(text, |letter| matches!(letter, '\n' | '\t'))
}

fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut seen = String::with_capacity(text.len());
    for letter in text.chars() {
        // A space of another kind looks like one, but is part of a name or a word to a program.
        if (is_invisible(letter) || is_unusual_space(letter)) && !is_kept(letter) {
            seen.extend(letter.escape_default());
        } else {
            seen.push(letter);
        }
    }
    seen
}
