//! The main article of a page, without what is around it.

use std::ops::ControlFlow;

use dom_smoothie::{Config, Readability};

use super::page::{line, page};
use super::reader::{flattened, read};
use super::render::Flavour;
use super::{Options, Page};

/// Larger pages, without what is hidden in them, are not looked through.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Pages of more elements are not either.
const MAX_ELEMENTS: usize = 30_000;

/// The main article of a page as Markdown, without menus, lists of other pages and the like.
///
/// Which part of the page that is, is told by the measures of Mozilla's Readability. Nothing where no part stands out, and
/// for pages of more than 2 MB or 30,000 elements beside what is hidden in them: [`to_markdown`](super::to_markdown) reads
/// those. Takes some 20 times longer than that, and [`Options::with_deadline`] bounds only the writing.
///
/// # Examples
/// ```
/// use tools_builtin::html::{self, Options};
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
    extract(html, Flavour::Markdown, options)
}

/// The main article of a page as plain text; else as [`article`].
#[must_use]
pub fn article_text(html: &str, options: &Options) -> Option<Page> {
    extract(html, Flavour::Plain, options)
}

fn extract(html: &str, flavour: Flavour, options: &Options) -> Option<Page> {
    let input = html.get(..html.floor_char_boundary(options.max_input_bytes))?;
    let flat = flattened(input, MAX_BYTES, MAX_ELEMENTS)?;
    let config = Config {
        // What a tree makes of unclosed elements may be more than was counted.
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
    let said = |text: &str| Some(line(text)).filter(|text| !text.is_empty());
    let written = page(&found.content, flavour, options);
    (!written.text.is_empty()).then(|| Page {
        title: line(&found.title),
        language: said(whole.language),
        description: said(whole.description),
        truncated: written.truncated || input.len() < html.len(),
        ..written
    })
}

#[cfg(test)]
mod tests;
