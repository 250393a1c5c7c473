//! Text helpers for messages.

/// Returns `text` on one line, truncated to `max_chars` characters and `…`.
#[must_use]
pub fn short(text: &str, max_chars: usize) -> String {
    let is_short = text.len() <= max_chars && text.is_ascii();
    if is_short && !text.bytes().any(|byte| byte.is_ascii_control()) {
        return text.to_owned();
    }
    let mut one_line: String = text
        .chars()
        .take(max_chars)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(max_chars).is_some() {
        one_line.push('…');
    }
    one_line
}

/// Returns a number with thousands separators: `1,204`.
#[must_use]
pub fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separates_thousands() {
        for (number, text) in [(7, "7"), (1204, "1,204"), (1_000_000, "1,000,000")] {
            assert_eq!(with_commas(number), text);
        }
    }
}
