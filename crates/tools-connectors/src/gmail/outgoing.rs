//! Messages to send.

#[cfg(test)]
mod tests;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::ZonedDateTime;
use jiff::fmt::rfc2822;
use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::raw::Raw;
use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::ToolError;

use super::message::MailAddress;
use crate::arguments::{check_line, require};
use crate::google::{Fingerprint, UNKNOWN_DOMAIN, outsider, people};

const MAX_RECIPIENTS: usize = 100;
const MAX_SUBJECT: usize = 1000;
/// Maximum size of the body in bytes.
const MAX_BODY: usize = 1024 * 1024;
/// Message to send.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SendMailInput {
    /// Recipient address, or several separated by commas
    to: String,
    /// Subject of the email
    subject: String,
    /// Plain-text body of the email
    body: String,
    /// Addresses of copies, separated by commas
    cc: Option<String>,
    /// Addresses of hidden copies, separated by commas
    bcc: Option<String>,
    /// ID of the message to reply to. Its sender and subject replace an empty `to` and `subject`
    pub(super) reply_to_message_id: Option<String>,
    /// Whether to send a message that was sent in the last 10 minutes again
    pub(super) allow_duplicate: Option<bool>,
}

/// Valid message, without the headers that a reply adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outgoing {
    pub(super) to: Vec<MailAddress>,
    pub(super) cc: Vec<MailAddress>,
    pub(super) bcc: Vec<MailAddress>,
    pub(super) subject: String,
    pub(super) body: String,
}

/// Headers of a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ReplyTo {
    pub(super) thread_id: String,
    pub(super) message_id: String,
    pub(super) references: Vec<String>,
}

impl Outgoing {
    /// Validates the arguments of a call. The recipients may be missing in a reply.
    pub(super) fn parse(input: &SendMailInput) -> Result<Self, ToolError> {
        let list = |parameter, list: &Option<String>| {
            people(parameter, list.as_deref().unwrap_or_default())
        };
        check_line("subject", &input.subject, MAX_SUBJECT)?;
        let outgoing = Self {
            to: people("to", &input.to)?,
            cc: list("cc", &input.cc)?,
            bcc: list("bcc", &input.bcc)?,
            subject: input.subject.clone(),
            body: input.body.clone(),
        };
        let count = outgoing.people().count();
        let problem =
            format!("and the other lists have {count} recipients; at most 100 are allowed");
        let suggestion = "Send it to fewer recipients.";
        require(count <= MAX_RECIPIENTS, "to", problem, suggestion)?;
        let has_recipient = count > 0 || input.reply_to_message_id.is_some();
        let problem = "is empty";
        require(has_recipient, "to", problem, "Pass at least one address.")?;
        outgoing.check_text(input)?;
        Ok(outgoing)
    }

    fn check_text(&self, input: &SendMailInput) -> Result<(), ToolError> {
        let bytes = self.body.len();
        let problem = format!("has {bytes} bytes; at most 1 MB is allowed");
        require(bytes <= MAX_BODY, "body", problem, "Shorten it.")?;
        let has_nul = self.body.contains('\0');
        require(!has_nul, "body", "contains NUL characters", "Remove them.")?;
        let is_blank = self.subject.trim().is_empty() && self.body.trim().is_empty();
        let has_text = !is_blank || input.reply_to_message_id.is_some();
        let problem = "and `subject` are empty";
        require(has_text, "body", problem, "Write a subject or a body.")
    }

    /// Returns all recipients.
    pub(super) fn people(&self) -> impl Iterator<Item = &MailAddress> {
        self.to.iter().chain(&self.cc).chain(&self.bcc)
    }

    /// Returns the digest of recipients, subject and body.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let mut people: Vec<&str> = self
            .people()
            .map(|person| person.address.as_str())
            .collect();
        people.sort_unstable();
        let people = people.join(",");
        Fingerprint::of([people.as_str(), &self.subject, &self.body])
    }

    /// Returns the message in the form of RFC 5322, as base64url.
    pub(super) fn encoded(
        &self,
        id: &str,
        date: &ZonedDateTime,
        reply: Option<&ReplyTo>,
    ) -> Option<String> {
        // Without `From`: Gmail fills in the account. It also removes `Bcc` before the delivery.
        let mut builder = MessageBuilder::new();
        for (name, people) in [("To", &self.to), ("Cc", &self.cc), ("Bcc", &self.bcc)] {
            if !people.is_empty() {
                builder = builder.header(name, list(people));
            }
        }
        if !self.subject.is_empty() {
            builder = builder.subject(self.subject.as_str());
        }
        builder = builder
            .header("Date", Raw::new(rfc2822::to_string(date).ok()?))
            .message_id(id);
        if let Some(reply) = reply {
            builder = builder.in_reply_to(reply.message_id.as_str());
            let references = reply.references.iter().map(String::as_str);
            builder = builder.references(MessageId::new_list(references));
        }
        let message = builder.text_body(self.body.as_str()).write_to_vec().ok()?;
        Some(BASE64_URL_SAFE_NO_PAD.encode(message))
    }

    /// Returns the text for an approver. Recipients outside `domain`, the account's, are marked.
    pub(super) fn preview(&self, domain: Option<&str>) -> String {
        let mut lines = Vec::new();
        if self.people().next().is_none() {
            lines.push("To: whoever receives replies to that message".to_owned());
        } else if domain.is_none() {
            lines.push(UNKNOWN_DOMAIN.to_owned());
        }
        for (name, people) in [("To", &self.to), ("Cc", &self.cc), ("Bcc", &self.bcc)] {
            let line = |person: &MailAddress| {
                // At the end of the line, so that a display name cannot imitate or hide the mark.
                let mark = outsider(&person.address, domain);
                format!("{name}: {person}{mark}")
            };
            lines.extend(people.iter().map(line));
        }
        lines.push(format!("Subject: {}", self.subject));
        let body: String = self.body.chars().take(PREVIEW_CHARS).collect();
        let rest = self.body.chars().count().saturating_sub(PREVIEW_CHARS);
        lines.push(String::new());
        // Not filtered like received text: what is sent but not seen would be sent without approval.
        lines.push(body.replace("\r\n", "\n"));
        if rest > 0 {
            lines.push(format!("[… {rest} more characters]"));
        }
        lines.join("\n")
    }
}

/// Number of characters of the body in a preview.
const PREVIEW_CHARS: usize = 2000;

fn list(people: &[MailAddress]) -> Address<'_> {
    let people = people.iter().map(|person| {
        let name = Some(person.name.as_str()).filter(|name| !name.is_empty());
        Address::new_address(name, person.address.as_str())
    });
    Address::new_list(people.collect())
}
