//! Broken laws.

use std::fmt;

/// Law that a tool breaks.
///
/// # Examples
/// ```
/// use tool_test::Broken;
///
/// let broken = Broken::new("every property has a description", "`/path` has none");
/// assert_eq!(broken.to_string(), "every property has a description: `/path` has none");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub(super) law: &'static str,
    detail: String,
}

impl Broken {
    /// Creates the report of a broken law.
    #[must_use]
    pub fn new(law: &'static str, detail: impl Into<String>) -> Self {
        Self {
            law,
            detail: detail.into(),
        }
    }

    /// Returns the law.
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
