//! Results of calls.

use serde_json::{Map, Value, json};
use tool_core::{ContentBlock, ErrorCode, ResourceContents, SideEffects, ToolError, ToolOutput};

use super::hygiene;
use crate::wire::RequestError;

/// Maximum length of an error message in characters.
const MAX_MESSAGE: usize = 4_096;

/// Media types of images that are shown.
const IMAGES: [&str; 6] = ["image/bmp", "image/gif", "image/jpeg", "image/png", "image/tiff", "image/webp"];

/// Beginning of the media types of sounds that are passed on.
const SOUNDS: &str = "audio/";

/// Maximum length of a URI and a media type in characters.
const MAX_URI: usize = 2_048;
const MAX_MEDIA_TYPE: usize = 100;

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
        let mut reader = Reader { room: self.max_result, output: ToolOutput::default(), hidden: 0 };
        let data = result.remove("structuredContent");
        match result.remove("content") {
            Some(Value::Array(blocks)) => blocks.into_iter().for_each(|block| reader.block(block)),
            None | Some(Value::Null) if data.is_some() || result.contains_key("isError") => {}
            _ => return Err(self.invalid()),
        }
        reader.data(data);
        let output = self.finish(reader, result.remove("_meta"));
        if result.get("isError") == Some(&Value::Bool(true)) {
            return Err(self.tool_error(output));
        }
        Ok(output)
    }

    fn finish(&self, reader: Reader, meta: Option<Value>) -> ToolOutput {
        let mut output = reader.output;
        if reader.hidden > 0 {
            let warning = format!("{} hidden characters were removed from the result.", reader.hidden);
            output.warnings.push(warning);
        }
        let mut origin = Map::new();
        origin.insert("server".to_owned(), json!(self.server));
        origin.insert("trusted".to_owned(), json!(self.is_trusted));
        if let Some(meta) = meta.filter(|meta| meta.to_string().len() <= MAX_MESSAGE) {
            origin.insert("meta".to_owned(), meta);
        }
        output.metadata.extend([("mcp".to_owned(), Value::Object(origin))]);
        output
    }

    /// Creates the error of a tool from its output.
    fn tool_error(&self, output: ToolOutput) -> ToolError {
        let texts: Vec<&str> = output.content.iter().filter_map(ContentBlock::as_text).collect();
        let message = message_of(&texts.join("\n"));
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

    fn invalid(&self) -> ToolError {
        ToolError::failed(format!("The server \"{}\" returned an invalid result", self.server))
            .suggest("Check the effect before you call it again.")
    }

    fn unsupported(&self, kind: &str) -> ToolError {
        let kind = hygiene::clean(kind, 40).text;
        let sentence = format!("The server \"{}\" returned `{kind}` instead of a result", self.server);
        ToolError::failed(sentence).suggest("Continue without this tool.")
    }

    /// Converts the failure of a request.
    pub(crate) fn failure(&self, failure: RequestError) -> ToolError {
        let server = self.server;
        match failure {
            RequestError::NotSent => {
                let sentence = format!("The server \"{server}\" is not connected. Nothing was done");
                ToolError::new(ErrorCode::Unavailable, sentence)
                    .suggest("Try again later, or continue without it.")
                    .with_side_effects(SideEffects::None)
            }
            RequestError::Lost => {
                let sentence =
                    format!("The server \"{server}\" stopped while the call ran. The effect is unknown");
                ToolError::outcome_unknown(sentence).suggest("Check before you call again.")
            }
            RequestError::TooLarge => {
                let most = bytes(self.max_message);
                let sentence = format!("The server \"{server}\" sent more than {most} in one message");
                ToolError::new(ErrorCode::ResponseTooLarge, sentence)
                    .suggest("Request less, or raise \"max_message\".")
            }
            RequestError::Server { code, message } => {
                ToolError::new(code_of(code), message_of(&message))
            }
        }
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

/// Content within the limit of one result.
struct Reader {
    room: usize,
    output: ToolOutput,
    hidden: usize,
}

impl Reader {
    fn block(&mut self, block: Value) {
        let Value::Object(mut block) = block else {
            self.note("[invalid block not shown]".to_owned());
            return;
        };
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

    fn text(&mut self, text: &str) {
        let cleaned = hygiene::clean(text, usize::MAX);
        self.hidden += cleaned.hidden;
        let mut text = cleaned.text;
        if text.len() > self.room {
            let kept = text.floor_char_boundary(self.room);
            let omitted = text.len() - kept;
            text.truncate(kept);
            text.push_str(&format!("\n[… {omitted} more bytes are omitted]"));
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

    fn media(&mut self, kind: &str, block: &mut Map<String, Value>) -> Option<()> {
        let media_type = take_text(block, "mimeType")?.to_lowercase();
        let data = take_text(block, "data")?;
        let is_image = kind == "image";
        let is_known = match is_image {
            true => IMAGES.contains(&media_type.as_str()),
            false => media_type.starts_with(SOUNDS) && media_type.len() <= MAX_MEDIA_TYPE && hygiene::is_clean(&media_type),
        };
        if !is_known || !is_base64(&data) {
            self.note(format!("[{kind} with an invalid or unknown format not shown]"));
        } else if !self.takes(data.len()) {
            self.note(format!("[{kind} of {} bytes exceeds the limit of one result]", data.len()));
        } else if is_image {
            self.output.content.push(ContentBlock::Image { media_type, data });
        } else {
            self.output.content.push(ContentBlock::Audio { media_type, data });
        }
        Some(())
    }

    fn link(&mut self, block: &mut Map<String, Value>) -> Option<()> {
        let uri = hygiene::clean(&take_text(block, "uri")?, MAX_URI).text;
        let name = take_text(block, "name").unwrap_or_else(|| uri.clone());
        let name = hygiene::clean(&name, 256).text;
        let media_type = take_text(block, "mimeType").map(|text| hygiene::clean(&text, MAX_MEDIA_TYPE).text);
        if self.takes(uri.len() + name.len()) {
            self.output.content.push(ContentBlock::ResourceLink { uri, name, media_type });
        }
        Some(())
    }

    fn resource(&mut self, resource: Option<Value>) -> Option<()> {
        let Some(Value::Object(mut resource)) = resource else {
            return None;
        };
        let uri = hygiene::clean(&take_text(&mut resource, "uri")?, MAX_URI).text;
        let media_type = take_text(&mut resource, "mimeType");
        let media_type = media_type.map(|text| hygiene::clean(&text, MAX_MEDIA_TYPE).text);
        let contents = match (take_text(&mut resource, "text"), take_text(&mut resource, "blob")) {
            (Some(text), _) => {
                let cleaned = hygiene::clean(&text, usize::MAX);
                self.hidden += cleaned.hidden;
                ResourceContents::Text(cleaned.text)
            }
            (None, Some(data)) if is_base64(&data) => ResourceContents::Blob(data),
            _ => return None,
        };
        let (ResourceContents::Text(inside) | ResourceContents::Blob(inside)) = &contents;
        if self.takes(uri.len() + inside.len()) {
            self.output.content.push(ContentBlock::Resource { uri, media_type, contents });
        } else {
            self.note(format!("[resource of {} bytes exceeds the limit of one result]", inside.len()));
        }
        Some(())
    }

    fn data(&mut self, data: Option<Value>) {
        let Some(data) = data else {
            return;
        };
        let text = data.to_string();
        if !self.takes(text.len()) {
            let warning = format!("The data of {} bytes exceeds the limit of one result.", text.len());
            self.output.warnings.push(warning);
            return;
        }
        let has_text = self.output.content.iter().any(|block| block.as_text().is_none_or(|text| !text.is_empty()));
        if !has_text {
            self.output.content = vec![ContentBlock::text(text)];
        }
        self.output.data = Some(data);
    }
}

fn take_text(members: &mut Map<String, Value>, name: &str) -> Option<String> {
    match members.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text.len().is_multiple_of(4) && text.len() - digits.len() <= 2 && digits.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: Origin<'_> = Origin { server: "s", is_trusted: false, max_result: 100, max_message: 8 << 20 };

    fn texts(result: Value) -> Vec<String> {
        let output = ORIGIN.output(result).unwrap();
        let texts = output.content.iter().map(|block| block.as_text().unwrap_or("(media)").to_owned());
        texts.collect()
    }

    #[test]
    fn unknown_blocks_are_marked() {
        for (block, text) in [
            (json!({"type": "text", "text": "a"}), "a"),
            (json!({"type": "hologram", "x": 1}), "[block of type \"hologram\" not shown]"),
            (json!({"foo": 1}), "[block of type \"\" not shown]"),
            (json!({"type": "text"}), "[block of type \"text\" not shown]"),
            (json!(7), "[invalid block not shown]"),
            (json!({"type": "image", "mimeType": "image/png", "data": "AAAA"}), "(media)"),
            (
                json!({"type": "image", "mimeType": "image/png", "data": "A*AA"}),
                "[image with an invalid or unknown format not shown]",
            ),
            (
                json!({"type": "image", "mimeType": "text/html", "data": "AAAA"}),
                "[image with an invalid or unknown format not shown]",
            ),
            (
                json!({"type": "image", "mimeType": "image/png", "data": "A".repeat(400)}),
                "[image of 400 bytes exceeds the limit of one result]",
            ),
            (json!({"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}), "(media)"),
            (json!({"type": "resource", "resource": {"uri": "a:b", "text": "inside"}}), "(media)"),
            (json!({"type": "resource", "resource": {"uri": "a:b", "blob": "AA=="}}), "(media)"),
            (json!({"type": "resource", "resource": {"uri": "a:b"}}), "[block of type \"resource\" not shown]"),
            (json!({"type": "resource_link", "uri": "a:b", "name": "n"}), "(media)"),
        ] {
            assert_eq!(texts(json!({"content": [block, {"type": "text", "text": "end"}]})), [text, "end"], "{block}");
        }
    }

    #[test]
    fn data_without_text_is_shown_as_json() {
        let data = json!({"b": 1, "a": [true]});
        for content in [json!([]), json!(null), json!([{"type": "text", "text": ""}])] {
            let output = ORIGIN.output(json!({"content": content, "structuredContent": data})).unwrap();

            assert_eq!(output.content, [ContentBlock::text(r#"{"b":1,"a":[true]}"#)], "{content}");
            assert_eq!(output.data, Some(data.clone()));
        }
        assert_eq!(texts(json!({"content": [{"type": "text", "text": "x"}], "structuredContent": data})), ["x"]);
    }

    #[test]
    fn content_is_limited() {
        let text = json!({"type": "text", "text": "ä".repeat(40)});

        let texts = texts(json!({"content": [text, text, text]}));

        assert_eq!(texts[1], format!("{}\n[… 60 more bytes are omitted]", "ä".repeat(10)));
        assert_eq!(texts[2], "\n[… 80 more bytes are omitted]");
    }

    #[test]
    fn error_results_become_errors() {
        for (content, message) in [
            (json!([{"type": "text", "text": "no such file"}]), "no such file."),
            (json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "a\nb."),
            (json!([]), "The server reported an error without a message."),
            (json!([{"type": "text", "text": "  \u{200b}"}]), "The server reported an error without a message."),
        ] {
            let error = ORIGIN.output(json!({"content": content, "isError": true})).unwrap_err();

            assert_eq!((error.code(), error.message()), (&ErrorCode::Failed, message));
        }
        let error = ORIGIN.output(json!({"isError": true, "structuredContent": {"a": 1}})).unwrap_err();
        assert_eq!(error.output().unwrap().data, Some(json!({"a": 1})));
    }

    #[test]
    fn invalid_results_become_errors() {
        for result in [json!(null), json!([]), json!({}), json!({"content": "text"}), json!({"resultType": "task"})] {
            assert_eq!(ORIGIN.output(result).unwrap_err().code(), &ErrorCode::Failed);
        }
    }

    #[test]
    fn hidden_characters_are_removed_with_warning() {
        let output = ORIGIN.output(json!({"content": [{"type": "text", "text": "a\u{e0041}b"}]})).unwrap();

        assert_eq!(output.content, [ContentBlock::text("ab")]);
        assert_eq!(output.warnings, ["1 hidden characters were removed from the result."]);
    }

    #[test]
    fn failures_state_effect() {
        for (failure, code, text) in [
            (
                RequestError::Lost,
                "outcome_unknown",
                "Error: The server \"s\" stopped while the call ran. The effect is unknown. Check before you call again.",
            ),
            (
                RequestError::NotSent,
                "unavailable",
                "Error: The server \"s\" is not connected. Nothing was done. Try again later, or continue without it.",
            ),
            (
                RequestError::TooLarge,
                "response_too_large",
                "Error: The server \"s\" sent more than 8 MiB in one message. Request less, or raise \"max_message\".",
            ),
            (
                RequestError::Server { code: -32_602, message: "bad path".into() },
                "invalid_arguments",
                "Error: bad path.",
            ),
        ] {
            let error = ORIGIN.failure(failure);

            assert_eq!((error.code().as_str(), error.to_model_text().as_str()), (code, text));
        }
    }
}
