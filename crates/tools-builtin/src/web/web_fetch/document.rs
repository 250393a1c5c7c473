//! A page that was fetched, kept to show parts of it.

use std::time::Instant;

use reqwest::StatusCode;
use tool_core::{ToolContext, ToolError};

use super::{WebFetchInput, WebFetchOutput};
use crate::web::exchange::Fetched;
use crate::web::page::{PageFormat, PageText, Readable, Source};

/// A page that was fetched, cheap to share.
#[derive(Debug, Clone)]
pub(super) struct Document {
    url: String,
    final_url: String,
    origin: String,
    is_redirected: bool,
    status: StatusCode,
    content_type: Option<String>,
    content_length: u64,
    title: Option<String>,
    text: PageText,
    /// Whether the response was longer than was read of it.
    is_cut: bool,
    /// Whether not all of the response was made text of.
    is_unfinished: bool,
}

impl Document {
    /// Makes text of what came, until then.
    pub(super) fn read(
        url: String,
        fetched: &Fetched,
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
        Self::new(url, fetched, readable)
    }

    fn new(url: String, fetched: &Fetched, readable: Readable) -> Self {
        Self {
            url,
            final_url: fetched.final_url.to_string(),
            origin: fetched.final_url.origin().ascii_serialization(),
            is_redirected: fetched.is_redirected,
            status: fetched.status,
            content_type: fetched.content_type.clone(),
            content_length: u64::try_from(fetched.body.len()).unwrap_or(u64::MAX),
            title: readable.title,
            text: PageText::new(&readable.text),
            is_cut: fetched.is_cut,
            is_unfinished: readable.is_cut,
        }
    }

    /// How much memory it takes, about, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.text.bytes()
    }

    /// The part that is asked for.
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
            cx.warn("The page is too large to be read in time; its end is missing.");
        }
        Ok(WebFetchOutput {
            url: self.url,
            final_url: self.final_url,
            status_code: self.status.as_u16(),
            content_type: self.content_type,
            content_length: self.content_length,
            title: self.title,
            slice: self.text.slice(input.offset, input.max_chars),
            origin: self.origin,
            is_redirected: self.is_redirected,
            reason: self.status.canonical_reason().unwrap_or_default(),
            is_cut: self.is_cut,
        })
    }
}

fn past_the_end(total: usize) -> ToolError {
    let noun = if total == 1 {
        "character"
    } else {
        "characters"
    };
    let sentence = format!("is past the end: the page has {total} {noun}");
    ToolError::invalid_arguments("offset", sentence)
        .suggest("Give a smaller one, or leave it out to begin at the top.")
}
