//! Summaries of messages.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::headers::line;
use super::part::Message;
use crate::door::one_line;

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
            snippet: snippet(&message.snippet),
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

/// Returns a snippet on one line, with character references decoded.
fn snippet(escaped: &str) -> String {
    let mut text = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        rest = after;
        match html_text::reference(after, false) {
            Some((c, second, length)) => {
                text.push(c);
                text.extend(second);
                rest = after.get(length..).unwrap_or_default();
            }
            None => text.push('&'),
        }
    }
    text.push_str(rest);
    one_line(&text, SNIPPET_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippet_is_one_unescaped_line() {
        for (escaped, text) in [
            ("It&#39;s &lt;b&gt; &amp;amp; tea", "It's <b> &amp; tea"),
            ("a\u{200b}\n b & c &unknown; &", "a b & c &unknown; &"),
        ] {
            assert_eq!(snippet(escaped), text);
        }
        assert_eq!(snippet(&"ä".repeat(400)).chars().count(), 301);
    }
}
