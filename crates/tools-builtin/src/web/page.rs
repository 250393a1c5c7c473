//! Conversion of a response to readable text, and the part of it that one call returns.

mod json;
pub(super) mod sniff;

#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::time::Instant;

use crate::newlines::without_partial_char;
use html_text as html;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_json::text::{VisibleFilter, is_invisible, one_line};

/// Maximum number of characters in a title or header.
pub(super) const MAX_LINE: usize = 300;

/// Format for HTML.
///
/// # Examples
/// ```
/// use tools_builtin::web::PageFormat;
///
/// assert_eq!(serde_json::to_string(&PageFormat::Markdown)?, "\"markdown\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageFormat {
    /// Plain text.
    #[default]
    Text,
    /// Markdown with link addresses.
    Markdown,
}

/// Body of a response and its metadata.
#[derive(Debug)]
pub(super) struct Source<'s> {
    pub(super) body: &'s [u8],
    pub(super) content_type: Option<&'s str>,
    /// URL of the page, used to resolve links.
    pub(super) base_url: &'s str,
    pub(super) format: PageFormat,
    /// Whether the body was truncated.
    pub(super) is_cut: bool,
    /// Time at which the conversion stops with a partial result.
    pub(super) deadline: Instant,
}

/// Response as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextResponse {
    pub(super) title: Option<String>,
    pub(super) text: String,
    /// Whether the conversion stopped early because of its time or size limit.
    pub(super) is_cut: bool,
}

impl Source<'_> {
    pub(super) fn readable(&self) -> TextResponse {
        let body = if self.is_cut {
            without_partial_char(self.body)
        } else {
            self.body
        };
        let mut decoded = html::decode(body, self.content_type).text;
        if self.is_cut && decoded.ends_with(char::REPLACEMENT_CHARACTER) {
            // Remove the partial character of another encoding.
            decoded.pop();
        }
        let essence = self.content_type.map(sniff::essence).unwrap_or_default();
        let text = match essence.as_str() {
            "text/html" | "application/xhtml+xml" => return self.page(&decoded),
            essence if sniff::is_unknown(essence) && sniff::begins_html(&decoded) => {
                return self.page(&decoded);
            }
            essence if is_json(essence) => json::indented(&decoded).unwrap_or(decoded),
            _ => decoded,
        };
        TextResponse {
            title: None,
            text: without_controls(&text),
            is_cut: false,
        }
    }

    fn page(&self, text: &str) -> TextResponse {
        let options = html::Options::new()
            .with_base_url(self.base_url)
            .with_deadline(self.deadline);
        let page = match self.format {
            PageFormat::Text => html::to_text_with(text, &options),
            PageFormat::Markdown => html::to_markdown_with(text, &options),
        };
        let title = one_line(&page.title, MAX_LINE);
        let mut parts = vec![page.text.as_str()];
        let notes = notes(&page);
        if page.text.len() < FEW_BYTES {
            parts.extend(notes.iter().map(String::as_str));
        }
        parts.retain(|part| !part.is_empty());
        TextResponse {
            title: (!title.is_empty()).then_some(title),
            text: without_controls(&parts.join("\n\n")),
            is_cut: page.truncated,
        }
    }
}

/// Bytes of text up to which a page may be one that scripts draw, or that only redirects.
const FEW_BYTES: usize = 200;

/// Returns what explains a page with little text.
fn notes(page: &html::Page) -> Vec<String> {
    let mut notes = Vec::new();
    if page.has_script {
        let note =
            "[The page has scripts, which are not run here; in a browser they may show more.]";
        notes.push(note.to_owned());
        notes.extend(
            page.noscript
                .as_deref()
                .map(|html| html::to_text(html).text),
        );
    }
    let redirect = page.redirect.as_deref();
    notes.extend(redirect.map(|url| format!("[The page redirects to {url}; fetch that address.]")));
    notes
}

fn is_json(essence: &str) -> bool {
    essence.ends_with("+json") || matches!(essence, "application/json" | "text/json")
}

/// Removes invisible characters and converts all line endings to `\n`.
fn without_controls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut filter = VisibleFilter::default();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\x0b' | '\x0c' | '\u{85}' | '\u{2028}' | '\u{2029}' => shown.push('\n'),
            c if filter.keeps(c) => shown.push(c),
            _ => {}
        }
    }
    shown
}

/// Separator between the header and the content of the page.
pub(super) const SEPARATOR: &str = "--- Content ---";

/// Part of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) text: String,
    /// Offset of the rest in characters, or `None` at the end.
    pub(super) next_offset: Option<usize>,
    /// Length of the page in characters.
    pub(super) total_chars: usize,
}

impl Slice {
    /// Returns at most `max_chars` characters of a page from `offset`.
    pub(super) fn of(page: &str, offset: usize, max_chars: NonZeroUsize) -> Self {
        let page = quoted(page);
        let total_chars = page.chars().count();
        let end = offset.saturating_add(max_chars.get());
        Self {
            text: page.chars().skip(offset).take(max_chars.get()).collect(),
            next_offset: (end < total_chars).then_some(end),
            total_chars,
        }
    }
}

/// Quotes lines that resemble the separator.
fn quoted(text: &str) -> String {
    // A page that contains the separator could pretend that its own text is a header from us.
    if !text.lines().any(is_separator) {
        return text.to_owned();
    }
    let lines = text.split('\n').map(|line| {
        let mark = if is_separator(line) { "> " } else { "" };
        format!("{mark}{line}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns whether a line resembles the separator, ignoring whitespace and invisible characters.
fn is_separator(line: &str) -> bool {
    let seen = |text: &'static str| text.chars().filter(|c| *c != ' ');
    let mut chars = line
        .chars()
        .filter(|c| !c.is_whitespace() && !is_invisible(*c));
    seen(SEPARATOR).all(|own| chars.next().is_some_and(|c| c.eq_ignore_ascii_case(&own)))
        && chars.next().is_none()
}
