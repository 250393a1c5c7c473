//! Decoding of files that are not UTF-8.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Handling of bytes that are not UTF-8.
///
/// # Examples
/// ```
/// use tools_builtin::files::Decoding;
///
/// assert_eq!(serde_json::to_string(&Decoding::Utf8Only)?, "\"utf8_only\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decoding {
    /// Detect the encoding of text, and show binary files in hexadecimal.
    #[default]
    Detect,
    /// Show bytes that are neither UTF-8 nor marked as UTF-16 as `�`, also in binary files.
    Lossy,
    /// Reject such files.
    Utf8Only,
}
