//! Web pages.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tool_core::{ErrorCode, ToolContext, ToolError, ToolOutput};

use crate::toolsets::document::{integer, reword, reword_as};
use crate::toolsets::wording::Wording;
use crate::web::{WebFetch, WebFetchInput, WebFetchOutput};

/// Maximum number of bytes read from a page.
const MAX_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FetchWebpage {
    /// URL to fetch (must be http or https)
    url: String,
    /// Request timeout (default: 10)
    #[serde(default = "default_timeout_seconds")]
    #[schemars(schema_with = "integer")]
    timeout_seconds: u64,
}

fn default_timeout_seconds() -> u64 {
    10
}

impl Wording<WebFetch> for FetchWebpage {
    fn request(&self) -> Result<WebFetchInput, ToolError> {
        Ok(WebFetchInput {
            timeout_seconds: self.timeout_seconds,
            max_bytes: MAX_BYTES,
            cut_long: true,
            max_chars: NonZeroUsize::MAX,
            ..WebFetchInput::of(self.url.clone())
        })
    }

    fn reworded(&self, error: ToolError, _pages: &WebFetch) -> ToolError {
        sentence(error, self.timeout_seconds)
    }

    fn text(&self, cx: &ToolContext, output: &WebFetchOutput) -> Result<String, ToolError> {
        cx.note("url", &*output.url);
        cx.note("status_code", output.status_code);
        cx.note("content_length", output.content_length);
        cx.note("content_type", output.content_type.clone());
        if output.is_cut() {
            cx.warn("Error: Response too large (>1MB), truncating");
        }
        let page = page(output, &self.url);
        if output.status_code >= 400 {
            return Err(status_error(output, page));
        }
        Ok(page)
    }
}

fn page(output: &WebFetchOutput, url: &str) -> String {
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
fn status_error(output: &WebFetchOutput, page: String) -> ToolError {
    let text = format!("Error: Failed to fetch - HTTP status {}", output.status());
    let next = match output.status_code {
        429 | 500.. => "Try again later, or fetch another page.",
        _ => "Check the URL, or fetch another page.",
    };
    let error = ToolError::failed("").suggest(next);
    let error = reword_as(error, ErrorCode::from("http_status"), text);
    error.with_output(ToolOutput::text(page).with_data(json!(output)))
}

pub(super) fn sentence(error: ToolError, timeout_seconds: u64) -> ToolError {
    let reason = match (error.code().as_str(), error.parameter()) {
        ("invalid_arguments", Some("url")) => return reword(error, "Error: Invalid URL format"),
        ("timeout", _) => {
            let text = format!("Error: Request timed out after {timeout_seconds} seconds");
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
