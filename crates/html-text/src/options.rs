//! Options and limits of the conversion.

use std::time::Instant;

/// Options and limits of the conversion.
///
/// # Examples
/// ```
/// use html_text::{self as html, Options};
///
/// let page = r#"<p>See <a href="../b">the other page</a>.</p>"#;
/// let linked = Options::new().with_base_url("https://example.org/a/");
/// assert_eq!(html::to_markdown_with(page, &linked).text, "See [the other page](https://example.org/b).");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Options {
    pub(super) base_url: Option<String>,
    pub(super) max_input_bytes: usize,
    pub(super) max_output_bytes: usize,
    pub(super) max_nodes: usize,
    pub(super) deadline: Option<Instant>,
}

impl Options {
    /// Creates the default options: links as written, and the alternative text of images.
    ///
    /// At most 64 MiB of HTML and 1,000,000 elements, attributes and text nodes are read, for at
    /// most 10 seconds, and at most 16 MiB of text is written.
    pub fn new() -> Self {
        Self {
            base_url: None,
            max_input_bytes: 64 * 1024 * 1024,
            max_output_bytes: 16 * 1024 * 1024,
            max_nodes: 1_000_000,
            deadline: None,
        }
    }

    /// Sets the URL of the page, so that the addresses of links become absolute. A
    /// `<base>` element of the page is respected. Without a base URL, addresses stay as written.
    pub fn with_base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Sets how many bytes of HTML are read. The default is 64 MiB.
    pub fn with_max_input_bytes(mut self, bytes: usize) -> Self {
        self.max_input_bytes = bytes;
        self
    }

    /// Sets when the conversion stops and returns the text so far. The default is 10
    /// seconds after its start.
    ///
    /// The conversion can be late by the time that it takes to write the text of what was read.
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}
