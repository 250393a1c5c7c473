//! From the text of a URL to its parts, read once.

use url::Url;

use super::refusal::UrlRule;

/// The longest URL, in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// The URL that the text is. Whatever is said about it later is said about these parts.
pub(super) fn parse(text: &str) -> Result<Url, UrlRule> {
    // Blanks around a URL are what a model writes; the standard passes over them too.
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    if text.len() > MAX_BYTES {
        return Err(UrlRule::Invalid);
    }
    let url = Url::parse(text).map_err(|_| UrlRule::Invalid)?;
    if is_ambiguous(text) {
        return Err(UrlRule::Ambiguous);
    }
    Ok(url)
}

/// The standard passes over tabs and line breaks, and takes a backslash for a slash; other programs do neither.
fn is_ambiguous(text: &str) -> bool {
    let before_query = text.split(['?', '#']).next().unwrap_or_default();
    text.chars().any(char::is_control) || before_query.contains('\\')
}
