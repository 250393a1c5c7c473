//! What to keep of a page, and the bounds of the work.

use std::time::Instant;

/// What becomes of images.
///
/// # Examples
/// ```
/// use tools_builtin::html::{self, Images, Options};
///
/// let page = r#"<p>A cat: <img src="/cat.png" alt="it sleeps"></p>"#;
/// for (images, expected) in [
///     (Images::Omitted, "A cat:"),
///     (Images::AlternativeText, "A cat: ![it sleeps]"),
///     (Images::Linked, "A cat: ![it sleeps](/cat.png)"),
/// ] {
///     let options = Options::new().with_images(images);
///     assert_eq!(html::to_markdown_with(page, &options).text, expected);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Images {
    /// Nothing of them is kept.
    Omitted,
    /// Their alternative text is kept; without one, nothing is.
    #[default]
    AlternativeText,
    /// Their alternative text and, in Markdown, their address.
    Linked,
}

/// What to keep of a page, and the bounds of the work.
///
/// # Examples
/// ```
/// use tools_builtin::html::{self, Options};
///
/// let page = r#"<p>See <a href="../b">the other page</a>.</p>"#;
/// let linked = Options::new().with_base_url("https://example.org/a/");
/// assert_eq!(html::to_markdown_with(page, &linked).text, "See [the other page](https://example.org/b).");
///
/// let bare = Options::new().without_links();
/// assert_eq!(html::to_markdown_with(page, &bare).text, "See the other page.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub(super) base_url: Option<String>,
    pub(super) links: bool,
    pub(super) images: Images,
    pub(super) max_input_bytes: usize,
    pub(super) max_output_bytes: usize,
    pub(super) max_nodes: usize,
    pub(super) deadline: Option<Instant>,
}

impl Options {
    /// Links as they are written, alternative text of images, at most 64 MB of HTML in, 16 MB of text out, four million
    /// nodes, and no deadline.
    #[must_use]
    pub fn new() -> Self {
        Self {
            base_url: None,
            links: true,
            images: Images::default(),
            max_input_bytes: 64 * 1024 * 1024,
            max_output_bytes: 16 * 1024 * 1024,
            max_nodes: 4_000_000,
            deadline: None,
        }
    }

    /// The address of the page: links and images get absolute addresses. A `<base>` of the page itself is followed.
    #[must_use]
    pub fn with_base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Keeps the text of links, and not where they lead.
    #[must_use]
    pub fn without_links(mut self) -> Self {
        self.links = false;
        self
    }

    /// What becomes of images.
    #[must_use]
    pub fn with_images(mut self, images: Images) -> Self {
        self.images = images;
        self
    }

    /// Reads no more of the HTML than so many bytes.
    #[must_use]
    pub fn with_max_input_bytes(mut self, bytes: usize) -> Self {
        self.max_input_bytes = bytes;
        self
    }

    /// Writes no more text than so many bytes.
    #[must_use]
    pub fn with_max_output_bytes(mut self, bytes: usize) -> Self {
        self.max_output_bytes = bytes;
        self
    }

    /// Reads no more than so many elements and pieces of text. Those of what has to be known as a whole, such as a table, take
    /// about 40 bytes of memory each until its end.
    #[must_use]
    pub fn with_max_nodes(mut self, nodes: usize) -> Self {
        self.max_nodes = nodes;
        self
    }

    /// Stops at this moment with what is there. The clock is looked at about once in a thousand elements.
    #[must_use]
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
