//! A law that a tool breaks.

use std::fmt;

/// A law that a tool breaks.
///
/// # Examples
/// ```
/// use tool_test::Broken;
///
/// let broken = Broken::new("every property is described", "`path` is not");
/// assert_eq!(broken.to_string(), "every property is described: `path` is not");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub(super) law: &'static str,
    detail: String,
}

impl Broken {
    /// Names the law and what breaks it.
    #[must_use]
    pub fn new(law: &'static str, detail: impl Into<String>) -> Self {
        Self {
            law,
            detail: detail.into(),
        }
    }

    /// The law.
    #[must_use]
    pub fn law(&self) -> &str {
        self.law
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.detail)
    }
}
