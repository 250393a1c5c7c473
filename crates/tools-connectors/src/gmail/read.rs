//! Reader of one message.

mod output;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

use self::output::Mail;
use super::Body;
use super::part::{Message, Part};
use super::service::{Gmail, READING, check_id};
use crate::door::{Problem, Recent, Request, hints_of_reading};
use crate::google::{Account, TIMEOUT};

pub use self::output::ReadMailOutput;

/// Maximum size of a text part that is fetched separately, in bytes.
const MAX_SEPARATE: u64 = 5 * 1024 * 1024;
/// Size of its response, which is base64 in JSON.
const MAX_SEPARATE_RESPONSE: usize = 8 * 1024 * 1024;
/// Maximum number of text parts that are fetched separately.
const SEPARATE: usize = 4;
const MAX_PARTS: usize = 1000;
/// Number of messages that are kept for the next part of their text.
const RECENT: usize = 10;
const RECENT_KEPT: Duration = Duration::from_mins(5);

/// Message to read and part of its content.
///
/// # Examples
/// ```
/// use tools_connectors::gmail::ReadMailInput;
///
/// let input: ReadMailInput = serde_json::from_str(r#"{"id": "18c"}"#)?;
/// assert_eq!((input.max_chars, input.offset), (20_000, 0));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ReadMailInput {
    /// ID of the message, from a search.
    pub id: String,
    /// Maximum number of characters of the text to return, from 1 to 200,000.
    #[serde(default = "default_max_chars")]
    #[schemars(range(min = 1, max = 200_000))]
    pub max_chars: usize,
    /// Number of characters to skip, from the `next_offset` of an earlier call.
    #[serde(default)]
    pub offset: usize,
}

fn default_max_chars() -> usize {
    20_000
}

/// Tool that reads one message.
///
/// # Examples
/// See [`toolsets::standard`](crate::toolsets::standard).
#[derive(Debug, Clone)]
pub struct GmailRead {
    gmail: Gmail,
    recent: Arc<Recent<Mail>>,
}

#[derive(Debug, Deserialize)]
struct Separate {
    data: String,
}

impl GmailRead {
    pub(crate) fn of(account: Account) -> Self {
        Self {
            gmail: Gmail::new(account),
            recent: Arc::new(Recent::new(RECENT, RECENT_KEPT)),
        }
    }

    async fn mail(&self, id: &str, cx: &ToolContext) -> Result<Arc<Mail>, Problem> {
        if let Some(mail) = self.recent.get(id) {
            return Ok(mail);
        }
        let mut message = self.gmail.message(id, cx).await?;
        self.fill(id, &mut message, cx).await?;
        let secrets = self.gmail.account.clone();
        let read = move || {
            let mut mail = Mail::of(&message);
            mail.extracted.text = secrets.scrub(std::mem::take(&mut mail.extracted.text));
            mail.fields.total_chars = mail.extracted.text.chars().count();
            mail
        };
        // The conversion of HTML may take two seconds.
        let mail = tokio::task::spawn_blocking(read).await;
        let mut mail = mail.map_err(|_| Problem::InvalidResponse)?;
        id.clone_into(&mut mail.fields.id);
        let mail = Arc::new(mail);
        self.recent.add(id, &mail);
        Ok(mail)
    }

    /// Fetches the text parts whose content is not in the message.
    async fn fill(&self, id: &str, message: &mut Message, cx: &ToolContext) -> Result<(), Problem> {
        let mut open = vec![&mut message.payload];
        let (mut read, mut fetched) = (0, 0);
        while let Some(part) = open.pop() {
            read += 1;
            if read > MAX_PARTS {
                break;
            }
            if is_separate_text(part) {
                fetched += 1;
                if fetched > SEPARATE || part.body.size > MAX_SEPARATE {
                    cx.warn("A part of the text is too large and was omitted.");
                } else {
                    self.fetch(id, &mut part.body, cx).await?;
                }
            }
            open.extend(part.parts.iter_mut());
        }
        Ok(())
    }

    async fn fetch(&self, id: &str, body: &mut Body, cx: &ToolContext) -> Result<(), Problem> {
        let attachment = body.attachment_id.as_deref().unwrap_or_default();
        if attachment.is_empty() || attachment.trim_matches('.').is_empty() {
            return Ok(());
        }
        let segments = ["messages", id, "attachments", attachment];
        let request = Request::get("message text", self.gmail.base(), &segments)
            .max_bytes(MAX_SEPARATE_RESPONSE);
        let separate: Separate = self.gmail.account.fetch(request, READING, cx).await?;
        body.data = Some(separate.data);
        Ok(())
    }
}

fn is_separate_text(part: &Part) -> bool {
    let is_text = part.mime_type.to_ascii_lowercase().starts_with("text/");
    is_text
        && part.body.data.is_none()
        && part.body.attachment_id.is_some()
        && !super::attachments::is_attachment(part)
}

impl TypedTool for GmailRead {
    type Input = ReadMailInput;
    type Output = ReadMailOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn hints(&self) -> Hints {
        hints_of_reading()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(TIMEOUT)
    }

    fn plan(&self, _cx: &ToolContext, input: &ReadMailInput) -> Result<CallPlan, ToolError> {
        check_id("id", &input.id)?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadMailInput,
    ) -> Result<ReadMailOutput, ToolError> {
        let _place = self.gmail.place().await;
        let mail = self.mail(&input.id, cx).await;
        let mail = mail.map_err(|problem| self.gmail.account.error(problem))?;
        if input.offset > 0 && input.offset >= mail.fields.total_chars {
            let total = mail.fields.total_chars;
            let sentence = format!("is {}, but the text has {total} characters", input.offset);
            return Err(ToolError::invalid_arguments("offset", sentence)
                .suggest("Use a smaller number, or omit it."));
        }
        for warning in &mail.extracted.warnings {
            cx.warn(warning.clone());
        }
        cx.note("untrusted_origin", format!("gmail:{}", input.id));
        Ok(mail.slice(input.offset, input.max_chars))
    }

    fn render(output: &ReadMailOutput) -> String {
        output.text()
    }
}
