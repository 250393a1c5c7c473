//! How many tokens a text may have, without any model's vocabulary.

/// Parts of a token. Every weight is a whole number of them, so that the estimate is the same on every platform.
pub(crate) const PARTS: usize = 12;

/// The most parts that one byte can stand for: a character of four bytes and two tokens.
pub(crate) const MAX_PARTS_PER_BYTE: usize = 6;

/// Estimates how many tokens a text has.
///
/// Each character counts for a part of a token, and the sum is rounded up:
///
/// | character | tokens |
/// |---|---|
/// | ASCII letter | 1/4 |
/// | space, tab, line break and other control characters | 1/6 |
/// | ASCII digit or punctuation | 1/2 |
/// | letters of other alphabets (accented Latin, Greek, Cyrillic, Arabic, Devanagari …) | 1/2 |
/// | Chinese, Japanese, Korean, and other characters from U+2E80 on | 1 |
/// | characters from U+10000 on, such as emoji | 2 |
///
/// English prose comes to about 4 characters for a token, code to about 3. No vocabulary is asked, so that a model's own
/// count will differ; random letters (base64, hashes) have more tokens than this says.
///
/// # Examples
/// ```
/// use tool_core::estimate_tokens;
///
/// assert_eq!(estimate_tokens("Read the file before you edit it."), 8);
/// assert_eq!(estimate_tokens("先读文件"), 4);
/// ```
#[must_use]
pub fn estimate_tokens(text: &str) -> usize {
    parts(text).div_ceil(PARTS)
}

/// The estimate in parts of a token.
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
    fn prose_code_and_other_scripts_count_sensibly() {
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
    fn prose_has_about_four_characters_for_a_token_and_code_about_three() {
        let prose = include_str!("../../README.md")
            .split_once("A call goes")
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
    fn no_character_weighs_more_than_its_bytes_may() {
        for character in ['a', ' ', '9', 'é', 'я', '日', '🦀', char::MAX] {
            assert!(
                weight(character) <= MAX_PARTS_PER_BYTE * character.len_utf8(),
                "{character}"
            );
        }
    }
}
