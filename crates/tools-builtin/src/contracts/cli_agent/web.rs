//! Pages.

use tool_core::{Arguments, ErrorCode, Presentation, ToolError, ToolOutput};

use crate::contracts::words::{NO_LIMIT, documented, says, says_with, text, with_default, written};
use crate::web::WebFetchOutput;

/// The most bytes that are read of a page.
const MAX_BYTES: u64 = 1024 * 1024;

pub(super) fn fetch_webpage() -> Presentation<WebFetchOutput> {
    let seconds = "Request timeout (default: 10)";
    documented("fetch_webpage", "Fetch content from a web page")
        .only(["url", "timeout_seconds"])
        .schema("url", text("URL to fetch (must be http or https)"))
        .schema("timeout_seconds", with_default("integer", seconds, 10))
        .pin("max_bytes", MAX_BYTES)
        .pin("cut_long", true)
        .pin("max_chars", NO_LIMIT)
        .render(|output: &WebFetchOutput, arguments| page(output, arguments))
        .fail(|output: &WebFetchOutput, arguments| refused(output, arguments))
        .note("url", |output: &WebFetchOutput, _| output.url.clone())
        .note("status_code", |output: &WebFetchOutput, _| {
            output.status_code
        })
        .note("content_length", |output: &WebFetchOutput, _| {
            output.content_length
        })
        .note("content_type", |output: &WebFetchOutput, _| {
            output.content_type.clone()
        })
        .warn(|output: &WebFetchOutput, _| {
            let printed = "Error: Response too large (>1MB), truncating";
            output.is_cut().then(|| printed.to_owned())
        })
        .map_error(fetching)
}

fn page(output: &WebFetchOutput, arguments: &Arguments<'_>) -> String {
    let (url, size) = (written(arguments, "url"), kilobytes(output.content_length));
    let body = output.body(|more, _| format!("[… {more} characters more]"));
    format!("Fetched content from {url} ({size} KB)\n{body}")
}

/// Kilobytes with one digit, rounded.
fn kilobytes(bytes: u64) -> String {
    let tenths = (bytes.saturating_mul(10) + 512) / 1024;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The error of a page that the server did not give. What it said instead stands behind the text.
fn refused(output: &WebFetchOutput, arguments: &Arguments<'_>) -> Option<ToolError> {
    if output.status_code < 400 {
        return None;
    }
    let text = format!("Error: Failed to fetch - HTTP status {}", output.status());
    let error = says_with(ToolError::failed(""), ErrorCode::from("http_status"), text);
    Some(error.with_output(ToolOutput::text(page(output, arguments))))
}

pub(super) fn fetching(error: ToolError, arguments: &Arguments<'_>) -> ToolError {
    let reason = match (error.code().as_str(), error.parameter()) {
        ("invalid_arguments", Some("url")) => return says(error, "Error: Invalid URL format"),
        ("timeout", _) => {
            let seconds = arguments.get("timeout_seconds");
            let seconds = seconds.and_then(tool_core::Node::as_u64).unwrap_or(10);
            let text = format!("Error: Request timed out after {seconds} seconds");
            return says(error, text);
        }
        ("connection_refused", _) => "connection refused",
        ("connection_failed", _) => "connection failed",
        ("connect_timeout", _) => "connection timed out",
        ("host_not_found", _) => "host not found",
        ("tls_error", _) => "the server cannot be trusted",
        ("redirect_loop" | "too_many_redirects", _) => "too many redirects",
        ("response_incomplete", _) => "the response broke off",
        _ => return error,
    };
    says(error, format!("Error: Failed to fetch - {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_told_in_kilobytes_with_one_digit() {
        for (bytes, told) in [
            (0, "0.0"),
            (51, "0.0"),
            (52, "0.1"),
            (1024, "1.0"),
            (5324, "5.2"),
            (1024 * 1024, "1024.0"),
        ] {
            assert_eq!(kilobytes(bytes), told, "{bytes}");
        }
    }
}
