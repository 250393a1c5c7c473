//! Conversion of a page.

use super::address::{absolute, join};
use super::characters::CharFilter;
use super::options::Options;
use super::render::{Flavor, Renderer};
use super::tree::{Node, ROOT, Tree};

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
    let tree = Tree::new(html, options);
    let metadata = Metadata::of(&tree);
    let page_url = options.base_url.as_deref();
    let base = page_url.map(|url| join(url, metadata.base.trim()));
    let renderer = Renderer::new(&tree, flavor, base.as_deref(), options.max_output_bytes);
    let (text, is_cut) = renderer.render(ROOT);
    Page {
        title: line(metadata.title),
        text,
        language: filled(metadata.language),
        description: filled(metadata.description),
        redirect: redirect(metadata.refresh, base.as_deref()),
        has_script: metadata.has_script,
        noscript: Some(metadata.noscript.trim().to_owned()).filter(|html| !html.is_empty()),
        truncated: tree.is_truncated() || is_cut,
    }
}

/// Returns the plain text of an element's content.
pub(super) fn text_of(tree: &Tree, id: usize) -> String {
    let most = Options::new().max_output_bytes;
    let (text, _) = Renderer::new(tree, Flavor::Plain, None, most).render(id);
    text
}

/// Values that elements without text carry.
#[derive(Debug, Default)]
struct Metadata<'t> {
    title: &'t str,
    language: &'t str,
    description: &'t str,
    /// Address in the `<base>`.
    base: &'t str,
    /// Content of the `<meta>` that redirects.
    refresh: &'t str,
    /// HTML of the first `<noscript>`.
    noscript: &'t str,
    has_script: bool,
}

impl<'t> Metadata<'t> {
    fn of(tree: &'t Tree) -> Self {
        let mut metadata = Self::default();
        for node in &tree.nodes {
            let text = || Some(tree.get(*node.children.first()?).text.as_str());
            match node.tag() {
                "title" => keep_first(&mut metadata.title, text()),
                "html" => keep_first(&mut metadata.language, node.attribute("lang")),
                "base" => keep_first(&mut metadata.base, node.attribute("href")),
                "meta" => metadata.take(node),
                "noscript" => keep_first(&mut metadata.noscript, text()),
                "script" => metadata.has_script = true,
                _ => {}
            }
        }
        metadata
    }

    /// Takes the value of a `<meta>`.
    fn take(&mut self, meta: &'t Node) {
        let content = meta.attribute("content");
        for name in ["name", "property", "http-equiv"] {
            let name = meta.attribute(name).unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "description" | "og:description" => keep_first(&mut self.description, content),
                "content-language" => keep_first(&mut self.language, content),
                "refresh" => keep_first(&mut self.refresh, content),
                _ => {}
            }
        }
    }
}

fn keep_first<'t>(place: &mut &'t str, found: Option<&'t str>) {
    if place.trim().is_empty() {
        *place = found.unwrap_or_default();
    }
}

/// Returns the address in a value such as `5; url=next.html`.
fn redirect(content: &str, base: Option<&str>) -> Option<String> {
    let (_, rest) = content.split_once([';', ','])?;
    let (name, target) = rest.split_once('=')?;
    let target = target.trim().trim_matches(['"', '\'']);
    let is_target = name.trim().eq_ignore_ascii_case("url");
    absolute(target, base).filter(|_| is_target)
}

/// Returns a metadata value on one line.
fn line(written: &str) -> String {
    let end = written.floor_char_boundary(MAX_LINE);
    CharFilter::default().one_line(written.get(..end).unwrap_or_default())
}

/// Returns a metadata value on one line unless it is empty.
fn filled(written: &str) -> Option<String> {
    Some(line(written)).filter(|text| !text.is_empty())
}
