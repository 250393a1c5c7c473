//! Handles of stored outputs.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use serde::{Deserialize, Serialize};

/// Prefix of every handle.
const PREFIX: &str = "out_";
/// Number of hexadecimal digits: 128 bits.
const DIGITS: usize = 32;

/// Handle of a stored output: `out_` and 128 random bits in hexadecimal.
///
/// The bits come from random numbers of the operating system, so handles cannot be guessed and are unique across
/// stores.
///
/// # Examples
/// ```
/// use tool_core::output_store::OutputHandle;
///
/// let handle = OutputHandle::parse("out_00112233445566778899aabbccddeeff").ok_or("not a handle")?;
/// assert_eq!(handle.as_str(), "out_00112233445566778899aabbccddeeff");
/// assert_eq!(OutputHandle::parse("out_../../etc/passwd"), None);
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OutputHandle(String);

impl OutputHandle {
    /// Parses a handle; `None` if the text is not a handle.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (digits.len() == DIGITS && digits.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// Creates a handle from 128 bits, which must be unpredictable.
    #[must_use]
    pub fn from_random(bits: u128) -> Self {
        Self(format!("{PREFIX}{bits:032x}"))
    }

    /// Creates a random handle.
    pub(super) fn random() -> Self {
        // The hash keys of the standard library are random numbers of the operating system.
        let keys = RandomState::new();
        let [first, second] = [0_u8, 1].map(|half| u128::from(keys.hash_one(half)));
        Self::from_random((first << 64) | second)
    }

    /// Returns the handle as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OutputHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<OutputHandle> for String {
    fn from(handle: OutputHandle) -> Self {
        handle.0
    }
}

impl TryFrom<String> for OutputHandle {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a handle is `out_` and 32 hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_invalid_handles() {
        for text in [
            "",
            "out_",
            "out_00112233445566778899aabbccddeef",
            "out_00112233445566778899aabbccddeeff0",
            "out_00112233445566778899AABBCCDDEEFF",
            "out_0011223344556677/899aabbccddeeff",
            "00112233445566778899aabbccddeeff",
        ] {
            assert_eq!(OutputHandle::parse(text), None, "{text}");
        }
    }

    #[test]
    fn random_handles_differ_and_parse() {
        let (first, second) = (OutputHandle::random(), OutputHandle::random());

        assert_ne!(first, second);
        assert_eq!(OutputHandle::parse(first.as_str()), Some(first));
    }
}
