//! Fetched page.

use std::time::Instant;

use tool_core::{ToolContext, ToolError};

use super::{WebFetchInput, WebFetchOutput};
use crate::web::exchange::FetchResponse;
use crate::web::page::{PageFormat, PageText, Slice, Source};

/// Fetched page, cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Document {
    /// Output without the text.
    output: WebFetchOutput,
    text: PageText,
    /// Whether the conversion to text stopped early.
    is_unfinished: bool,
}

impl Document {
    /// Converts a response to text until `deadline`.
    pub(super) fn read(
        url: String,
        fetched: FetchResponse,
        format: PageFormat,
        deadline: Instant,
    ) -> Self {
        let readable = Source {
            body: &fetched.body,
            content_type: fetched.content_type.as_deref(),
            base_url: fetched.final_url.as_str(),
            format,
            is_cut: fetched.is_cut,
            deadline,
        }
        .readable();
        let output = WebFetchOutput {
            url,
            final_url: fetched.final_url.to_string(),
            status_code: fetched.status.as_u16(),
            content_type: fetched.content_type,
            content_length: u64::try_from(fetched.body.len()).unwrap_or(u64::MAX),
            title: readable.title,
            slice: Slice::default(),
            origin: fetched.final_url.origin().ascii_serialization(),
            is_redirected: fetched.is_redirected,
            reason: fetched.status.canonical_reason().unwrap_or_default(),
            is_cut: fetched.is_cut,
        };
        Self {
            output,
            text: PageText::new(&readable.text),
            is_unfinished: readable.is_cut,
        }
    }

    /// Returns the approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.text.bytes()
    }

    /// Returns the requested part of the page.
    pub(super) fn output(
        self,
        cx: &ToolContext,
        input: &WebFetchInput,
    ) -> Result<WebFetchOutput, ToolError> {
        let total = self.text.chars();
        if input.offset > 0 && input.offset >= total {
            return Err(past_the_end(total));
        }
        if self.is_unfinished {
            cx.warn("The page is too large to convert in time; its end is missing.");
        }
        Ok(WebFetchOutput {
            slice: self.text.slice(input.offset, input.max_chars),
            ..self.output
        })
    }
}

fn past_the_end(total: usize) -> ToolError {
    let plural = if total == 1 { "" } else { "s" };
    let sentence = format!("is past the end: the page has {total} character{plural}");
    ToolError::invalid_arguments("offset", sentence)
        .suggest("Use a smaller number, or omit the parameter to start at the beginning.")
}
