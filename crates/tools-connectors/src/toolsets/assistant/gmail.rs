//! Gmail under the names of the source document.

use std::sync::Arc;

use serde_json::json;
use tool_core::{Presentation, Toolset};

use super::super::document::documented;
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
    let schemas = json!({
        "query": {"type": "string", "description": "Gmail search query"},
        "limit": {
            "type": "integer",
            "description": "Maximum number of messages, from 1 to 50",
            "default": 10,
        },
    });
    let renamed = [("limit", "maxResults")];
    documented("gmail_search", description, &schemas, &renamed)
        .alias("page_token", "page_token")
        .alias("include_spam_trash", "include_spam_trash")
}

/// Maximum length of the text of a message.
const ALL_CHARS: u64 = 200_000;

fn gmail_read() -> Presentation<ReadMailOutput> {
    let description = "Read the full content of a Gmail message by its ID.";
    let schemas = json!({"id": {"type": "string", "description": "ID of the message"}});
    documented("gmail_read", description, &schemas, &[("id", "messageId")])
        .pin("max_chars", ALL_CHARS)
        .alias("offset", "offset")
}

fn gmail_send() -> Presentation<SendMailOutput> {
    let schemas = json!({
        "to": {
            "type": "string",
            "description": "Recipient address, or several separated by commas",
        },
        "subject": {"type": "string", "description": "Subject of the email"},
        "body": {"type": "string", "description": "Plain-text body of the email"},
        "cc": {"type": "string", "description": "Addresses of copies, separated by commas"},
        "bcc": {
            "type": "string",
            "description": "Addresses of hidden copies, separated by commas",
        },
    });
    documented("gmail_send", "Send a plain-text email.", &schemas, &[])
        .alias("reply_to_message_id", "reply_to_message_id")
        .alias("allow_duplicate", "allow_duplicate")
}
