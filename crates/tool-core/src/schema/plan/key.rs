//! The keys of an object as texts have them.

use serde_json::Value;

/// Bytes that are compared at once.
const WORD: usize = size_of::<u64>();

/// A key between its quotes. Keys are looked for at every member of every call, so that they are compared by words, without a
/// call of another function.
#[derive(Debug)]
pub(super) struct QuotedKey {
    text: Box<str>,
    /// Its first bytes, as many as a word has.
    head: u64,
    /// Which of those are the key's.
    mask: u64,
    /// Its last bytes, where it has more than a word has.
    tail: u64,
}

impl QuotedKey {
    /// `None` where the key needs an escape: texts may have it in several forms.
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

    /// Whether `text` begins with the key.
    #[inline]
    pub(super) fn begins(&self, text: &[u8]) -> bool {
        let Some(head) = text.first_chunk() else {
            return text.starts_with(self.text.as_bytes());
        };
        u64::from_ne_bytes(*head) & self.mask == self.head
            && (self.text.len() <= WORD || self.goes_on(text))
    }

    /// Whether what is behind the first word of `text` is the key's, too.
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
    fn a_key_is_seen_where_it_stands_whole_and_nowhere_else() {
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
                let (before, behind) = text.split_at(at);
                let wrong = format!("{before}_{}: \"a value of some length\"", &behind[1..]);
                assert!(!key.begins(wrong.as_bytes()), "{text} is not in {wrong}");
                assert!(!key.begins(before.as_bytes()), "{text} is not in {before}");
            }
        }
    }

    #[test]
    fn a_key_that_needs_an_escape_is_not_looked_for() {
        assert!(QuotedKey::of("a\"b").is_none());
        assert!(QuotedKey::of("a\nb").is_none());
        assert!(QuotedKey::of("straße").is_some_and(|key| key.begins("\"straße\"".as_bytes())));
    }
}
