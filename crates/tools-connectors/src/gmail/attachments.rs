//! Attachments of a message.

use std::fmt::Write as _;

use mail_parser::{MessageParser, MimeHeaders as _};
use schemars::JsonSchema;
use serde::Serialize;

use super::Part;
use super::headers::{decoded, get_header};

/// Maximum number of parts that are read.
const MAX_PARTS: usize = 1000;
/// Maximum length of a file name in bytes.
const MAX_NAME: usize = 255;

/// Attachment of a message. Its content is not read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Attachment {
    /// File name without directories.
    pub(crate) filename: String,
    /// MIME type.
    pub(crate) mime_type: String,
    /// Size in bytes, as reported by Gmail.
    pub(crate) size: u64,
    /// ID of the content.
    pub(crate) attachment_id: String,
    /// Whether the message shows it, such as an image.
    pub(crate) inline: bool,
}

/// Returns whether a part is an attachment.
pub(super) fn is_attachment(part: &Part) -> bool {
    !part.filename.trim().is_empty() || disposition(part).starts_with("attachment")
}

fn disposition(part: &Part) -> String {
    get_header(part, "Content-Disposition")
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// Returns the attachments in their order.
pub(super) fn attachments(message: &Part) -> Vec<Attachment> {
    let mut found = Vec::new();
    let mut open = vec![message];
    for _ in 0..MAX_PARTS {
        let Some(part) = open.pop() else { break };
        if is_attachment(part) {
            found.push(described(part));
        } else {
            open.extend(part.parts.iter().rev());
        }
    }
    found
}

fn described(part: &Part) -> Attachment {
    Attachment {
        filename: file_name(part),
        mime_type: crate::door::one_line(&part.mime_type, 100),
        size: part.body.size,
        attachment_id: part.body.attachment_id.clone().unwrap_or_default(),
        inline: disposition(part).starts_with("inline") || get_header(part, "Content-ID").is_some(),
    }
}

/// Returns the name without directories and control characters, at most 255 bytes.
fn file_name(part: &Part) -> String {
    let name = match part.filename.trim() {
        "" => declared_name(part).unwrap_or_default(),
        name => name.to_owned(),
    };
    let name = decoded(&name);
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.trim_matches(['.', ' ']);
    let end = name.floor_char_boundary(MAX_NAME);
    match name.get(..end).unwrap_or_default() {
        "" => "unnamed".to_owned(),
        name => name.to_owned(),
    }
}

/// Returns the name in the headers of the part (RFC 2231).
fn declared_name(part: &Part) -> Option<String> {
    let mut raw = String::new();
    for name in ["Content-Disposition", "Content-Type"] {
        let value = get_header(part, name).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = write!(raw, "{name}: {value}\r\n");
    }
    raw.push_str("\r\n");
    let message = MessageParser::new().parse(raw.as_bytes())?;
    message.attachment_name().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_attachments_with_safe_names() {
        let disposition = |value: &str| json!([{"name": "Content-Disposition", "value": value}]);
        let message: Part = serde_json::from_value(json!({"mimeType": "multipart/mixed", "parts": [
            {"mimeType": "text/plain", "body": {"data": "eA"}},
            {"mimeType": "application/pdf", "filename": "../a/b.pdf", "body": {"attachmentId": "id-1", "size": 9}},
            {"mimeType": "text/plain", "headers": disposition("attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.txt")},
            {"mimeType": "image/png", "filename": "=?UTF-8?Q?b=C3=A4r.png?=", "headers": disposition("inline")},
            {"mimeType": "x/y", "headers": disposition("attachment")},
            {"mimeType": "x/y", "filename": "n\u{1}\u{202e}.exe"},
        ]}))
        .unwrap();

        let found = attachments(&message);

        let names: Vec<&str> = found.iter().map(|file| file.filename.as_str()).collect();
        assert_eq!(
            names,
            ["b.pdf", "résumé.txt", "bär.png", "unnamed", "n .exe"]
        );
        assert_eq!(
            (found[0].size, found[0].attachment_id.as_str()),
            (9, "id-1")
        );
        assert!(found[2].inline && !found[1].inline);
    }
}
