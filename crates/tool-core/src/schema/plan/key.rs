//! Object keys as they appear in JSON text.

use serde_json::Value;

/// Number of bytes compared in one step.
const WORD: usize = size_of::<u64>();

/// A quoted key. Every member of every call is matched against keys, so they are compared eight
/// bytes at a time without a function call.
#[derive(Debug)]
pub(super) struct QuotedKey {
    text: Box<str>,
    /// The first eight bytes.
    head: u64,
    /// Mask of the key's bytes in `head`.
    mask: u64,
    /// The last bytes, if the key is longer than eight bytes.
    tail: u64,
}

impl QuotedKey {
    /// Returns `None` if the key needs an escape, because JSON can encode such a key in several
    /// ways.
    pub(super) fn of(name: &str) -> Option<Self> {
        let text = Value::from(name).to_string();
        if text.len() != name.len() + 2 {
            return None;
        }
        let mut head = [0; WORD];
        let mut mask = [0; WORD];
        for ((head, mask), byte) in head.iter_mut().zip(&mut mask).zip(text.bytes()) {
            (*head, *mask) = (byte, u8::MAX);
        }
        let tail = text.as_bytes().last_chunk().copied().unwrap_or_default();
        Some(Self {
            head: u64::from_ne_bytes(head),
            mask: u64::from_ne_bytes(mask),
            tail: u64::from_ne_bytes(tail),
            text: text.into(),
        })
    }

    /// Returns `true` if `text` starts with the key.
    #[inline]
    pub(super) fn begins(&self, text: &[u8]) -> bool {
        let Some(head) = text.first_chunk() else {
            return text.starts_with(self.text.as_bytes());
        };
        u64::from_ne_bytes(*head) & self.mask == self.head
            && (self.text.len() <= WORD || self.goes_on(text))
    }

    /// Returns `true` if `text` also matches the key after the first eight bytes.
    #[inline]
    fn goes_on(&self, text: &[u8]) -> bool {
        let key = self.text.as_bytes();
        let Some((inside, tail)) = text
            .get(..key.len())
            .and_then(<[u8]>::split_last_chunk::<WORD>)
        else {
            return false;
        };
        u64::from_ne_bytes(*tail) == self.tail && (inside.len() <= WORD || key.starts_with(inside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_complete_key_only() {
        for length in 0..40 {
            let name: String = ('a'..='z').cycle().take(length).collect();
            let key = QuotedKey::of(&name).unwrap();
            let text = format!("\"{name}\"");
            for rest in ["", ":1", ": \"a value that is long enough\"}"] {
                assert!(
                    key.begins(format!("{text}{rest}").as_bytes()),
                    "{text}{rest}"
                );
            }
            for at in 0..text.len() {
                let (before, position) = text.split_at(at);
                let wrong = format!("{before}_{}: \"a value of some length\"", &position[1..]);
                assert!(!key.begins(wrong.as_bytes()), "{text} is not in {wrong}");
                assert!(!key.begins(before.as_bytes()), "{text} is not in {before}");
            }
        }
    }

    #[test]
    fn skips_key_that_needs_escape() {
        assert!(QuotedKey::of("a\"b").is_none());
        assert!(QuotedKey::of("a\nb").is_none());
        assert!(QuotedKey::of("straße").is_some_and(|key| key.begins("\"straße\"".as_bytes())));
    }
}
