//! Search for the message of a call whose process ended.

use std::collections::BTreeSet;

use tool_core::ToolContext;
use tool_core::ledger::Verified;

use super::{FALLBACK_DOMAIN, GmailSend, Outgoing, SendMailOutput, Sent};
use crate::gmail::headers::line;
use crate::google::happened;

/// Maximum number of messages that are read per search.
const READ: usize = 5;

impl GmailSend {
    /// Returns whether a message with the ID `local` in front of the domain was sent.
    ///
    /// Gmail may replace the IDs of messages and lists them with a delay, so a missing message does not prove that nothing was
    /// sent.
    pub(super) async fn find_sent(
        &self,
        local: &str,
        mut outgoing: Outgoing,
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
                // A reply has the subject of the original message.
                if outgoing.subject.is_empty() {
                    outgoing.subject = subject;
                }
                return happened::<Self>(&SendMailOutput::of(outgoing, &sent));
            }
        }
        Verified::Unknown
    }

    /// Returns the sent message with a Message-ID and its subject. Failures count as not found.
    async fn find_id(&self, message_id: &str, cx: &ToolContext) -> Option<(Sent, String)> {
        let query = format!("in:sent rfc822msgid:{message_id}");
        for id in self.gmail.sent(&query, READ, cx).await? {
            let headers = ["Message-ID", "Subject"];
            let Ok(message) = self.gmail.metadata(&id, &headers, cx).await else {
                continue;
            };
            if message.has_message_id(message_id) {
                let subject = line(&message.payload, "Subject");
                let thread_id = message.thread_id;
                return Some((Sent { id, thread_id }, subject));
            }
        }
        None
    }
}
