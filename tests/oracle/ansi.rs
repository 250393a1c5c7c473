//! Decoder for `$'...'`, written from the bash manual, independent of the filter.

/// Decodes the text of `$'text'`. Every character except newlines and printable ASCII becomes
/// `\u{1}`.
pub(crate) fn decoded(text: &str) -> String {
    let mut decoded = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        if letter != '\\' || rest.is_empty() {
            decoded.push(letter);
            continue;
        }
        let kind = rest.chars().next().unwrap_or_default();
        rest = &rest[kind.len_utf8()..];
        match kind {
            'n' => decoded.push('\n'),
            't' => decoded.push('\t'),
            '\\' | '\'' | '"' | '?' => decoded.push(kind),
            'x' => rest = number(rest, 16, 2, &mut decoded),
            'u' => rest = number(rest, 16, 4, &mut decoded),
            'U' => rest = number(rest, 16, 8, &mut decoded),
            '0'..='7' => {
                let start = text.len() - rest.len() - 1;
                rest = number(&text[start..], 8, 3, &mut decoded);
            }
            'c' => {
                rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
                decoded.push('\u{1}');
            }
            'a' | 'b' | 'e' | 'E' | 'f' | 'r' | 'v' => decoded.push('\u{1}'),
            other => decoded.extend(['\\', other]),
        }
    }
    decoded
}

/// Appends the character of the leading number, and returns the rest.
fn number<'text>(text: &'text str, radix: u32, most: usize, decoded: &mut String) -> &'text str {
    let digits = text
        .chars()
        .take(most)
        .take_while(|digit| digit.is_digit(radix))
        .count();
    let number = u32::from_str_radix(&text[..digits], radix)
        .ok()
        .and_then(char::from_u32);
    let is_printable = |letter: &char| matches!(letter, '\n' | '\t' | ' '..='~');
    decoded.push(number.filter(is_printable).unwrap_or('\u{1}'));
    &text[digits..]
}
