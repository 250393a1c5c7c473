//! Search for the message of a call whose process ended.

use std::collections::BTreeSet;

use serde::Deserialize;
use tool_core::ledger::Verified;
use tool_core::{ToolContext, ToolOutput, TypedTool};

use super::{FALLBACK_DOMAIN, GmailSend, Outgoing, SendMailOutput, Sent};
use crate::door::Request;
use crate::gmail::headers::{get_header, line};
use crate::gmail::service::{READING, check_id};

/// Maximum number of messages that are read per search.
const READ: usize = 5;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Page {
    messages: Vec<Reference>,
}

#[derive(Debug, Deserialize)]
struct Reference {
    id: String,
}

impl GmailSend {
    /// Returns whether a message with the ID `local` in front of the domain was sent.
    ///
    /// Gmail may replace the IDs of messages and lists them with a delay, so a missing message does not prove that nothing was
    /// sent.
    pub(super) async fn find_sent(
        &self,
        local: &str,
        outgoing: Outgoing,
        cx: &ToolContext,
    ) -> Verified {
        // The domain of the account may have been unknown when the message was sent.
        let known = self.domain(cx).await;
        let domains: BTreeSet<&str> = known
            .as_deref()
            .into_iter()
            .chain([FALLBACK_DOMAIN])
            .collect();
        for domain in domains {
            if let Some((sent, subject)) = self.find_id(&format!("{local}@{domain}"), cx).await {
                return happened(outgoing, &sent, subject);
            }
        }
        Verified::Unknown
    }

    /// Returns the sent message with a Message-ID and its subject. Failures count as not found.
    async fn find_id(&self, message_id: &str, cx: &ToolContext) -> Option<(Sent, String)> {
        let request = Request::get("sent messages", self.gmail.base(), &["messages"])
            .query("q", &format!("in:sent rfc822msgid:{message_id}"))
            .query("maxResults", "5");
        let page: Page = self.gmail.account.fetch(request, READING, cx).await.ok()?;
        for reference in page.messages.into_iter().take(READ) {
            if check_id("id", &reference.id).is_err() {
                continue;
            }
            let headers = ["Message-ID", "Subject"];
            let Ok(message) = self.gmail.metadata(&reference.id, &headers, cx).await else {
                continue;
            };
            let id = get_header(&message.payload, "Message-ID").unwrap_or_default();
            if id.trim_matches(['<', '>', ' ']) == message_id {
                let subject = line(&message.payload, "Subject");
                let (id, thread_id) = (reference.id, message.thread_id);
                return Some((Sent { id, thread_id }, subject));
            }
        }
        None
    }
}

fn happened(mut outgoing: Outgoing, sent: &Sent, subject: String) -> Verified {
    // A reply has the subject of the original message.
    if outgoing.subject.is_empty() {
        outgoing.subject = subject;
    }
    let output = SendMailOutput::of(outgoing, sent);
    let text = GmailSend::render(&output);
    match serde_json::to_value(&output) {
        Ok(data) => Verified::Happened(ToolOutput::text(text).with_data(data)),
        Err(_) => Verified::Unknown,
    }
}
