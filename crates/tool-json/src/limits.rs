//! Limits of the parser.

/// Maximum size of a document.
///
/// # Examples
/// ```
/// use tool_json::{ParseErrorKind, ParseLimits, parse_with};
///
/// let limits = ParseLimits { max_depth: 2, ..ParseLimits::default() };
/// assert!(parse_with("[[1]]", &limits).is_ok());
/// assert_eq!(parse_with("[[[1]]]", &limits).unwrap_err().kind, ParseErrorKind::TooDeep(2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseLimits {
    /// Maximum size of the text in bytes. The default is 4 MiB.
    pub max_bytes: usize,
    /// Maximum nesting of arrays and objects. The default is 127, which is also the limit of `serde_json`.
    pub max_depth: usize,
    /// Maximum number of values at all depths. The default is 1,048,576.
    pub max_values: usize,
}

impl Default for ParseLimits {
    fn default() -> Self {
        Self {
            max_bytes: 4 * 1024 * 1024,
            max_depth: 127,
            max_values: 1 << 20,
        }
    }
}
