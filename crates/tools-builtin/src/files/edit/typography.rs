//! Plain forms of characters that look alike.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::{canonical_combining_class, compose};

/// Splits a string into characters, each with the marks that combine with it. Returns the position of each, and its plain
/// form if it differs.
pub(super) fn parts(text: &str) -> impl Iterator<Item = (usize, &str, Option<Cow<'static, str>>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        let rest = text.get(start..)?;
        let first = rest.chars().next()?;
        let length = length_of_first(rest, first);
        at += length;
        let part = rest.get(..length)?;
        Some((start, part, plain_form(part, first)))
    })
}

/// Returns the length of the first character with what combines with it.
fn length_of_first(text: &str, first: char) -> usize {
    let (mut length, mut last) = (first.len_utf8(), first);
    for letter in text.chars().skip(1) {
        let composed = compose(last, letter);
        // ASCII characters never combine with what is before them.
        if letter.is_ascii() || canonical_combining_class(letter) == 0 && composed.is_none() {
            break;
        }
        last = composed.unwrap_or(last);
        length += letter.len_utf8();
    }
    length
}

fn plain_form(part: &str, first: char) -> Option<Cow<'static, str>> {
    if part.is_ascii() {
        return None;
    }
    if let Some(plain) = plain(first)
        && part.len() == first.len_utf8()
    {
        return Some(Cow::Borrowed(plain));
    }
    // Composed, because the decomposed `é` would also fit where a quoted text has only `e`.
    let composed: String = part.nfc().collect();
    (composed != part).then_some(Cow::Owned(composed))
}

/// Returns the plain form of a typographic character.
fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' | '\u{2032}' => "'",
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' | '\u{2033}' | '\u{AB}' | '\u{BB}' => {
            "\""
        }
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{2026}' => "...",
        '\u{A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => " ",
        _ => return None,
    })
}
