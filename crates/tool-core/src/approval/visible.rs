//! Text for a terminal, of which nothing is hidden and nothing is obeyed.

use std::fmt::Write as _;

/// The text on one line, with nothing in it that a terminal obeys or that changes the order of what is read.
pub(super) fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for letter in text.chars() {
        push(&mut seen, letter);
    }
    seen
}

/// The same with its line breaks and tabs.
pub(super) fn visible_lines(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => seen.push(letter),
            _ => push(&mut seen, letter),
        }
    }
    seen
}

fn push(seen: &mut String, letter: char) {
    if letter.is_control() || takes_no_room(letter) {
        // Writing to a String cannot fail.
        let _ = write!(seen, "{}", letter.escape_default());
    } else {
        seen.push(letter);
    }
}

/// Marks of direction, joiners, separators of lines, tags.
fn takes_no_room(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
