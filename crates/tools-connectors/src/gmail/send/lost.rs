//! Search for a message whose response was lost.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tool_core::ToolContext;

use super::Sent;
use crate::gmail::headers::{addresses, line};
use crate::gmail::outgoing::Outgoing;
use crate::gmail::part::Message;
use crate::gmail::service::Gmail;

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

impl Search<'_> {
    /// Searches the sent messages once. Failures count as not found.
    pub(super) async fn run(&self, cx: &ToolContext) -> Option<Found> {
        let since = self.started.checked_sub(SKEW).unwrap_or(self.started);
        let since = since
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs();
        let query = format!("in:sent after:{since}");
        let mut probable = None;
        for id in self.gmail.sent(&query, 10, cx).await? {
            let Ok(message) = self.gmail.metadata(&id, &HEADERS, cx).await else {
                continue;
            };
            if message.has_message_id(self.message_id) {
                let thread_id = message.thread_id;
                return Some(Found::Certain(Sent { id, thread_id }));
            }
            if self.is_similar(&message) {
                probable.get_or_insert(id);
            }
        }
        probable.map(Found::Probable)
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
