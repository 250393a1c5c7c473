//! Foreign text in Markdown, without being read as Markdown.

/// Characters of one quoted line at most.
const MAX_LINE: usize = 200;

/// A block in which nothing has a meaning; its fence is longer than any row of backticks inside.
pub(super) fn code_block(text: &str) -> String {
    let fence = "`".repeat(longest_row(text).max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// A piece of a line in which nothing has a meaning.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    let fence = "`".repeat(longest_row(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{text}{space}{fence}")
}

/// A text without what a terminal or a reader of lines would obey, cut to a line.
pub(super) fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(harmless).collect();
    match clean.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{} […]", clean.get(..end).unwrap_or_default()),
        None => clean,
    }
}

/// Several lines, each made harmless.
pub(super) fn lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(one_line).collect();
    lines.join("\n")
}

fn harmless(letter: char) -> char {
    match letter {
        '\t' => letter,
        // Marks that turn the direction of writing can make a line look like another.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    }
}

fn longest_row(text: &str) -> usize {
    text.split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}
