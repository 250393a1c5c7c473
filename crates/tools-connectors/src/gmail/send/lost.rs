//! Search for a message whose response was lost.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use tool_core::ToolContext;

use super::Sent;
use crate::door::Request;
use crate::gmail::headers::{addresses, get_header, line};
use crate::gmail::outgoing::Outgoing;
use crate::gmail::part::Message;
use crate::gmail::service::{Gmail, READING, check_id};

/// Difference between the clocks that is tolerated.
const SKEW: Duration = Duration::from_mins(1);
const HEADERS: [&str; 5] = ["Message-ID", "To", "Cc", "Bcc", "Subject"];

/// Message that may have been sent.
#[derive(Debug)]
pub(super) struct Search<'s> {
    pub(super) gmail: &'s Gmail,
    pub(super) message_id: &'s str,
    pub(super) outgoing: &'s Outgoing,
    pub(super) started: SystemTime,
}

/// Result of a search.
#[derive(Debug)]
pub(super) enum Found {
    /// The message has the same ID.
    Certain(Sent),
    /// A message has the same recipients and subject. Contains its ID.
    Probable(String),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Page {
    messages: Vec<Reference>,
}

#[derive(Debug, Deserialize)]
struct Reference {
    id: String,
}

impl Search<'_> {
    /// Searches the sent messages once. Failures count as not found.
    pub(super) async fn run(&self, cx: &ToolContext) -> Option<Found> {
        let since = self.started.checked_sub(SKEW).unwrap_or(self.started);
        let since = since
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs();
        let request = Request::get("sent messages", self.gmail.base(), &["messages"])
            .query("q", &format!("in:sent after:{since}"))
            .query("maxResults", "10");
        let page: Page = self.gmail.account.fetch(request, READING, cx).await.ok()?;
        let mut probable = None;
        for reference in page.messages.into_iter().take(10) {
            if check_id("id", &reference.id).is_err() {
                continue;
            }
            let Ok(message) = self.gmail.metadata(&reference.id, &HEADERS, cx).await else {
                continue;
            };
            if self.has_id(&message) {
                return Some(Found::Certain(Sent {
                    id: reference.id,
                    thread_id: message.thread_id,
                }));
            }
            if self.is_similar(&message) {
                probable.get_or_insert(reference.id);
            }
        }
        probable.map(Found::Probable)
    }

    fn has_id(&self, message: &Message) -> bool {
        let id = get_header(&message.payload, "Message-ID").unwrap_or_default();
        id.trim_matches(['<', '>', ' ']) == self.message_id
    }

    fn is_similar(&self, message: &Message) -> bool {
        let mut sent: Vec<String> = ["To", "Cc", "Bcc"]
            .iter()
            .flat_map(|name| addresses(&message.payload, name))
            .map(|person| person.address.to_ascii_lowercase())
            .collect();
        let mut own: Vec<String> = self
            .outgoing
            .people()
            .map(|person| person.address.to_ascii_lowercase())
            .collect();
        sent.sort();
        own.sort();
        let subject = crate::door::one_line(&self.outgoing.subject, 1000);
        sent == own && line(&message.payload, "Subject") == subject
    }
}
