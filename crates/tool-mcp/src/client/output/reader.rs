//! Content of results.

use serde_json::{Map, Value};
use tool_core::{ContentBlock, ResourceContents, ToolOutput, omission};

use crate::hygiene;

/// Media types of images that are shown.
const IMAGES: [&str; 6] = [
    "image/bmp",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/tiff",
    "image/webp",
];

/// Beginning of the media types of sounds that are passed on.
const SOUNDS: &str = "audio/";

/// Maximum length of a URI and a media type in characters.
const MAX_URI: usize = 2_048;
const MAX_MEDIA_TYPE: usize = 100;

/// Content within the limit of one result.
pub(super) struct Reader {
    room: usize,
    pub(super) output: ToolOutput,
    /// Number of removed characters.
    pub(super) hidden: usize,
}

impl Reader {
    /// Creates a reader that keeps at most `room` bytes.
    pub(super) fn new(room: usize) -> Self {
        Self {
            room,
            output: ToolOutput::default(),
            hidden: 0,
        }
    }

    pub(super) fn block(&mut self, block: Value) {
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

    fn media(&mut self, kind: &str, block: &mut Map<String, Value>) -> Option<()> {
        let media_type = take_text(block, "mimeType")?.to_lowercase();
        let data = take_text(block, "data")?;
        let is_image = kind == "image";
        let is_known = if is_image {
            IMAGES.contains(&media_type.as_str())
        } else {
            media_type.starts_with(SOUNDS)
                && media_type.len() <= MAX_MEDIA_TYPE
                && hygiene::is_clean(&media_type)
        };
        if !is_known || !is_base64(&data) {
            self.note(format!(
                "[{kind} with an invalid or unknown format not shown]"
            ));
        } else if !self.takes(data.len()) {
            self.note(format!(
                "[{kind} of {} bytes exceeds the limit of one result]",
                data.len()
            ));
        } else if is_image {
            self.output
                .content
                .push(ContentBlock::Image { media_type, data });
        } else {
            self.output
                .content
                .push(ContentBlock::Audio { media_type, data });
        }
        Some(())
    }

    fn link(&mut self, block: &mut Map<String, Value>) -> Option<()> {
        let uri = hygiene::clean(&take_text(block, "uri")?, MAX_URI).text;
        let name = take_text(block, "name").unwrap_or_else(|| uri.clone());
        let name = hygiene::clean(&name, 256).text;
        let media_type =
            take_text(block, "mimeType").map(|text| hygiene::clean(&text, MAX_MEDIA_TYPE).text);
        if self.takes(uri.len() + name.len()) {
            self.output.content.push(ContentBlock::ResourceLink {
                uri,
                name,
                media_type,
            });
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
        let contents = match (
            take_text(&mut resource, "text"),
            take_text(&mut resource, "blob"),
        ) {
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
            self.output.content.push(ContentBlock::Resource {
                uri,
                media_type,
                contents,
            });
        } else {
            self.note(format!(
                "[resource of {} bytes exceeds the limit of one result]",
                inside.len()
            ));
        }
        Some(())
    }

    pub(super) fn data(&mut self, data: Option<Value>) {
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
