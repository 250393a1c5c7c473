//! Escaping of untrusted text for terminals.

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
        // A direction mark can show a command in another order than the shell reads it.
        if (letter.is_control() || is_invisible(letter)) && !is_kept(letter) {
            seen.extend(letter.escape_default());
        } else {
            seen.push(letter);
        }
    }
    seen
}

/// Returns `true` if a character is a direction mark, joiner, line separator or tag.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
