//! Search for messages.

use std::fmt::Write as _;

use futures_util::{StreamExt as _, stream};
use html_text::to_text;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::message::{Message, line};
use super::{Gmail, HEADERS};
use crate::arguments::{check_token, integer};
use crate::door::{Problem, heading, one_line};

/// Maximum length of a query in bytes.
const MAX_QUERY: usize = 2048;
const MAX_LIMIT: i64 = 50;
/// Concurrent requests of one call.
const CONCURRENT: usize = 5;

/// Query and number of messages.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchMailInput {
    /// Gmail search query
    query: String,
    /// Maximum number of messages, from 1 to 50
    #[serde(default = "default_limit")]
    #[schemars(schema_with = "integer")]
    max_results: i64,
    /// Token of the next page, from an earlier search with the same query
    page_token: Option<String>,
}

fn default_limit() -> i64 {
    10
}

impl SearchMailInput {
    fn limit(&self) -> usize {
        usize::try_from(self.max_results.clamp(1, MAX_LIMIT)).unwrap_or(1)
    }
}

/// Found messages, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct SearchMailOutput {
    /// Messages without their text. Their content is untrusted.
    pub(crate) messages: Vec<MailSummary>,
    /// Token of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_page_token: Option<String>,
    /// Estimated number of all results.
    pub(crate) estimated_total: u64,
    /// Query as sent.
    pub(crate) query: String,
}

/// Tool that searches Gmail.
#[derive(Debug, Clone)]
pub(crate) struct GmailSearch(pub(crate) Gmail);

impl GmailSearch {
    /// Returns the messages in their order. Messages that cannot be read are omitted with a
    /// warning, unless all are.
    async fn summaries(
        &self,
        ids: Vec<String>,
        cx: &ToolContext,
    ) -> Result<Vec<MailSummary>, Problem> {
        let messages = ids.into_iter().map(|id| {
            let (gmail, cx) = (self.0.clone(), cx.clone());
            async move { gmail.metadata(&id, &HEADERS, &cx).await }
        });
        let mut messages = stream::iter(messages).buffered(CONCURRENT);
        let (mut found, mut failed) = (Vec::new(), Vec::new());
        while let Some(message) = messages.next().await {
            match message {
                Ok(message) => found.push(MailSummary::of(&message)),
                Err(problem) => failed.push(problem),
            }
        }
        if !failed.is_empty() {
            let count = failed.len();
            cx.warn(format!(
                "{count} of the messages could not be read, or were deleted in the meantime."
            ));
        }
        // One broken message must not hide nine good ones.
        match failed.pop() {
            Some(problem) if found.is_empty() => Err(problem),
            _ => Ok(found),
        }
    }
}

impl TypedTool for GmailSearch {
    type Input = SearchMailInput;
    type Output = SearchMailOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &SearchMailInput) -> Result<CallPlan, ToolError> {
        check_query(&input.query)?;
        check_token("pageToken", input.page_token.as_deref())?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let token = input.page_token.as_deref();
        let page = self.0.list(&input.query, input.limit(), token, cx).await;
        let page = page.map_err(|problem| self.0.account.error(problem))?;
        let ids = page.messages.into_iter().map(|found| found.id);
        let messages = self.summaries(ids.collect(), cx).await;
        cx.note("untrusted_origin", "gmail.com");
        Ok(SearchMailOutput {
            messages: messages.map_err(|problem| self.0.account.error(problem))?,
            next_page_token: page.next_page_token.map(|token| one_line(&token, 2000)),
            estimated_total: page.result_size_estimate,
            query: input.query,
        })
    }

    fn render(output: &SearchMailOutput) -> String {
        let query = format!("for \"{}\"", output.query);
        let mut text = heading(output.messages.len(), "message", &query);
        for (number, mail) in (1..).zip(&output.messages) {
            let unread = if mail.unread { " (unread)" } else { "" };
            let subject = match mail.subject.as_str() {
                "" => "(no subject)",
                subject => subject,
            };
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "\n\n{number}. {subject}{unread}\n   Date: {}\n   From: {}\n   To: {}\n   ID: {}\n   {}",
                mail.date, mail.from, mail.to, mail.id, mail.snippet
            );
        }
        if let Some(token) = &output.next_page_token {
            let _ = write!(text, "\n\nMore messages: `pageToken` {token}");
        }
        text
    }
}

fn check_query(query: &str) -> Result<(), ToolError> {
    let problem = if query.trim().is_empty() {
        "is empty".to_owned()
    } else if query.len() > MAX_QUERY {
        format!("has {} bytes; at most {MAX_QUERY} are allowed", query.len())
    } else if query.contains(char::is_control) {
        "contains control characters".to_owned()
    } else {
        return Ok(());
    };
    Err(ToolError::invalid_arguments("query", problem)
        .suggest("Use Gmail's search syntax, such as `is:unread` or `from:ada@example.com`."))
}

/// Maximum length of a snippet in characters.
const SNIPPET_CHARS: usize = 300;
const MAX_LABELS: usize = 50;

/// Message in the results of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct MailSummary {
    /// ID of the message.
    pub(crate) id: String,
    /// ID of its conversation.
    pub(crate) thread_id: String,
    /// Time of arrival in UTC.
    pub(crate) date: String,
    /// Sender.
    pub(crate) from: String,
    /// Recipients.
    pub(crate) to: String,
    /// Subject.
    pub(crate) subject: String,
    /// Beginning of the text.
    pub(crate) snippet: String,
    /// Labels, such as `INBOX`.
    pub(crate) labels: Vec<String>,
    /// Whether the message is unread.
    pub(crate) unread: bool,
}

impl MailSummary {
    pub(super) fn of(message: &Message) -> Self {
        let header = |name: &str| line(&message.payload, name);
        let labels = labels(message);
        Self {
            id: one_line(&message.id, 128),
            thread_id: one_line(&message.thread_id, 128),
            date: date(message),
            from: header("From"),
            to: header("To"),
            subject: header("Subject"),
            // The service escapes the text like HTML.
            snippet: one_line(&to_text(&message.snippet).text, SNIPPET_CHARS),
            unread: labels.iter().any(|label| label == "UNREAD"),
            labels,
        }
    }
}

/// Returns the labels.
pub(super) fn labels(message: &Message) -> Vec<String> {
    let labels = message.label_ids.iter().take(MAX_LABELS);
    labels.map(|label| one_line(label, 100)).collect()
}

/// Returns the time of arrival, or the date that the sender states.
pub(super) fn date(message: &Message) -> String {
    let milliseconds = message.internal_date.as_deref().unwrap_or_default();
    let arrival = milliseconds.parse().ok().map(Timestamp::from_millisecond);
    match arrival {
        Some(Ok(time)) => time.to_string(),
        _ => line(&message.payload, "Date"),
    }
}

#[cfg(test)]
mod tests;
