//! Gmail: search, read and send.
//!
//! The tools are in the [toolsets](crate::toolsets). If your application fetches messages itself,
//! [`decode_body`], [`extract_text`] and [`get_header`] read the JSON that the Gmail API returns.

mod extract;
mod message;
mod outgoing;
mod read;
mod search;
mod send;
#[cfg(test)]
mod testing;

use serde::Deserialize;
use tool_core::{ToolContext, ToolError};

use self::message::{Message, Reference};
use crate::arguments;
use crate::door::{Base, Missing, Problem, Request};
use crate::google::{Account, GMAIL_READ, Purpose};

pub(crate) use message::{MailAddress, parse_addresses};
pub(crate) use read::GmailRead;
pub(crate) use search::GmailSearch;
pub(crate) use send::GmailSend;

pub use extract::{ExtractedText, InvalidBody, decode_body, extract_text};
pub use message::{Body, Header, Part, get_header};

/// Maximum size of one message in bytes.
const MAX_MESSAGE: usize = 48 * 1024 * 1024;

const MISSING: Missing = Missing {
    code: "message_not_found",
    what: "The message",
    is_deleted: false,
};

/// Purpose of requests that read.
const READING: Purpose = Purpose {
    scope: GMAIL_READ,
    permission: "read mail",
    missing: MISSING,
    parameter: None,
};

/// Headers that summaries need.
const HEADERS: [&str; 4] = ["From", "To", "Subject", "Date"];

/// Gmail of one account.
#[derive(Debug, Clone)]
pub(crate) struct Gmail {
    pub(crate) account: Account,
}

impl Gmail {
    fn base(&self) -> &Base {
        &self.account.base
    }

    /// Returns the domain of the account, for a preview.
    async fn domain(&self) -> Option<String> {
        let request = Request::get("profile", self.base(), &["profile"]);
        self.account.domain(request, "/emailAddress").await
    }

    /// Returns the headers of a message.
    async fn metadata(
        &self,
        id: &str,
        headers: &[&str],
        cx: &ToolContext,
    ) -> Result<Message, Problem> {
        let mut request = Request::get("message metadata", self.base(), &["messages", id])
            .query("format", "metadata");
        for header in headers {
            request = request.query("metadataHeaders", header);
        }
        self.account.fetch(request, READING, cx).await
    }

    /// Returns a complete message.
    async fn message(&self, id: &str, cx: &ToolContext) -> Result<Message, Problem> {
        let request = Request::get("message", self.base(), &["messages", id])
            .query("format", "full")
            .max_bytes(MAX_MESSAGE);
        let message: Message = self.account.fetch(request, READING, cx).await?;
        if message.id.is_empty() {
            return Err(Problem::InvalidResponse);
        }
        Ok(message)
    }

    /// Returns a page of the messages that match a query.
    async fn list(
        &self,
        query: &str,
        most: usize,
        page_token: Option<&str>,
        cx: &ToolContext,
    ) -> Result<Page, Problem> {
        let request = Request::get("list messages", self.base(), &["messages"])
            .query("q", query)
            .query("maxResults", &most.to_string())
            .maybe_query("pageToken", page_token);
        let purpose = Purpose {
            parameter: Some("query"),
            ..READING
        };
        let mut page: Page = self.account.fetch(request, purpose, cx).await?;
        page.messages.truncate(most);
        page.messages
            .retain(|found| check_id("id", &found.id).is_ok());
        Ok(page)
    }
}

/// Page of found messages.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Page {
    messages: Vec<Reference>,
    next_page_token: Option<String>,
    result_size_estimate: u64,
}

/// Checks the ID of a message.
fn check_id(parameter: &str, id: &str) -> Result<(), ToolError> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let suggestion = "Use an ID from the results of a search.";
    arguments::check_id(parameter, id, is_allowed, suggestion)
}
