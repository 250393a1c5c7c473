//! Names of tools.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The name of a tool: not empty, at most 256 bytes, no control characters.
///
/// Providers have stricter rules; their adapters map names in both directions.
///
/// # Examples
/// ```
/// use tool_core::ToolName;
///
/// let name = ToolName::parse("read_file")?;
/// assert_eq!(name.as_str(), "read_file");
/// assert!(ToolName::parse("").is_err());
/// # Ok::<_, tool_core::NameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(Arc<str>);

/// An invalid name of a tool.
///
/// # Examples
/// ```
/// use tool_core::NameError;
/// use tool_core::ToolName;
///
/// assert_eq!(ToolName::parse("").unwrap_err(), NameError::Empty);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The name is empty.
    #[error("the tool name is empty; use a few letters, digits, `_` or `-`")]
    Empty,
    /// The name has this many bytes.
    #[error("the tool name has {0} bytes; at most 256 are allowed")]
    TooLong(usize),
    /// The name contains a control character.
    #[error("the tool name {0:?} contains a control character; use letters, digits, `_` or `-`")]
    ControlCharacter(String),
}

impl ToolName {
    /// Maximum length of a name in bytes.
    pub const MAX_BYTES: usize = 256;

    /// Parses a name.
    ///
    /// # Errors
    /// Returns [`NameError`] if the name is empty, too long or contains a control character.
    pub fn parse(text: impl Into<Arc<str>>) -> Result<Self, NameError> {
        let text = text.into();
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.len() > Self::MAX_BYTES {
            return Err(NameError::TooLong(text.len()));
        }
        // Other characters are fine: each dialect maps names to what its provider accepts.
        if text.chars().any(char::is_control) {
            return Err(NameError::ControlCharacter(text.as_ref().to_owned()));
        }
        Ok(Self(text))
    }

    /// Returns the name as a string slice.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ToolName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(text)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0.as_ref().to_owned()
    }
}

/// Returns a tool's name without what leaked into it from the template of a model: tokens such as `<|channel|>`, a namespace
/// such as `functions.`, or the number of the call. `None` if there is nothing to remove.
pub(crate) fn without_template(name: &str) -> Option<&str> {
    let recipient = name
        .rsplit_once("to=")
        .map_or(name, |(_, recipient)| recipient);
    let (whole, _) = recipient.split_once("<|").unwrap_or((recipient, ""));
    let whole = whole.trim();
    // Only the namespaces of templates. Any other prefix may belong to the tool of another server.
    let mut namespaces = ["functions", "default_api"].iter();
    let inner = namespaces.find_map(|space| whole.strip_prefix(space)?.strip_prefix(['.', ':']));
    let inner = inner.unwrap_or(whole);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = inner
        .rsplit_once(':')
        .filter(|(_, number)| is_number(number));
    let bare = numbered.map_or(inner, |(bare, _)| bare);
    (!bare.is_empty() && bare.len() < name.len()).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_invalid_names_with_reason() {
        let long = "x".repeat(257);
        for (text, error) in [
            ("", NameError::Empty),
            (long.as_str(), NameError::TooLong(257)),
            ("a\nb", NameError::ControlCharacter("a\nb".into())),
        ] {
            assert_eq!(ToolName::parse(text).unwrap_err(), error, "{text:?}");
        }
    }

    #[test]
    fn accepts_longest_name() {
        assert_eq!(
            ToolName::parse("x".repeat(256)).unwrap().as_str().len(),
            256
        );
    }
}
