//! Main article of a page, without its surroundings.

use std::ops::ControlFlow;

use dom_smoothie::{Config, Readability};

use super::page::{line, metadata, page};
use super::reader::{flattened, read};
use super::render::Flavor;
use super::{Options, Page};

/// Maximum size of the visible HTML in bytes.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Maximum number of visible elements.
const MAX_ELEMENTS: usize = 30_000;

/// Returns the main article of a page as Markdown, without navigation and other boilerplate.
///
/// Mozilla's Readability heuristics select the article. Returns `None` if no part of the page
/// stands out, or if the visible HTML is over 2 MB or 30,000 elements; use
/// [`to_markdown`](super::to_markdown) for these pages. Takes about 20 times as long as
/// `to_markdown`. [`Options::with_deadline`] limits only the conversion, not the search for the
/// article.
///
/// # Examples
/// ```
/// use html_text::{self as html, Options};
///
/// let sentence = "Tea, it is said, was found when leaves fell into a pot of boiling water, and somebody drank it. ";
/// let page = format!(
///     "<title>Tea</title><ul class=menu><li><a href=/>Home</a></ul><article><p>{0}<p>{0}<p>{0}</article><footer>2026</footer>",
///     sentence.repeat(4),
/// );
/// let article = html::article(&page, &Options::new()).ok_or("no article")?;
/// assert!(article.text.starts_with("Tea, it is said"));
/// assert!(!article.text.contains("Home"));
/// assert_eq!(article.title, "Tea");
/// # Ok::<_, &str>(())
/// ```
#[must_use]
pub fn article(html: &str, options: &Options) -> Option<Page> {
    extract(html, Flavor::Markdown, options)
}

/// Like [`article`], but returns plain text.
#[must_use]
pub fn article_text(html: &str, options: &Options) -> Option<Page> {
    extract(html, Flavor::Plain, options)
}

fn extract(html: &str, flavor: Flavor, options: &Options) -> Option<Page> {
    let input = html.get(..html.floor_char_boundary(options.max_input_bytes))?;
    let flat = flattened(input, MAX_BYTES, MAX_ELEMENTS)?;
    let config = Config {
        // The tree may contain more elements than were counted, because of unclosed elements.
        max_elements_to_parse: MAX_ELEMENTS * 2,
        disable_json_ld: true,
        ..Config::default()
    };
    let found = Readability::new(flat, None, Some(config))
        .ok()?
        .parse()
        .ok()?;
    let beginning = options.clone().with_max_nodes(2000);
    let whole = read(html, &beginning, |_| ControlFlow::Continue(()));
    let written = page(&found.content, flavor, options);
    (!written.text.is_empty()).then(|| Page {
        title: line(&found.title),
        language: metadata(whole.language),
        description: metadata(whole.description),
        truncated: written.truncated || input.len() < html.len(),
        ..written
    })
}

#[cfg(test)]
mod tests;
