//! Headers of replies.

use tool_core::ToolContext;

use super::GmailSend;
use crate::door::Problem;
use crate::gmail::headers::{addresses, get_header, line};
use crate::gmail::outgoing::{Outgoing, ReplyTo};

/// Maximum number of references in a reply.
const MAX_REFERENCES: usize = 50;

impl GmailSend {
    /// Completes a reply with data of the original message.
    pub(super) async fn reply(
        &self,
        id: &str,
        outgoing: &mut Outgoing,
        cx: &ToolContext,
    ) -> Result<ReplyTo, Problem> {
        const HEADERS: [&str; 6] = [
            "From",
            "Reply-To",
            "Subject",
            "Message-ID",
            "References",
            "To",
        ];
        let original = self.gmail.metadata(id, &HEADERS, cx).await?;
        let payload = &original.payload;
        let ids = |name| get_header(payload, name).map_or_else(Vec::new, |ids| message_ids(&ids));
        let message_id = ids("Message-ID").pop().unwrap_or_default();
        let mut references = ids("References");
        references.push(message_id.clone());
        references.drain(..references.len().saturating_sub(MAX_REFERENCES));
        if outgoing.people().next().is_none() {
            let mut sender = addresses(payload, "Reply-To");
            if sender.is_empty() {
                sender = addresses(payload, "From");
            }
            outgoing.to = sender;
        }
        if outgoing.subject.is_empty() {
            outgoing.subject = reply_subject(&line(payload, "Subject"));
        }
        Ok(ReplyTo {
            thread_id: original.thread_id,
            message_id,
            references,
        })
    }
}

/// Returns the IDs of messages in a header, without brackets.
fn message_ids(value: &str) -> Vec<String> {
    let ids = value.split(['<', '>', ' ', ',', '\t']);
    let is_id = |id: &&str| {
        id.contains('@')
            && id.len() <= 500
            && !id.contains(|c: char| c.is_control() || !c.is_ascii())
    };
    ids.filter(is_id).map(str::to_owned).collect()
}

fn reply_subject(subject: &str) -> String {
    match subject.get(..3) {
        Some(prefix) if prefix.eq_ignore_ascii_case("re:") => subject.to_owned(),
        _ => format!("Re: {subject}"),
    }
}
