//! Gmail under the names of the source document.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::Toolset;

use super::super::document::{self, Documented, integer};
use crate::ConnectorsError;
use crate::gmail::{
    GmailRead, GmailSearch, GmailSend, ReadMailInput, SearchMailInput, SendMailInput,
};
use crate::google::{GmailAccess, Google, OneOrMany};

/// Adds the tools of Gmail.
pub(crate) fn add(toolset: Toolset, google: &Google) -> Result<Toolset, ConnectorsError> {
    let account = google.gmail()?;
    let toolset = document::add::<Search>(
        toolset,
        "gmail_search",
        "Search Gmail using Gmail search syntax (e.g., is:unread, from:someone@example.com).",
        GmailSearch::of(account.clone()),
    )?;
    let toolset = document::add::<Read>(
        toolset,
        "gmail_read",
        "Read the full content of a Gmail message by its ID.",
        GmailRead::of(account.clone()),
    )?;
    if google.gmail_access() == GmailAccess::ReadOnly {
        return Ok(toolset);
    }
    document::add::<Send>(
        toolset,
        "gmail_send",
        "Send a plain-text email.",
        GmailSend::of(account),
    )
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Search {
    /// Gmail search query
    query: String,
    /// Maximum number of messages, from 1 to 50
    #[serde(rename = "maxResults", default = "ten")]
    #[schemars(schema_with = "integer")]
    max_results: i64,
    /// Token of the next page, from an earlier search with the same query.
    page_token: Option<String>,
    /// Whether to include spam and trash.
    include_spam_trash: Option<bool>,
}

fn ten() -> i64 {
    10
}

impl Documented for Search {
    type Tool = GmailSearch;

    const RENAMED: &[(&str, &str)] = &[("limit", "maxResults")];
    const HIDDEN: &[&str] = &["page_token", "include_spam_trash"];

    fn request(self) -> SearchMailInput {
        SearchMailInput {
            query: self.query,
            limit: self.max_results,
            page_token: self.page_token,
            include_spam_trash: self.include_spam_trash.unwrap_or_default(),
        }
    }
}

/// Maximum length of the text of a message.
const ALL_CHARS: usize = 200_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Read {
    /// ID of the message
    #[serde(rename = "messageId")]
    message_id: String,
    /// Number of characters to skip, from the `next_offset` of an earlier call.
    offset: Option<usize>,
}

impl Documented for Read {
    type Tool = GmailRead;

    const RENAMED: &[(&str, &str)] = &[("id", "messageId")];
    const HIDDEN: &[&str] = &["offset"];

    fn request(self) -> ReadMailInput {
        ReadMailInput {
            id: self.message_id,
            max_chars: ALL_CHARS,
            offset: self.offset.unwrap_or_default(),
        }
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Send {
    /// Recipient address, or several separated by commas
    to: Option<String>,
    /// Subject of the email
    subject: Option<String>,
    /// Plain-text body of the email
    body: String,
    /// Addresses of copies, separated by commas
    cc: Option<String>,
    /// Addresses of hidden copies, separated by commas
    bcc: Option<String>,
    /// ID of the message to reply to.
    reply_to_message_id: Option<String>,
    /// Whether to send a message that was sent in the last 10 minutes again.
    allow_duplicate: Option<bool>,
}

impl Documented for Send {
    type Tool = GmailSend;

    const HIDDEN: &[&str] = &["reply_to_message_id", "allow_duplicate"];

    fn request(self) -> SendMailInput {
        let addresses = |list: Option<String>| list.map(OneOrMany::One).unwrap_or_default();
        SendMailInput {
            to: addresses(self.to),
            subject: self.subject.unwrap_or_default(),
            body: self.body,
            cc: addresses(self.cc),
            bcc: addresses(self.bcc),
            reply_to_message_id: self.reply_to_message_id,
            allow_duplicate: self.allow_duplicate.unwrap_or_default(),
        }
    }
}
