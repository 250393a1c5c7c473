//! Sender of messages.

#[cfg(test)]
mod tests;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use reqwest::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tool_core::approval::Preview;
use tool_core::ledger::Verified;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::message::{MailAddress, addresses, get_header, line};
use super::outgoing::{Outgoing, ReplyTo, SendMailInput};
use super::{Gmail, MISSING, check_id};
use crate::door::{FIRST_WAIT, Problem, Request, Response, one_line};
use crate::google::{
    Account, Doubles, GMAIL_SEND, Outcome, Purpose, failed, happened, problem, unique_id,
};

/// Delays before the searches for a message whose response was lost: 1, 3 and 6 seconds.
const LOOKS: [u32; 3] = [2, 6, 12];
/// Maximum number of messages that are read in a search for a sent one.
const READ: usize = 5;
const WRITING: Purpose = Purpose {
    scope: GMAIL_SEND,
    permission: "send mail",
    missing: MISSING,
    parameter: None,
};

/// Tool that sends a message.
///
/// A message is sent again only if Gmail certainly did not accept it. If the response is lost, the
/// tool searches the sent messages, and fails with `outcome_unknown` if it cannot find the message.
/// In a registry with a ledger, the Message-ID is derived from the key of the call, so that another
/// process finds the message after a crash.
#[derive(Debug, Clone)]
pub(crate) struct GmailSend {
    gmail: Gmail,
    doubles: Doubles,
}

/// Sent message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct SendMailOutput {
    /// ID of the message.
    pub(crate) message_id: String,
    /// ID of its conversation.
    pub(crate) thread_id: String,
    /// Addresses of the recipients.
    pub(crate) to: Vec<String>,
    /// Addresses of the recipients of copies.
    pub(crate) cc: Vec<String>,
    /// Addresses of the recipients of hidden copies.
    pub(crate) bcc: Vec<String>,
    /// Subject.
    pub(crate) subject: String,
}

impl SendMailOutput {
    fn of(outgoing: Outgoing, sent: &Sent) -> Self {
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
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    id: String,
    #[serde(default)]
    thread_id: String,
}

impl GmailSend {
    pub(crate) fn of(account: Account) -> Self {
        Self {
            gmail: Gmail { account },
            doubles: Doubles::default(),
        }
    }

    fn now(&self) -> ZonedDateTime {
        let zone = self.gmail.account.zone.clone().unwrap_or(TimeZone::UTC);
        Timestamp::now().to_zoned_datetime(zone)
    }

    async fn send(
        &self,
        outgoing: &Outgoing,
        reply: Option<&ReplyTo>,
        cx: &ToolContext,
    ) -> Result<Sent, Problem> {
        let id = message_id(&unique_id(cx.call_key()));
        let raw = outgoing.encoded(&id, &self.now(), reply);
        let raw = raw.ok_or_else(|| Problem::Rejected("The message is invalid.".to_owned()))?;
        let mut body = json!({"raw": raw});
        if let (Some(reply), Some(members)) = (reply, body.as_object_mut()) {
            members.insert("threadId".to_owned(), reply.thread_id.clone().into());
        }
        let path = ["messages", "send"];
        let request = Request::post("send message", self.gmail.base(), &path, &body);
        let outcome = self.gmail.account.exchange(request, WRITING, cx).await;
        match outcome.and_then(|response| accepted(&response)) {
            // Gmail has no idempotency key, so a second attempt could be a second mail.
            Err(problem) if !problem.is_without_effect() => self.look(&id, cx).await,
            other => other,
        }
    }

    /// Searches for the message after its response was lost.
    async fn look(&self, message_id: &str, cx: &ToolContext) -> Result<Sent, Problem> {
        for count in LOOKS {
            tokio::time::sleep(FIRST_WAIT * count).await;
            if let Some((sent, _)) = self.find(message_id, cx).await {
                cx.note("found_after_lost_response", true);
                return Ok(sent);
            }
        }
        let sentence = "The response of Gmail was lost, so the message may have been sent or not";
        let suggestion =
            "Do not send it again; look for it first, for example with a search for `in:sent`.";
        Err(Problem::OutcomeUnknown(
            sentence.to_owned(),
            suggestion.to_owned(),
        ))
    }

