//! Decoder for `$'...'`, written from the bash manual, independent of the filter.

/// Decodes the text of `$'text'`. Escapes other than those of a newline, a tab, a quote and a backslash become
/// `\u{1}`.
pub(crate) fn decoded(text: &str) -> String {
    let mut decoded = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let escaped = if letter == '\\' { letters.next() } else { None };
        decoded.push(match escaped {
            None => letter,
            Some('n') => '\n',
            Some('t') => '\t',
            Some(same) if "\\'\"".contains(same) => same,
            Some(_) => '\u{1}',
        });
    }
    decoded
}
