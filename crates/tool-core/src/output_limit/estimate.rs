//! Token estimates without a vocabulary.

/// Parts of a token. Every weight is an integer number of them, so that the estimate is equal on every platform.
pub(crate) const PARTS: usize = 12;

/// Maximum parts per byte: a character of four bytes and two tokens.
pub(crate) const MAX_PARTS_PER_BYTE: usize = 6;

/// Estimates the number of tokens of `text`.
///
/// Each character counts as a part of a token, and the sum is rounded up:
///
/// | character | tokens |
/// |---|---|
/// | ASCII letter | 1/4 |
/// | space, tab, newline and other control characters | 1/6 |
/// | ASCII digit or punctuation | 1/2 |
/// | letter of another alphabet (accented Latin, Greek, Cyrillic, Arabic, Devanagari …) | 1/2 |
/// | Chinese, Japanese, Korean, and other characters from U+2E80 on | 1 |
/// | characters from U+10000 on, such as emoji | 2 |
///
/// English prose has about 4 characters per token, and code about 3. A model's own count differs, because the estimate uses
/// no vocabulary; random characters (base64, hashes) have more tokens than estimated.
///
/// # Examples
/// ```
/// use tool_core::output_limit::estimate_tokens;
///
/// assert_eq!(estimate_tokens("Read the file before you edit it."), 8);
/// assert_eq!(estimate_tokens("先读文件"), 4);
/// ```
#[must_use]
pub fn estimate_tokens(text: &str) -> usize {
    parts(text).div_ceil(PARTS)
}

/// Returns the estimate in parts of a token.
pub(crate) fn parts(text: &str) -> usize {
    text.chars().map(weight).sum()
}

pub(crate) fn weight(character: char) -> usize {
    match character {
        'a'..='z' | 'A'..='Z' => 3,
        '\0'..=' ' | '\u{7f}' => 2,
        '!'..='\u{2e7f}' => 6,
        '\u{2e80}'..='\u{ffff}' => 12,
        _ => 24,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_prose_code_and_other_scripts() {
        for (text, least, most) in [
            ("", 0, 0),
            ("The quick brown fox jumps over the lazy dog.", 9, 13),
            ("fn main() {\n    println!(\"{}\", 1 + 2);\n}\n", 12, 24),
            ("{\"path\":\"src/main.rs\",\"line\":120}", 10, 18),
            ("Быстрая лиса прыгает через собаку.", 9, 20),
            ("今天天气很好，我们去公园散步吧。", 10, 20),
            ("東京は日本の首都です。", 7, 14),
            ("🦀🦀🦀", 3, 9),
        ] {
            let tokens = estimate_tokens(text);

            assert!((least..=most).contains(&tokens), "{tokens} {text}");
        }
    }

    #[test]
    fn prose_has_four_characters_per_token_and_code_three() {
        let prose = include_str!("../../README.md")
            .split_once("A running tool")
            .unwrap()
            .1;
        let prose = prose.split_once("\n\n").unwrap().0;
        let code = include_str!("share.rs")
            .split_once("pub(crate) fn")
            .unwrap()
            .1;
        for (text, least, most) in [(prose, 3.6, 4.6), (code, 2.5, 3.6)] {
            let characters = u32::try_from(text.chars().count()).unwrap();
            let tokens = u32::try_from(estimate_tokens(text)).unwrap();
            let ratio = f64::from(characters) / f64::from(tokens);

            assert!((least..=most).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn weight_is_bounded_by_character_length() {
        for character in ['a', ' ', '9', 'é', 'я', '日', '🦀', char::MAX] {
            assert!(
                weight(character) <= MAX_PARTS_PER_BYTE * character.len_utf8(),
                "{character}"
            );
        }
    }
}
