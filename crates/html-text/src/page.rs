//! Conversion of a page.

use super::address::absolute;
use super::characters::CharFilter;
use super::options::Options;
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
    /// Address to which the page redirects automatically, absolute if the options have the page's URL.
    pub redirect: Option<String>,
    /// Whether the page has a `<script>`, so that browsers may show other text.
    pub has_script: bool,
    /// HTML of the first `<noscript>` as written, which browsers show only if they run no scripts.
    pub noscript: Option<String>,
    /// Whether a limit of the [`Options`] was reached, so that text is missing at the end.
    pub truncated: bool,
}

/// Converts a page to plain text: blocks on separate lines, `• ` before list items, tabs between
/// table cells.
///
/// Use it if nothing interprets Markdown; [`to_markdown`] also keeps links, headings and code.
pub fn to_text(html: &str) -> Page {
    to_text_with(html, &Options::new())
}

/// Like [`to_text`], but with options.
pub fn to_text_with(html: &str, options: &Options) -> Page {
    page(html, Flavor::Plain, options)
}

/// Converts a page to Markdown: `CommonMark` with GitHub's tables.
///
/// Text of the page that looks like Markdown is escaped, so a page can't add headings or links of
/// its own.
pub fn to_markdown(html: &str) -> Page {
    to_markdown_with(html, &Options::new())
}

/// Like [`to_markdown`], but with options.
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
        redirect: redirect(document.refresh, options.base_url.as_deref(), document.base),
        has_script: document.has_script,
        noscript: Some(document.noscript.trim().to_owned()).filter(|html| !html.is_empty()),
        truncated: document.truncated || is_truncated,
    }
}

/// Returns the address in a value such as `5; url=next.html`.
fn redirect(content: &str, page: Option<&str>, base: &str) -> Option<String> {
    let (_, rest) = content.split_once([';', ','])?;
    let (name, target) = rest.split_once('=')?;
    let target = target.trim().trim_matches(['"', '\'']);
    let is_target = name.trim().eq_ignore_ascii_case("url");
    absolute(target, page, base).filter(|_| is_target)
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
