//! Results of calls.

mod reader;

use std::time::Duration;

use serde_json::{Map, Value, json};
use tool_core::{ContentBlock, ErrorCode, SideEffects, ToolError, ToolOutput};

use self::reader::Reader;
use crate::hygiene;
use crate::wire::Failure;

/// Maximum length of an error message in characters.
const MAX_MESSAGE: usize = 4_096;

/// Origin of a result.
pub(crate) struct Origin<'s> {
    pub(crate) server: &'s str,
    pub(crate) is_trusted: bool,
    pub(crate) max_result: usize,
    pub(crate) max_message: usize,
}

impl Origin<'_> {
    /// Converts a result as sent.
    pub(crate) fn output(&self, result: Value) -> Result<ToolOutput, ToolError> {
        let Value::Object(mut result) = result else {
            return Err(self.invalid());
        };
        if let Some(kind) = result.get("resultType").and_then(Value::as_str)
            && kind != "complete"
        {
            return Err(self.unsupported(kind));
        }
        let mut reader = Reader::new(self.max_result);
        let data = result.remove("structuredContent");
        match result.remove("content") {
            Some(Value::Array(blocks)) => blocks.into_iter().for_each(|block| reader.block(block)),
            None | Some(Value::Null) if data.is_some() || result.contains_key("isError") => {}
            _ => return Err(self.invalid()),
        }
        reader.data(data);
        let output = self.finish(reader, result.remove("_meta"));
        if result.get("isError") == Some(&Value::Bool(true)) {
            return Err(tool_error(output));
        }
        Ok(output)
    }

    fn finish(&self, reader: Reader, meta: Option<Value>) -> ToolOutput {
        let mut output = reader.output;
        if reader.hidden > 0 {
            let warning = format!(
                "{} hidden characters were removed from the result.",
                reader.hidden
            );
            output.warnings.push(warning);
        }
        let mut origin = Map::new();
        origin.insert("server".to_owned(), json!(self.server));
        origin.insert("trusted".to_owned(), json!(self.is_trusted));
        if let Some(meta) = meta.filter(|meta| meta.to_string().len() <= MAX_MESSAGE) {
            origin.insert("meta".to_owned(), meta);
        }
        output
            .metadata
            .extend([("mcp".to_owned(), Value::Object(origin))]);
        output
    }

    fn invalid(&self) -> ToolError {
        ToolError::failed(format!(
            "The server \"{}\" returned an invalid result",
            self.server
        ))
        .suggest("Check the effect before you call it again.")
    }

    fn unsupported(&self, kind: &str) -> ToolError {
        let kind = hygiene::clean(kind, 40).text;
        let sentence = format!(
            "The server \"{}\" returned `{kind}` instead of a result",
            self.server
        );
        ToolError::failed(sentence).suggest("Continue without this tool.")
    }

    /// Converts the failure of a request.
    pub(crate) fn failure(&self, failure: Failure) -> ToolError {
        match failure {
            Failure::Unreachable(_) => self
                .unavailable("is not connected")
                .suggest("Try again later, or continue without it."),
            Failure::Lost => self.unknown("stopped"),
            Failure::TooLarge => {
                let (server, most) = (self.server, bytes(self.max_message));
                let sentence =
                    format!("The server \"{server}\" sent more than {most} in one message");
                ToolError::new(ErrorCode::ResponseTooLarge, sentence)
                    .suggest("Request less, or raise \"max_message\".")
            }
            Failure::Status {
                status,
                retry_after,
                ..
            } => self.status(status, retry_after),
            Failure::Server { code, message } => {
                ToolError::new(code_of(code), message_of(&message))
            }
            Failure::Invalid | Failure::ContentType(_) | Failure::Version(_) => self.invalid(),
        }
    }

    /// Creates the error of a call that was rejected with an HTTP status.
    fn status(&self, status: u16, retry_after: Option<Duration>) -> ToolError {
        match status {
            429 | 503 => {
                let error = self
                    .unavailable(&format!("is busy ({status})"))
                    .suggest("Try again later, or continue without it.");
                match retry_after {
                    Some(wait) => error.with_retry_after(wait),
                    None => error,
                }
            }
            300..=499 => {
                let event = match status {
                    401 | 403 => format!("requires a login ({status})"),
                    _ => format!("rejected the request with status {status}"),
                };
                self.unavailable(&event)
                    .suggest("Continue without it.")
                    .with_retryable(false)
            }
            _ => self.unknown(&format!("failed with status {status}")),
        }
    }

    /// Creates the error of a call that was not sent, or not accepted.
    fn unavailable(&self, event: &str) -> ToolError {
        let sentence = format!("The server \"{}\" {event}. Nothing was done", self.server);
        ToolError::new(ErrorCode::Unavailable, sentence).with_side_effects(SideEffects::None)
    }

    /// Creates the error of a call that may have taken effect.
    fn unknown(&self, event: &str) -> ToolError {
        let sentence = format!(
            "The server \"{}\" {event} while the call ran. The effect is unknown",
            self.server
        );
        ToolError::outcome_unknown(sentence).suggest("Check before you call again.")
    }
}

/// Creates the error of a tool from its output.
fn tool_error(output: ToolOutput) -> ToolError {
    let texts: Vec<&str> = output
        .content
        .iter()
        .filter_map(ContentBlock::as_text)
        .collect();
    let text = texts.join("\n");
    // The text for the model begins with it again.
    let message = message_of(text.strip_prefix("Error: ").unwrap_or(&text));
    let data = output.data.map(|data| {
        let mut kept = ToolOutput::default().with_data(data);
        kept.metadata = output.metadata;
        kept
    });
    let error = ToolError::failed(message);
    match data {
        Some(data) => error.with_output(data),
        None => error,
    }
}

/// Returns the code of an error by its JSON-RPC number.
fn code_of(number: i32) -> ErrorCode {
    match number {
        -32_602 => ErrorCode::InvalidArguments,
        -32_601 => ErrorCode::ToolNotExecutable,
        _ => ErrorCode::Failed,
    }
}

fn message_of(text: &str) -> String {
    let message = hygiene::clean(text.trim(), MAX_MESSAGE).text;
    if message.is_empty() {
        "The server reported an error without a message".to_owned()
    } else {
        message
    }
}

fn bytes(count: usize) -> String {
    const MIB: usize = 1024 * 1024;
    if count >= MIB && count.is_multiple_of(MIB) {
        format!("{} MiB", count / MIB)
    } else {
        format!("{count} bytes")
    }
}

#[cfg(test)]
mod tests;
