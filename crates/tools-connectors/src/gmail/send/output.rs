//! Sent messages for the model.

use schemars::JsonSchema;
use serde::Serialize;

use super::Sent;
use crate::door::one_line;
use crate::gmail::MailAddress;
use crate::gmail::outgoing::Outgoing;

/// Sent message.
///
/// # Examples
/// ```
/// use tools_connectors::gmail::SendMailOutput;
///
/// let output = SendMailOutput::default();
/// assert!(output.to.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SendMailOutput {
    /// ID of the message.
    pub message_id: String,
    /// ID of its conversation.
    pub thread_id: String,
    /// Addresses of the recipients.
    pub to: Vec<String>,
    /// Addresses of the recipients of copies.
    pub cc: Vec<String>,
    /// Addresses of the recipients of hidden copies.
    pub bcc: Vec<String>,
    /// Subject.
    pub subject: String,
}

impl SendMailOutput {
    pub(super) fn of(outgoing: Outgoing, sent: &Sent) -> Self {
        let list =
            |people: Vec<MailAddress>| people.into_iter().map(|person| person.address).collect();
        Self {
            message_id: one_line(&sent.id, 128),
            thread_id: one_line(&sent.thread_id, 128),
            to: list(outgoing.to),
            cc: list(outgoing.cc),
            bcc: list(outgoing.bcc),
            subject: outgoing.subject,
        }
    }

    /// Returns the text for the model.
    pub(super) fn text(&self) -> String {
        let people: Vec<&str> = [&self.to, &self.cc, &self.bcc]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        format!(
            "Sent \"{}\" to {}.\nID: {}\nThread: {}",
            self.subject,
            people.join(", "),
            self.message_id,
            self.thread_id
        )
    }
}
