//! Text that is mostly short: ids and names.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Text that is mostly short, such as an id or a name. It reads like a `str` and is cheap to clone.
///
/// Up to 23 bytes are kept in place; a longer text is shared by its clones.
pub struct ShortText(Held);

enum Held {
    InPlace(InPlace<{ ShortText::IN_PLACE }>),
    Shared(Arc<str>),
}

/// Always UTF-8 up to `length`. Aligned, and with its mark outside, so that it is copied as the words that it is.
#[derive(Clone, Copy)]
#[repr(align(8))]
pub(crate) struct InPlace<const ROOM: usize> {
    bytes: [u8; ROOM],
    length: u8,
}

impl<const ROOM: usize> InPlace<ROOM> {
    pub(crate) const EMPTY: Self = Self {
        bytes: [0; ROOM],
        length: 0,
    };

    /// Becomes `text`, where there is room for it.
    #[inline]
    pub(crate) fn set(&mut self, text: &str) -> Option<()> {
        let bytes = self.bytes.get_mut(..text.len())?;
        bytes.copy_from_slice(text.as_bytes());
        self.length = u8::try_from(text.len()).ok()?;
        Some(())
    }

    #[inline]
    fn append(&mut self, text: &str) -> Option<()> {
        let begin = usize::from(self.length);
        let end = begin + text.len();
        let bytes = self.bytes.get_mut(begin..end)?;
        bytes.copy_from_slice(text.as_bytes());
        self.length = u8::try_from(end).ok()?;
        Some(())
    }

    #[inline]
    fn as_bytes(&self) -> &[u8] {
        let length = usize::from(self.length);
        self.bytes.get(..length).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

impl ShortText {
    /// Bytes that are kept in place.
    pub(crate) const IN_PLACE: usize = 23;

    /// Joins two strings.
    #[inline]
    pub(crate) fn joined(first: &str, second: &str) -> Self {
        let mut place = InPlace::EMPTY;
        match place.set(first).and_then(|()| place.append(second)) {
            Some(()) => place.into(),
            None => Self(Held::Shared(format!("{first}{second}").into())),
        }
    }

    /// The text as `str`.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Held::InPlace(text) => text.as_str(),
            Held::Shared(text) => text,
        }
    }

    /// For what need not know that they are text, which is looked at each time.
    #[inline]
    fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Held::InPlace(text) => text.as_bytes(),
            Held::Shared(text) => text.as_bytes(),
        }
    }
}

impl Clone for ShortText {
    #[inline]
    fn clone(&self) -> Self {
        match &self.0 {
            Held::InPlace(text) => Self(Held::InPlace(*text)),
            Held::Shared(text) => Self(Held::Shared(Arc::clone(text))),
        }
    }

    #[inline]
    fn clone_from(&mut self, other: &Self) {
        match (&mut self.0, &other.0) {
            (Held::InPlace(place), Held::InPlace(text)) => *place = *text,
            _ => *self = other.clone(),
        }
    }
}

impl Default for ShortText {
    #[inline]
    fn default() -> Self {
        Self(Held::InPlace(InPlace::EMPTY))
    }
}

impl From<&str> for ShortText {
    fn from(text: &str) -> Self {
        let mut place = InPlace::EMPTY;
        match place.set(text) {
            Some(()) => place.into(),
            None => Self(Held::Shared(text.into())),
        }
    }
}

impl From<InPlace<{ Self::IN_PLACE }>> for ShortText {
    #[inline]
    fn from(text: InPlace<{ Self::IN_PLACE }>) -> Self {
        Self(Held::InPlace(text))
    }
}

impl From<String> for ShortText {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&String> for ShortText {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<ShortText> for String {
    fn from(text: ShortText) -> Self {
        text.as_str().to_owned()
    }
}

impl Deref for ShortText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for ShortText {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for ShortText {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for ShortText {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for ShortText {}

impl PartialEq<str> for ShortText {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for ShortText {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl PartialEq<String> for ShortText {
    fn eq(&self, other: &String) -> bool {
        self == other.as_str()
    }
}

impl PartialOrd for ShortText {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ShortText {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other)
    }
}

impl Hash for ShortText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl Serialize for ShortText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for ShortText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_any_length_reads_as_it_was() {
        for length in (0..30).chain([300]) {
            let whole = "ä".repeat(length / 2) + &"x".repeat(length % 2);

            let text = ShortText::from(whole.as_str());

            assert_eq!(text.as_str(), whole);
            assert_eq!(text.clone(), text);
            assert_eq!(String::from(text), whole);
        }
    }

    #[test]
    fn a_text_becomes_another_of_any_length() {
        let texts = ["", "short", "x", &"long ".repeat(20), &"longer ".repeat(20)];
        for before in texts {
            for after in texts {
                let mut text = ShortText::from(before);

                text.clone_from(&after.into());

                assert_eq!(text.as_str(), after);
            }
        }
    }

    #[test]
    fn a_text_survives_its_json() {
        let text = ShortText::from("a \"name\"");

        let stored = serde_json::to_string(&text).unwrap();

        assert_eq!(stored, r#""a \"name\"""#);
        assert_eq!(serde_json::from_str::<ShortText>(&stored).unwrap(), text);
    }

    #[test]
    fn texts_are_ordered_as_str_is() {
        let long = "b".repeat(40);
        let mut texts = ["c", &long, "a"].map(ShortText::from);

        texts.sort();

        assert_eq!(texts, ["a", &long, "c"].map(ShortText::from));
    }

    #[test]
    fn a_text_takes_one_word_more_than_a_string() {
        assert_eq!(size_of::<ShortText>(), size_of::<String>() + 8);
    }
}
