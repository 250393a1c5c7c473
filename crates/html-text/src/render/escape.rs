//! Escaping of text that Markdown would interpret.

/// Position of a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Whether the word is the first of its line.
    pub(super) is_first: bool,
    pub(super) in_cell: bool,
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// Writes a word with its special characters escaped.
pub(super) fn word(word: &str, place: Place, text: &mut String) {
    let word = match place.is_first.then(|| marker_length(word)).flatten() {
        Some(length) => {
            let (before, marker) = word.split_at_checked(length).unwrap_or((word, ""));
            text.push_str(before);
            text.push('\\');
            // The backslash escapes the first character.
            let mut letters = marker.chars();
            text.extend(letters.next());
            letters.as_str()
        }
        None => word,
    };
    let mut done = 0;
    for (at, byte) in word.bytes().enumerate() {
        if !matches!(
            byte,
            b'\\' | b'`' | b'*' | b'_' | b'<' | b'&' | b'~' | b']' | b'|'
        ) {
            continue;
        }
        let behind = word.get(at + 1..).unwrap_or_default();
        let before = word.get(..at).unwrap_or_default();
        if needs_escape(byte, before, behind, place.in_cell) {
            text.push_str(word.get(done..at).unwrap_or_default());
            text.push('\\');
            done = at;
        }
    }
    text.push_str(word.get(done..).unwrap_or_default());
}

fn needs_escape(byte: u8, before: &str, behind: &str, in_cell: bool) -> bool {
    let next = behind.bytes().next();
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    match byte {
        b'\\' => next.is_some_and(|byte| byte.is_ascii_punctuation()),
        // A `*` alone is no emphasis.
        b'*' => !(before.is_empty() && behind.is_empty()),
        // Markdown leaves `snake_case` alone.
        b'_' => !(is_letter(before.chars().next_back()) && is_letter(behind.chars().next())),
        b'<' => next
            .is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!' | b'?')),
        b'&' => {
            let name = behind.bytes().take(32).position(|byte| byte == b';');
            name.is_some_and(|end| {
                end > 0
                    && behind
                        .bytes()
                        .take(end)
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'#')
            })
        }
        b'~' => next == Some(b'~') || before.ends_with('~'),
        b']' => next == Some(b'('),
        b'|' => in_cell,
        _ => true,
    }
}

/// Returns the position of the character that would turn the line into a list, heading, quote or
/// rule.
fn marker_length(word: &str) -> Option<usize> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let behind = word.get(digits..).unwrap_or_default();
    let is_number = (1..=9).contains(&digits) && matches!(behind, "." | ")");
    let is_heading = word.len() <= 6 && word.bytes().all(|byte| byte == b'#');
    let is_line = word.bytes().all(|byte| matches!(byte, b'-' | b'='));
    if is_number {
        Some(digits)
    } else if is_heading
        || is_line
        || word == "+"
        || word == "*"
        || word == ":"
        || word.starts_with('>')
        || word.starts_with("~~~")
    {
        Some(0)
    } else {
        None
    }
}

/// Writes a word of code.
pub(super) fn code(word: &str, in_cell: bool, text: &mut String) {
    if in_cell && word.contains('|') {
        text.push_str(&word.replace('|', "\\|"));
    } else {
        text.push_str(word);
    }
}

/// Returns the label of an image.
pub(super) fn label(words: &str, in_cell: bool) -> String {
    let mut text = String::new();
    let place = Place {
        is_first: false,
        in_cell,
    };
    for (number, part) in words.split(' ').enumerate() {
        if number > 0 {
            text.push(' ');
        }
        word(part, place, &mut text);
    }
    text
}

/// Encloses the text from `start` in a run of backticks that is longer than any run in it.
pub(super) fn fence(text: &mut String, start: usize) {
    let content = text.get(start..).unwrap_or_default();
    // The content cannot close a run that is longer than its own.
    let ticks = "`".repeat(longest_run(content, '`') + 1);
    let needs_space = content.starts_with('`') || content.ends_with('`');
    let space = if needs_space { " " } else { "" };
    text.insert_str(start, &format!("{ticks}{space}"));
    text.push_str(space);
    text.push_str(&ticks);
}

/// Returns the length of the longest run of a character.
pub(super) fn longest_run(text: &str, letter: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for found in text.chars() {
        run = if found == letter { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