    /// Returns the sent message with a Message-ID and its subject. Failures count as not found.
    ///
    /// Gmail may replace the IDs of messages and lists them with a delay, so a missing message does
    /// not prove that nothing was sent.
    async fn find(&self, message_id: &str, cx: &ToolContext) -> Option<(Sent, String)> {
        let query = format!("in:sent rfc822msgid:{message_id}");
        let page = self.gmail.list(&query, READ, None, cx).await.ok()?;
        for id in page.messages.into_iter().map(|found| found.id) {
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

/// Returns the Message-ID with this local part.
fn message_id(local: &str) -> String {
    format!("{local}@gmail.com")
}

/// Returns the sent message, or the problem of the response.
fn accepted(response: &Response) -> Result<Sent, Problem> {
    if response.status == StatusCode::OK {
        return response.json();
    }
    Err(problem(response, WRITING))
}

impl TypedTool for GmailSend {
    type Input = SendMailInput;
    type Output = SendMailOutput;

    const RISK: RiskLevel = RiskLevel::Dangerous;

    fn plan(&self, _cx: &ToolContext, input: &SendMailInput) -> Result<CallPlan, ToolError> {
        if let Some(id) = &input.reply_to_message_id {
            check_id("replyToMessageId", id)?;
        }
        Outgoing::parse(input)?;
        Ok(CallPlan::of(Self::RISK).uses("gmail"))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &SendMailInput,
    ) -> Result<Option<Preview>, ToolError> {
        let outgoing = Outgoing::parse(input)?;
        // What was sent before is not in the arguments, so it is no part of the plan.
        if input.allow_duplicate != Some(true) {
            self.doubles.check(outgoing.fingerprint(), "message", cx)?;
        }
        let domain = self.gmail.domain().await;
        let mut text = outgoing.preview(domain.as_deref());
        if let Some(id) = &input.reply_to_message_id {
            text = format!("Reply to the message {id}\n{text}");
        }
        Ok(Some(Preview::text(text)))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let not_done = |error| Outcome::NotDone.state(cx, error);
        let mut outgoing = Outgoing::parse(&input)?;
        let mut reply = None;
        if let Some(id) = &input.reply_to_message_id {
            let found = self.reply(id, &mut outgoing, cx).await;
            reply = Some(found.map_err(|problem| not_done(self.gmail.account.error(problem)))?);
        }
        let fingerprint = outgoing.fingerprint();
        if input.allow_duplicate != Some(true) {
            self.doubles
                .check(fingerprint, "message", cx)
                .map_err(not_done)?;
        }
        let sent = self.send(&outgoing, reply.as_ref(), cx).await;
        let (account, doubles) = (&self.gmail.account, &self.doubles);
        let sent = sent.map_err(|problem| failed(problem, fingerprint, doubles, account, cx))?;
        self.doubles.add(fingerprint, cx);
        Outcome::Done.note(cx);
        Ok(SendMailOutput::of(outgoing, &sent))
    }

    async fn verify(&self, cx: &ToolContext, input: SendMailInput) -> Verified {
        let key = cx.call_key().map(|key| unique_id(Some(key)));
        let (Some(local), Ok(mut outgoing)) = (key, Outgoing::parse(&input)) else {
            return Verified::Unknown;
        };
        let Some((sent, subject)) = self.find(&message_id(&local), cx).await else {
            return Verified::Unknown;
        };
        // A reply has the subject of the original message.
        if outgoing.subject.is_empty() {
            outgoing.subject = subject;
        }
        happened::<Self>(&SendMailOutput::of(outgoing, &sent))
    }

    fn render(output: &SendMailOutput) -> String {
        let lists = [&output.to, &output.cc, &output.bcc];
        let people: Vec<&str> = lists.into_iter().flatten().map(String::as_str).collect();
        let (people, subject) = (people.join(", "), &output.subject);
        let (id, thread) = (&output.message_id, &output.thread_id);
        format!("Sent \"{subject}\" to {people}.\nID: {id}\nThread: {thread}")
    }
}

/// Maximum number of references in a reply.
const MAX_REFERENCES: usize = 50;

impl GmailSend {
    /// Completes a reply with data of the original message.
    async fn reply(
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
        // Long threads would grow by one reference with every mail.
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
