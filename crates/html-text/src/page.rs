//! Conversion of a page, with its options and limits.

use std::time::Instant;

use super::characters::CharFilter;
use super::reader::read;
use super::render::{Flavor, Renderer};

/// Maximum length of the title, language and description in bytes.
const MAX_LINE: usize = 2000;

/// Converted page.
///
/// # Examples
/// ```
/// use html_text as html;
///
/// let page = html::to_text("<html lang=en><title>Tea</title><meta name=description content='How to'><p>Boil water.");
/// assert_eq!(page.title, "Tea");
/// assert_eq!(page.language.as_deref(), Some("en"));
/// assert_eq!(page.description.as_deref(), Some("How to"));
/// assert_eq!(page.text, "Boil water.");
/// assert!(!page.truncated);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Page {
    /// Title on one line, at most 2,000 bytes. Empty if the page has none.
    pub title: String,
    /// Text without white space at its start and end.
    pub text: String,
    /// Language that the page declares, such as `en` or `pt-BR`.
    pub language: Option<String>,
    /// Description from the page's `<meta>` elements, on one line and at most 2,000 bytes.
    pub description: Option<String>,
    /// Whether a limit of the [`Options`] was reached, so that text is missing at the end.
    pub truncated: bool,
}

/// Converts a page to plain text: blocks on separate lines, `• ` before list items, tabs between
/// table cells.
///
/// Use it if nothing interprets Markdown; [`to_markdown`] also keeps links, headings and code.
#[must_use]
pub fn to_text(html: &str) -> Page {
    to_text_with(html, &Options::new())
}

/// Like [`to_text`], but with options.
#[must_use]
pub fn to_text_with(html: &str, options: &Options) -> Page {
    page(html, Flavor::Plain, options)
}

/// Converts a page to Markdown: `CommonMark` with GitHub's tables.
///
/// Text of the page that looks like Markdown is escaped, so a page can't add headings or links of
/// its own.
#[must_use]
pub fn to_markdown(html: &str) -> Page {
    to_markdown_with(html, &Options::new())
}

/// Like [`to_markdown`], but with options.
#[must_use]
pub fn to_markdown_with(html: &str, options: &Options) -> Page {
    page(html, Flavor::Markdown, options)
}

fn page(html: &str, flavor: Flavor, options: &Options) -> Page {
    let mut renderer = Renderer::new(flavor, options);
    let document = read(html, options, |document| renderer.write(document));
    let (text, is_truncated) = renderer.finish();
    Page {
        title: line(document.title),
        text,
        language: metadata(document.language),
        description: metadata(document.description),
        truncated: document.truncated || is_truncated,
    }
}

/// Returns a metadata value on one line.
fn line(written: &str) -> String {
    let end = written.floor_char_boundary(MAX_LINE);
    CharFilter::default().one_line(written.get(..end).unwrap_or_default())
}

/// Returns a metadata value on one line unless it is empty.
fn metadata(written: &str) -> Option<String> {
    Some(line(written)).filter(|text| !text.is_empty())
}

/// Options and limits of the conversion.
///
/// # Examples
/// ```
/// use html_text::{self as html, Options};
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
    /// Nodes of a construct that is converted as a unit, such as a table, take about 40 bytes of
    /// memory each until the construct ends.
    pub(super) max_nodes: usize,
    pub(super) deadline: Option<Instant>,
}

impl Options {
    /// Creates the default options: links as written, the alternative text of images, and no
    /// deadline.
    ///
    /// At most 64 MiB of HTML and 4,000,000 elements and text nodes are read, and at most 16 MiB of
    /// text is written.
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

    /// Sets the URL of the page, so that the addresses of links and images become absolute. A
    /// `<base>` element of the page is respected. Without a base URL, addresses stay as written.
    #[must_use]
    pub fn with_base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Omits the addresses of links and keeps their text, which makes the output shorter.
    #[must_use]
    pub fn without_links(mut self) -> Self {
        self.links = false;
        self
    }

    /// Sets what remains of an image. The default is [`Images::AlternativeText`].
    #[must_use]
    pub fn with_images(mut self, images: Images) -> Self {
        self.images = images;
        self
    }

    /// Sets how many bytes of HTML are read. The default is 64 MiB.
    #[must_use]
    pub fn with_max_input_bytes(mut self, bytes: usize) -> Self {
        self.max_input_bytes = bytes;
        self
    }

    /// Sets when the conversion stops and returns the text so far. There is no deadline by default.
    ///
    /// The conversion can be late by the time of 1,024 tokens, because it reads the clock only that
    /// often.
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

/// What remains of an image.
///
/// # Examples
/// ```
/// use html_text::{self as html, Images, Options};
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
    /// Nothing.
    Omitted,
    /// The alternative text. An image without one is omitted.
    #[default]
    AlternativeText,
    /// The alternative text and, in Markdown, the address.
    Linked,
}
