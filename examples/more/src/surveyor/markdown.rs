//! Escaping of untrusted text for Markdown.

/// Maximum characters of a quoted line.
const MAX_LINE: usize = 200;

/// Creates a code block whose fence is longer than any run of backticks in the text.
pub(super) fn code_block(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}text\n{text}\n{fence}\n")
}

/// Creates inline code.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Replaces control characters and truncates the text to one line.
pub(super) fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(sanitized).collect();
    match clean.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{} […]", clean.get(..end).unwrap_or_default()),
        None => clean,
    }
}

/// Replaces control characters in each line.
pub(super) fn lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(one_line).collect();
    lines.join("\n")
}

fn sanitized(c: char) -> char {
    match c {
        '\t' => c,
        // Bidirectional control characters can change the apparent content of a line.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
