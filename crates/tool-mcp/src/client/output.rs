//! Results of calls.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tool_core::omission;
use tool_core::{ContentBlock, ErrorCode, ResourceContents, SideEffects, ToolError, ToolOutput};

use crate::config::Trust;
use crate::wire::Failure;
use crate::{McpServerConfig, hygiene};

/// Media types of images that are shown.
const IMAGES: &str = "image/bmp image/gif image/jpeg image/png image/tiff image/webp";

/// Beginning of the media types of sounds that are passed on.
const SOUNDS: &str = "audio/";

/// Maximum length of a text of a link in characters.
const MAX_LINK: usize = 2_048;

/// Maximum length of an error message in characters.
const MAX_MESSAGE: usize = 4_096;

/// Origin of a result.
pub(crate) struct Origin<'s> {
    pub(crate) server: &'s str,
    pub(crate) config: &'s McpServerConfig,
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
            return Err(self.invalid());
        }
        let mut reader = Reader::new(self.config.max_result);
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
        if !reader.for_user.is_empty() {
            origin.insert("for_user".to_owned(), Value::Array(reader.for_user));
        }
        origin.insert("server".to_owned(), json!(self.server));
        let is_trusted = self.config.trust == Trust::Trusted;
        origin.insert("trusted".to_owned(), json!(is_trusted));
        if let Some(meta) = meta.filter(|meta| meta.to_string().len() <= MAX_MESSAGE) {
            origin.insert("meta".to_owned(), meta);
        }
        output.metadata.insert("mcp".to_owned(), origin.into());
        output
    }

    fn invalid(&self) -> ToolError {
        ToolError::failed(format!(
            "The server \"{}\" returned an invalid result",
            self.server
        ))
        .suggest("Check the effect before you call it again.")
    }

    /// Converts the failure of a request.
    pub(crate) fn failure(&self, failure: Failure) -> ToolError {
        match failure {
            Failure::Unreachable(_) => self
                .unavailable("is not connected")
                .suggest("Try again later, or continue without it."),
            Failure::Lost => self.unknown("stopped while the call ran"),
            Failure::TooLarge => {
                let (server, most) = (self.server, bytes(self.config.max_message));
                let sentence =
                    format!("The server \"{server}\" sent more than {most} in one message");
                ToolError::new(ErrorCode::ResponseTooLarge, sentence)
                    .suggest("Request less, or raise \"max_message\".")
            }
            Failure::Status {
                status,
                retry_after,
            } => self.status(status, retry_after),
            Failure::Server { code, message } => foreign(code_of(code), &message),
            Failure::Invalid => self.unknown("returned a response that cannot be read"),
            Failure::ContentType(_) | Failure::Version(_) => self.invalid(),
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
            _ => self.unknown(&format!("failed with status {status} while the call ran")),
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
            "The server \"{}\" {event}. The effect is unknown",
            self.server
        );
        ToolError::outcome_unknown(sentence).suggest("Check before you call again.")
    }
}

/// Creates the error of a tool from its output.
fn tool_error(mut output: ToolOutput) -> ToolError {
    let texts: Vec<&str> = output
        .content
        .iter()
        .filter_map(ContentBlock::as_text)
        .collect();
    let text = texts.join("\n");
    // The text for the model begins with it again.
    let error = foreign(
        ErrorCode::Failed,
        text.strip_prefix("Error: ").unwrap_or(&text),
    );
    // The text is the message, and the other blocks follow it.
    output.content.retain(|block| block.as_text().is_none());
    error.with_output(output)
}

/// Creates an error with the text of a server, unchanged: a period would make another address or other JSON of it.
fn foreign(code: ErrorCode, text: &str) -> ToolError {
    let message = hygiene::clean(text, MAX_MESSAGE).text;
    if message.trim().is_empty() {
        return ToolError::new(code, "The server reported an error without a message");
    }
    ToolError::new(code.clone(), "").reworded(code, message)
}

