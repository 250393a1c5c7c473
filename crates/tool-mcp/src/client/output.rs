//! Results of calls.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tool_core::omission;
use tool_core::{ContentBlock, ErrorCode, ResourceContents, SideEffects, ToolError, ToolOutput};

use crate::hygiene;
use crate::wire::Failure;

/// Media types of images that are shown.
const IMAGES: &str = "image/bmp image/gif image/jpeg image/png image/tiff image/webp";

/// Beginning of the media types of sounds that are passed on.
const SOUNDS: &str = "audio/";

/// Maximum length of a URI and a media type in characters.
const MAX_URI: usize = 2_048;
const MAX_MEDIA_TYPE: usize = 100;

/// Maximum length of the name and the title of a link in characters.
const MAX_NAME: usize = 256;

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
        if !reader.for_user.is_empty() {
            origin.insert("for_user".to_owned(), Value::Array(reader.for_user));
        }
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
            Failure::Lost => self.unknown("stopped while the call ran"),
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
        let Value::Object(mut block) = block else {
            self.note("[invalid block not shown]".to_owned());
            return;
        };
        if is_for_user(&block) {
            self.keep_for_user(Value::Object(block));
            return;
        }
        let kind = take_text(&mut block, "type").unwrap_or_default();
        let shown = match kind.as_str() {
            "text" => take_text(&mut block, "text").map(|text| self.text(&text)),
            "image" | "audio" => self.media(&kind, &mut block),
            "resource_link" => self.link(&mut block),
            "resource" => self.resource(block.remove("resource")),
            _ => None,
        };
        if shown.is_none() {
            let kind = hygiene::clean(&kind, 40).text;
            self.note(format!("[block of type \"{kind}\" not shown]"));
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

    fn text(&mut self, text: &str) {
        let cleaned = hygiene::clean(text, usize::MAX);
        self.hidden += cleaned.hidden;
        let mut text = cleaned.text;
        if text.len() > self.room {
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

    /// Adds a block of `size` bytes, or a note if there is no room for it.
    fn add(&mut self, kind: &str, size: usize, block: ContentBlock) {
        if self.takes(size) {
            self.output.content.push(block);
        } else {
            self.note(format!(
                "[{kind} of {size} bytes exceeds the limit of one result]"
            ));
        }
    }

    fn media(&mut self, kind: &str, block: &mut Map<String, Value>) -> Option<()> {
        let media_type = take_text(block, "mimeType")?.to_lowercase();
        let data = take_text(block, "data")?;
        let is_image = kind == "image";
        let is_known = if is_image {
            IMAGES.split(' ').any(|image| image == media_type)
        } else {
            media_type.starts_with(SOUNDS)
                && media_type.len() <= MAX_MEDIA_TYPE
                && hygiene::is_clean(&media_type)
        };
        if !is_known || !is_base64(&data) {
            self.note(format!(
                "[{kind} with an invalid or unknown format not shown]"
            ));
            return Some(());
        }
        let size = data.len();
        let block = if is_image {
            ContentBlock::Image { media_type, data }
        } else {
            ContentBlock::Audio { media_type, data }
        };
        self.add(kind, size, block);
        Some(())
    }

    fn link(&mut self, block: &mut Map<String, Value>) -> Option<()> {
        let uri = hygiene::clean(&take_text(block, "uri")?, MAX_URI).text;
        let mut clean = |name: &str, limit| {
            let cleaned = hygiene::clean(&take_text(block, name)?, limit);
            self.hidden += cleaned.hidden;
            Some(cleaned.text)
        };
        let name = clean("name", MAX_NAME).unwrap_or_else(|| uri.clone());
        let title = clean("title", MAX_NAME);
        let description = clean("description", MAX_URI);
        let texts = [&title, &description].into_iter().flatten();
        let length = uri.len() + name.len() + texts.map(String::len).sum::<usize>();
        let link = ContentBlock::ResourceLink {
            uri,
            name,
            media_type: take_media_type(block),
            title,
            description,
            size: block.get("size").and_then(Value::as_u64),
        };
        self.add("link", length, link);
        Some(())
    }

    fn resource(&mut self, resource: Option<Value>) -> Option<()> {
        let Some(Value::Object(mut resource)) = resource else {
            return None;
        };
        let uri = hygiene::clean(&take_text(&mut resource, "uri")?, MAX_URI).text;
        let contents = if let Some(text) = take_text(&mut resource, "text") {
            let cleaned = hygiene::clean(&text, usize::MAX);
            self.hidden += cleaned.hidden;
            ResourceContents::Text(cleaned.text)
        } else {
            let blob = take_text(&mut resource, "blob");
            ResourceContents::Blob(blob.filter(|data| is_base64(data))?)
        };
        let (ResourceContents::Text(inside) | ResourceContents::Blob(inside)) = &contents;
        let size = uri.len() + inside.len();
        let media_type = take_media_type(&mut resource);
        let resource = ContentBlock::Resource {
            uri,
            media_type,
            contents,
        };
        self.add("resource", size, resource);
        Some(())
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
fn is_for_user(block: &Map<String, Value>) -> bool {
    let annotations = block.get("annotations");
    let audience = annotations.and_then(|annotations| annotations.get("audience")?.as_array());
    audience.is_some_and(|audience| {
        audience.contains(&json!("user")) && !audience.contains(&json!("assistant"))
    })
}

fn take_text(members: &mut Map<String, Value>, name: &str) -> Option<String> {
    match members.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn take_media_type(members: &mut Map<String, Value>) -> Option<String> {
    let media_type = take_text(members, "mimeType")?;
    Some(hygiene::clean(&media_type, MAX_MEDIA_TYPE).text)
}

fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text.len().is_multiple_of(4) && text.len() - digits.len() <= 2 && digits.bytes().all(is_digit)
}

#[cfg(test)]
mod tests;
