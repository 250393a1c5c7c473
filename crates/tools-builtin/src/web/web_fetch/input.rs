//! Input of a fetch.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::web::page::PageFormat;

/// Page to fetch, and the part to return.
///
/// # Examples
/// ```
/// use tools_builtin::web::WebFetchInput;
///
/// let input: WebFetchInput = serde_json::from_str(r#"{"url": "https://example.com"}"#)?;
/// assert_eq!((input.max_chars.get(), input.offset, input.timeout_seconds), (50_000, 0, 30));
/// assert_eq!(input.max_bytes, 2 * 1024 * 1024);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct WebFetchInput {
    /// URL of the page, starting with http:// or https://.
    pub url: String,
    /// Maximum number of characters of the page's text to return.
    #[serde(default = "default_max_chars")]
    pub max_chars: NonZeroUsize,
    /// Number of characters to skip, to continue a truncated page. The page is not fetched again.
    #[serde(default)]
    pub offset: usize,
    /// Format for HTML: plain text, or Markdown with link addresses.
    #[serde(default)]
    pub format: PageFormat,
    /// Timeout in seconds, including redirects.
    #[serde(default = "default_timeout_seconds")]
    #[schemars(range(min = 1, max = 60))]
    pub timeout_seconds: u64,
    /// Maximum size of the response in bytes, after decompression.
    #[serde(default = "default_max_bytes")]
    pub max_bytes: u64,
    /// Whether to truncate a longer response instead of failing.
    #[serde(default)]
    pub cut_long: bool,
}

impl WebFetchInput {
    /// Creates the input for a page, with the default options.
    pub(crate) fn of(url: String) -> Self {
        Self {
            url,
            max_chars: default_max_chars(),
            offset: 0,
            format: PageFormat::default(),
            timeout_seconds: default_timeout_seconds(),
            max_bytes: default_max_bytes(),
            cut_long: false,
        }
    }
}

fn default_max_chars() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(49_999)
}

fn default_timeout_seconds() -> u64 {
    30
}

fn default_max_bytes() -> u64 {
    2 * 1024 * 1024
}
