//! Sender of messages.

mod domain;
mod lost;
mod output;
mod reply;
#[cfg(test)]
mod tests;
mod verify;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::json;
use tool_core::approval::Preview;
use tool_core::ledger::Verified;
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

use self::lost::{Found, Search};
use super::outgoing::{Outgoing, ReplyTo, SendMailInput};
use super::service::{Gmail, MISSING, check_id};
use crate::door::{Problem, Request, Response};
use crate::google::{Account, Doubles, GMAIL_SEND, Outcome, Purpose, TIMEOUT, hex_id, problem};

pub use self::output::SendMailOutput;

/// Domain of message IDs while the domain of the account is unknown.
const FALLBACK_DOMAIN: &str = "gmail.com";
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
///
/// # Examples
/// See [`toolsets::standard`](crate::toolsets::standard).
#[derive(Debug, Clone)]
pub struct GmailSend {
    gmail: Gmail,
    doubles: Doubles,
    /// Domain of the account, once it is known.
    domain: Arc<OnceLock<String>>,
    /// Delays before the searches for a message whose response was lost.
    looks: [Duration; 3],
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
        // 1, 3 and 6 seconds by default.
        let unit = account.door.first_wait();
        Self {
            looks: [2, 6, 12].map(|count| unit * count),
            gmail: Gmail::new(account),
            doubles: Doubles::default(),
            domain: Arc::default(),
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
        let domain = self.domain.get().map_or(FALLBACK_DOMAIN, String::as_str);
        let id = format!("{}@{domain}", hex_id(cx.call_key())?);
        let raw = outgoing.encoded(&id, &self.now(), reply);
        let raw = raw.ok_or_else(|| Problem::Rejected("The message is invalid.".to_owned()))?;
        let mut body = json!({"raw": raw});
        if let (Some(reply), Some(members)) = (reply, body.as_object_mut()) {
            members.insert("threadId".to_owned(), reply.thread_id.clone().into());
        }
        let started = SystemTime::now();
        let request = Request::post(
            "send message",
            self.gmail.base(),
            &["messages", "send"],
            &body,
        );
        let outcome = self.gmail.account.exchange(request, WRITING, cx).await;
        match outcome.and_then(|response| accepted(&response)) {
            Err(problem) if !problem.is_without_effect() => {
                let search = Search {
                    gmail: &self.gmail,
                    message_id: &id,
                    outgoing,
                    started,
                };
                self.look(&search, cx).await
            }
            other => other,
        }
    }

    /// Searches for the message after its response was lost.
    async fn look(&self, search: &Search<'_>, cx: &ToolContext) -> Result<Sent, Problem> {
        let mut probable = None;
        for wait in self.looks {
            tokio::time::sleep(wait).await;
            match search.run(cx).await {
                Some(Found::Certain(sent)) => {
                    cx.note("found_after_lost_response", true);
                    return Ok(sent);
                }
                Some(Found::Probable(id)) => probable = Some(id),
                None => {}
            }
        }
        let suggestion = match probable {
            Some(id) => format!(
                "Do not send it again; look for it first. The message {id} in Sent is probably it."
            ),
            None => {
                "Do not send it again; look for it first, for example with a search for `in:sent`."
                    .to_owned()
            }
        };
        let sentence = "The response of Gmail was lost, so the message may have been sent or not";
        Err(Problem::OutcomeUnknown(sentence.to_owned(), suggestion))
    }

    /// Returns the error, and records whether the message may have been sent.
    fn failure(&self, problem: Problem, outgoing: &Outgoing, cx: &ToolContext) -> ToolError {
        let outcome = if matches!(problem, Problem::OutcomeUnknown(..)) {
            self.doubles.add(outgoing.fingerprint(), cx);
            Outcome::Unknown
        } else {
            Outcome::NotDone
        };
        outcome.state(cx, self.gmail.account.error(problem))
    }
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

    fn hints(&self) -> Hints {
        Hints {
            read_only: false,
            destructive: false,
            idempotent: false,
            open_world: true,
        }
    }

    fn timeout(&self) -> Option<Duration> {
        Some(TIMEOUT)
    }

    fn plan(&self, _cx: &ToolContext, input: &SendMailInput) -> Result<CallPlan, ToolError> {
        if let Some(id) = &input.reply_to_message_id {
            check_id("reply_to_message_id", id)?;
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
        if !input.allow_duplicate {
            self.doubles.check(outgoing.fingerprint(), "message", cx)?;
        }
        let domain = tokio::time::timeout(Duration::from_secs(1), self.domain(cx)).await;
        let mut text = outgoing.preview(domain.ok().flatten().as_deref());
        if let Some(id) = &input.reply_to_message_id {
            text = format!("Reply to the message {id}\n{text}");
        }
        Ok(Some(Preview::text(text)))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: SendMailInput,
    ) -> Result<SendMailOutput, ToolError> {
        let mut outgoing = Outgoing::parse(&input)?;
        let mut reply = None;
        if let Some(id) = &input.reply_to_message_id {
            let found = self.reply(id, &mut outgoing, cx).await;
            reply = Some(found.map_err(|problem| self.failure(problem, &outgoing, cx))?);
        }
        let fingerprint = outgoing.fingerprint();
        if !input.allow_duplicate {
            self.doubles
                .check(fingerprint, "message", cx)
                .map_err(|error| Outcome::NotDone.state(cx, error))?;
        }
        let sent = self.send(&outgoing, reply.as_ref(), cx).await;
        let sent = sent.map_err(|problem| self.failure(problem, &outgoing, cx))?;
        self.doubles.add(fingerprint, cx);
        Outcome::Done.note(cx);
        Ok(SendMailOutput::of(outgoing, &sent))
    }

    async fn verify(&self, cx: &ToolContext, input: SendMailInput) -> Verified {
        let key = cx.call_key().and_then(|key| hex_id(Some(key)).ok());
        match (key, Outgoing::parse(&input)) {
            (Some(id), Ok(outgoing)) => self.find_sent(&id, outgoing, cx).await,
            _ => Verified::Unknown,
        }
    }

    fn render(output: &SendMailOutput) -> String {
        output.text()
    }
}
