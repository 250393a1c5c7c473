//! Web pages.

use tool_core::{Arguments, ErrorCode, Presentation, ToolError, ToolOutput};

use crate::toolsets::document::{
    NO_LIMIT, PresentationLists as _, documented, number_argument, reword, reword_as,
    string_argument, text, with_default,
};
use crate::web::WebFetchOutput;

/// Maximum number of bytes read from a page.
const MAX_BYTES: u64 = 1024 * 1024;

pub(super) fn fetch_webpage() -> Presentation<WebFetchOutput> {
    let seconds = "Request timeout (default: 10)";
    documented("fetch_webpage", "Fetch content from a web page")
        .parameters([
            ("url", text("URL to fetch (must be http or https)")),
            ("timeout_seconds", with_default("integer", seconds, 10)),
        ])
        .pin("max_bytes", MAX_BYTES)
        .pin("cut_long", true)
        .pin("max_chars", NO_LIMIT)
        .render(page)
        .fail(status_error)
        .notes([
            ("url", |output| output.url.clone().into()),
            ("status_code", |output| output.status_code.into()),
            ("content_length", |output| output.content_length.into()),
            ("content_type", |output| output.content_type.clone().into()),
        ])
        .warn(|output: &WebFetchOutput, _| {
            let warning = "Error: Response too large (>1MB), truncating";
            output.is_cut().then(|| warning.to_owned())
        })
        .map_error(map_error)
}

fn page(output: &WebFetchOutput, arguments: &Arguments<'_>) -> String {
    let url = string_argument(arguments, "url");
    let size = kilobytes(output.content_length);
    let body = output.body(|more, _| format!("[… {more} more characters]"));
    format!("Fetched content from {url} ({size} KB)\n{body}")
}

/// Formats a size in kilobytes, rounded to one decimal digit.
fn kilobytes(bytes: u64) -> String {
    let tenths = (bytes.saturating_mul(10) + 512) / 1024;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Returns the error for an HTTP error status, with the response body after the text.
fn status_error(output: &WebFetchOutput, arguments: &Arguments<'_>) -> Option<ToolError> {
    if output.status_code < 400 {
        return None;
    }
    let text = format!("Error: Failed to fetch - HTTP status {}", output.status());
    let next = match output.status_code {
        429 | 500.. => "Try again later, or fetch another page.",
        _ => "Check the URL, or fetch another page.",
    };
    let error = ToolError::failed("").suggest(next);
    let error = reword_as(error, ErrorCode::from("http_status"), text);
    Some(error.with_output(ToolOutput::text(page(output, arguments))))
}

pub(super) fn map_error(error: ToolError, arguments: &Arguments<'_>) -> ToolError {
    let reason = match (error.code().as_str(), error.parameter()) {
        ("invalid_arguments", Some("url")) => return reword(error, "Error: Invalid URL format"),
        ("timeout", _) => {
            let seconds = number_argument(arguments, "timeout_seconds").unwrap_or(10);
            let text = format!("Error: Request timed out after {seconds} seconds");
            return reword(error, text);
        }
        ("connection_refused", _) => "connection refused",
        ("connection_failed", _) => "connection failed",
        ("connect_timeout", _) => "connection timed out",
        ("host_not_found", _) => "host not found",
        ("tls_error", _) => "the server is not trusted",
        ("redirect_loop" | "too_many_redirects", _) => "too many redirects",
        ("response_incomplete", _) => "the response is incomplete",
        _ => return error,
    };
    reword(error, format!("Error: Failed to fetch - {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilobytes_have_one_decimal_digit() {
        for (bytes, expected) in [
            (0, "0.0"),
            (51, "0.0"),
            (52, "0.1"),
            (1024, "1.0"),
            (5324, "5.2"),
            (1024 * 1024, "1024.0"),
        ] {
            assert_eq!(kilobytes(bytes), expected, "{bytes}");
        }
    }
}
