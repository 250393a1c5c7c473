//! Readable text of a response.

use std::time::Instant;

use html_text as html;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_json::text::{VisibleFilter, one_line};

use super::{json, sniff};

/// Maximum number of characters in a title or header.
pub(in crate::web) const MAX_LINE: usize = 300;

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
pub(in crate::web) struct Source<'s> {
    pub(in crate::web) body: &'s [u8],
    pub(in crate::web) content_type: Option<&'s str>,
    /// URL of the page, used to resolve links.
    pub(in crate::web) base_url: &'s str,
    pub(in crate::web) format: PageFormat,
    /// Whether the body was truncated.
    pub(in crate::web) is_cut: bool,
    /// Time at which the conversion stops with a partial result.
    pub(in crate::web) deadline: Instant,
}

/// Response as text.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::web) struct TextResponse {
    pub(in crate::web) title: Option<String>,
    pub(in crate::web) text: String,
    /// Whether the conversion stopped early because of its time or size limit.
    pub(in crate::web) is_cut: bool,
}

impl Source<'_> {
    pub(in crate::web) fn readable(&self) -> TextResponse {
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
        TextResponse {
            title: (!title.is_empty()).then_some(title),
            text: without_controls(&page.text),
            is_cut: page.truncated,
        }
    }
}

/// Removes a partial character at the end of UTF-8, which would otherwise be detected as another
/// encoding.
fn without_partial_char(body: &[u8]) -> &[u8] {
    match std::str::from_utf8(body) {
        Err(error) if error.error_len().is_none() => {
            body.get(..error.valid_up_to()).unwrap_or(body)
        }
        _ => body,
    }
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