/// Returns the code of an error by its JSON-RPC number.
fn code_of(number: i32) -> ErrorCode {
    match number {
        -32_602 => ErrorCode::InvalidArguments,
        -32_601 => ErrorCode::ToolNotExecutable,
        _ => ErrorCode::Failed,
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

/// Content within the limit of one result.
struct Reader {
    room: usize,
    output: ToolOutput,
    /// Blocks that the model must not receive.
    for_user: Vec<Value>,
    /// Number of removed characters.
    hidden: usize,
}

impl Reader {
    /// Creates a reader that keeps at most `room` bytes.
    fn new(room: usize) -> Self {
        Self {
            room,
            output: ToolOutput::default(),
            for_user: Vec::new(),
            hidden: 0,
        }
    }

    fn block(&mut self, block: Value) {
        if is_for_user(&block) {
            self.keep_for_user(block);
            return;
        }
        let kind = block.get("type").and_then(Value::as_str);
        let kind = hygiene::clean(kind.unwrap_or_default(), 40).text;
        match parsed(block) {
            Some(ContentBlock::Text { text }) => self.text(text),
            Some(block) => self.add(&kind, block),
            None => self.note(format!("[block of type \"{kind}\" not shown]")),
        }
    }

    /// Keeps a block for the host, which can show it to the user.
    fn keep_for_user(&mut self, block: Value) {
        if self.takes(block.to_string().len()) {
            self.for_user.push(block);
            self.note("[block for the user only]".to_owned());
        } else {
            self.note("[block for the user only exceeds the limit of one result]".to_owned());
        }
    }

    fn text(&mut self, mut text: String) {
        if self.clean(&mut text, usize::MAX) > self.room {
            let kept = text.floor_char_boundary(self.room);
            let (total, rest) = (text.len(), text.split_off(kept));
            let marker = omission(rest.len(), rest.lines().count(), total);
            text = format!("{text}\n{marker}");
            self.room = 0;
        } else {
            self.room -= text.len();
        }
        self.output.content.push(ContentBlock::text(text));
    }

    /// Adds a note about an omitted block.
    fn note(&mut self, note: String) {
        self.output.content.push(ContentBlock::text(note));
    }

    fn takes(&mut self, size: usize) -> bool {
        let fits = size <= self.room;
        if fits {
            self.room -= size;
        }
        fits
    }

    /// Adds another block, or a note if it is invalid or there is no room for it.
    fn add(&mut self, kind: &str, mut block: ContentBlock) {
        match self.cleaned(&mut block) {
            None => self.note(format!(
                "[{kind} with an invalid or unknown format not shown]"
            )),
            Some(size) if self.takes(size) => self.output.content.push(block),
            Some(size) => self.note(format!(
                "[{kind} of {size} bytes exceeds the limit of one result]"
            )),
        }
    }

    /// Cleans a block. Returns its size, or `None` if its media are invalid.
    fn cleaned(&mut self, block: &mut ContentBlock) -> Option<usize> {
        match block {
            ContentBlock::Image { media_type, data } | ContentBlock::Audio { media_type, data } => {
                media_type.make_ascii_lowercase();
                let is_known = IMAGES.split(' ').any(|image| image == media_type)
                    || media_type.starts_with(SOUNDS) && hygiene::is_clean(media_type);
                (is_known && is_base64(data)).then_some(media_type.len() + data.len())
            }
            ContentBlock::ResourceLink {
                uri,
                name,
                media_type,
                title,
                description,
                ..
            } => {
                let others = [media_type, title, description].into_iter().flatten();
                let texts = [uri, name].into_iter().chain(others);
                Some(texts.map(|text| self.clean(text, MAX_LINK)).sum())
            }
            ContentBlock::Resource {
                uri,
                media_type,
                contents,
            } => {
                let texts = [uri].into_iter().chain(media_type);
                let size: usize = texts.map(|text| self.clean(text, MAX_LINK)).sum();
                match contents {
                    ResourceContents::Text(text) => Some(size + self.clean(text, usize::MAX)),
                    ResourceContents::Blob(data) => is_base64(data).then_some(size + data.len()),
                }
            }
            _ => None,
        }
    }

    /// Removes hidden characters of a string. Returns its length.
    fn clean(&mut self, text: &mut String, limit: usize) -> usize {
        let cleaned = hygiene::clean(text, limit);
        self.hidden += cleaned.hidden;
        *text = cleaned.text;
        text.len()
    }

    fn data(&mut self, data: Option<Value>) {
        let Some(data) = data else {
            return;
        };
        let text = data.to_string();
        if !self.takes(text.len()) {
            let warning = format!(
                "The data of {} bytes exceeds the limit of one result.",
                text.len()
            );
            self.output.warnings.push(warning);
            return;
        }
        let has_text = self
            .output
            .content
            .iter()
            .any(|block| block.as_text().is_none_or(|text| !text.is_empty()));
        if !has_text {
            self.output.content = vec![ContentBlock::text(text)];
        }
        self.output.data = Some(data);
    }
}

/// Returns whether a block is meant for the user and not for the model.
fn is_for_user(block: &Value) -> bool {
    let audience = block.pointer("/annotations/audience");
    let audience = audience.and_then(Value::as_array);
    audience.is_some_and(|audience| {
        audience.contains(&json!("user")) && !audience.contains(&json!("assistant"))
    })
}

/// Reads a block of the protocol.
fn parsed(mut block: Value) -> Option<ContentBlock> {
    let members = block.as_object_mut()?;
    if let Some(Value::Object(resource)) = members.remove("resource") {
        members.extend(resource);
    }
    if let Some(media_type) = members.remove("mimeType") {
        members.insert("media_type".to_owned(), media_type);
    }
    serde_json::from_value(block).ok()
}

fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text.len().is_multiple_of(4) && text.len() - digits.len() <= 2 && digits.bytes().all(is_digit)
}

#[cfg(test)]
mod tests;
