//! Gmail under the names of the source document.

use std::sync::Arc;

use tool_core::{Presentation, Toolset};

use super::super::document::{documented, number, text};
use crate::ConnectorsError;
use crate::gmail::{
    GmailRead, GmailSearch, GmailSend, ReadMailOutput, SearchMailOutput, SendMailOutput,
};
use crate::google::{GmailAccess, Google};

/// Adds the tools of Gmail.
pub(crate) fn add(toolset: Toolset, google: &Google) -> Result<Toolset, ConnectorsError> {
    let account = google.gmail()?;
    let toolset = toolset
        .tool(&Arc::new(GmailSearch::of(account.clone())), gmail_search())?
        .tool(&Arc::new(GmailRead::of(account.clone())), gmail_read())?;
    if google.gmail_access() == GmailAccess::ReadOnly {
        return Ok(toolset);
    }
    Ok(toolset.tool(&Arc::new(GmailSend::of(account)), gmail_send())?)
}

fn gmail_search() -> Presentation<SearchMailOutput> {
    let description =
        "Search Gmail using Gmail search syntax (e.g., is:unread, from:someone@example.com).";
    documented(
        "gmail_search",
        description,
        [
            ("query", "query", text("Gmail search query")),
            (
                "limit",
                "maxResults",
                number("Maximum number of messages, from 1 to 50", 10),
            ),
        ],
    )
    .alias("page_token", "page_token")
    .alias("include_spam_trash", "include_spam_trash")
}

/// Maximum length of the text of a message.
const ALL_CHARS: u64 = 200_000;

fn gmail_read() -> Presentation<ReadMailOutput> {
    documented(
        "gmail_read",
        "Read the full content of a Gmail message by its ID.",
        [("id", "messageId", text("ID of the message"))],
    )
    .pin("max_chars", ALL_CHARS)
    .alias("offset", "offset")
}

fn gmail_send() -> Presentation<SendMailOutput> {
    documented(
        "gmail_send",
        "Send a plain-text email.",
        [
            (
                "to",
                "to",
                text("Recipient address, or several separated by commas"),
            ),
            ("subject", "subject", text("Subject of the email")),
            ("body", "body", text("Plain-text body of the email")),
            ("cc", "cc", text("Addresses of copies, separated by commas")),
            (
                "bcc",
                "bcc",
                text("Addresses of hidden copies, separated by commas"),
            ),
        ],
    )
    .alias("reply_to_message_id", "reply_to_message_id")
    .alias("allow_duplicate", "allow_duplicate")
}
