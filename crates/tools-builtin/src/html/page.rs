//! A page as a reader sees it.

use super::Options;
use super::letters::Letters;
use super::reader::read;
use super::render::{Flavour, Renderer};

/// What a page says of itself is not longer, in bytes.
const LONGEST_LINE: usize = 2000;

/// A page as a reader sees it.
///
/// # Examples
/// ```
/// use tools_builtin::html;
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
    /// The title in one line; empty where there is none.
    pub title: String,
    /// The text, without blanks at its ends.
    pub text: String,
    /// The language that the page says it is in, such as `en` or `pt-BR`.
    pub language: Option<String>,
    /// What the page says of itself in one line.
    pub description: Option<String>,
    /// Whether a bound of the [`Options`] ended the work: the text is the beginning of the page.
    pub truncated: bool,
}

/// The plain text of a page: blocks on lines of their own, `• ` before list items, tabs between the cells of a table.
#[must_use]
pub fn to_text(html: &str) -> Page {
    to_text_with(html, &Options::new())
}

/// The plain text of a page, by these options.
#[must_use]
pub fn to_text_with(html: &str, options: &Options) -> Page {
    page(html, Flavour::Plain, options)
}

/// A page as Markdown, as `CommonMark` with the tables of GitHub has it.
#[must_use]
pub fn to_markdown(html: &str) -> Page {
    to_markdown_with(html, &Options::new())
}

/// A page as Markdown, by these options.
#[must_use]
pub fn to_markdown_with(html: &str, options: &Options) -> Page {
    page(html, Flavour::Markdown, options)
}

pub(super) fn page(html: &str, flavour: Flavour, options: &Options) -> Page {
    let mut renderer = Renderer::new(flavour, options);
    let document = read(html, options, |document| renderer.write(document));
    let (text, is_cut) = renderer.finish();
    let said = |text: &str| Some(line(text)).filter(|text| !text.is_empty());
    Page {
        title: line(document.title),
        text,
        language: said(document.language),
        description: said(document.description),
        truncated: document.truncated || is_cut,
    }
}

/// What a page says of itself, on one line.
pub(super) fn line(written: &str) -> String {
    let end = written.floor_char_boundary(LONGEST_LINE);
    let mut letters = Letters::default();
    let seen = letters.seen(written.get(..end).unwrap_or_default(), false);
    seen.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}
