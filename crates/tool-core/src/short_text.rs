//! Strings that are short in most cases, such as ids and names.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, SmolStrBuilder};

/// String that is short in most cases, such as an id or a name. Dereferences to `str` and is cheap to clone.
///
/// Up to 23 bytes are stored inline; clones of a longer string share one allocation.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ShortText(SmolStr);

impl ShortText {
    /// Joins two strings.
    #[inline]
    pub(crate) fn joined(first: &str, second: &str) -> Self {
        let mut builder = SmolStrBuilder::new();
        builder.push_str(first);
        builder.push_str(second);
        Self(builder.finish())
    }

    /// Returns the string.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ShortText {
    #[inline]
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for ShortText {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&String> for ShortText {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<ShortText> for String {
    fn from(text: ShortText) -> Self {
        text.0.into()
    }
}

impl Deref for ShortText {
    type Target = str;

    #[inline]
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

impl PartialEq<str> for ShortText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_short_and_long_strings() {
        for (first, second) in [("", ""), ("call_", "7"), ("ä", &"x".repeat(300))] {
            let text = ShortText::joined(first, second);

            assert_eq!(text, format!("{first}{second}"));
            assert_eq!(String::from(text.clone()), text.as_str());
        }
    }

    #[test]
    fn survives_json() {
        let text = ShortText::from("a \"name\"");

        let stored = serde_json::to_string(&text).unwrap();

        assert_eq!(stored, r#""a \"name\"""#);
        assert_eq!(serde_json::from_str::<ShortText>(&stored).unwrap(), text);
    }
}
