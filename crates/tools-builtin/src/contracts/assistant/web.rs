//! Pages.

use tool_core::Presentation;

use crate::contracts::words::{documented, text, with_default};
use crate::web::WebFetchOutput;

pub(super) fn web_fetch() -> Presentation<WebFetchOutput> {
    let description = "Fetch content from a URL and return it as readable text. Supports HTML (converted to plain text), JSON (pretty-printed), and plain text. GET requests only.";
    let max_chars = "Maximum characters to return (default: 50000)";
    documented("web_fetch", description)
        .only(["url", "max_chars"])
        .rename("max_chars", "maxChars")
        .schema("url", text("URL to fetch"))
        .schema("max_chars", with_default("integer", max_chars, 50_000))
        .render(|output: &WebFetchOutput, _| output.with_notice(truncated))
        .note("untrusted_origin", |output: &WebFetchOutput, _| {
            output.origin().to_owned()
        })
}

fn truncated(more: usize, shown: usize) -> String {
    format!(
        "[Content truncated at {shown} characters; {more} more. Ask for them with a larger maxChars.]"
    )
}
