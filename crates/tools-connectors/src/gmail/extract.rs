//! Text of a message.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use html_text::{Options, to_text_with};

use super::message::{Part, get_header, is_attachment, line};

/// Maximum depth of parts.
const MAX_DEPTH: usize = 50;
/// Maximum number of parts.
const MAX_PARTS: usize = 1000;
/// Maximum depth of messages within messages.
const MAX_MESSAGES: usize = 3;
/// Maximum size of an HTML part in bytes.
const MAX_HTML: usize = 5 * 1024 * 1024;
/// Time for the conversion of HTML.
const HTML_TIME: Duration = Duration::from_secs(2);

const UNDECODED: &str = "[This part could not be decoded.]";
const ENCRYPTED: &str = "[This message is encrypted.]";

/// Text of a message.
///
/// # Examples
/// See [`extract_text`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtractedText {
    /// Text without invisible characters.
    pub text: String,
    /// Messages about parts that are missing in `text`.
    pub warnings: Vec<String>,
}

/// Returns the text of a message, with HTML converted to plain text.
///
/// Of alternatives, the last HTML part with text is used, otherwise the last plain part. Parts of
/// other containers follow each other. Attachments are omitted. Reads at most 1,000 parts and 50
/// levels, and converts HTML for at most 2 seconds. A part that cannot be decoded is replaced by a
/// notice.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tools_connectors::gmail::{Part, extract_text};
///
/// let message: Part = serde_json::from_value(json!({"mimeType": "multipart/alternative", "parts": [
///     {"mimeType": "text/plain", "body": {"data": "aGk"}},
///     {"mimeType": "text/html", "body": {"data": "PGI-aGVsbG88L2I-"}},
/// ]}))?;
/// assert_eq!(extract_text(&message).text, "hello");
/// # Ok::<_, serde_json::Error>(())
/// ```
pub fn extract_text(message: &Part) -> ExtractedText {
    let mut extractor = Extractor {
        parts: 0,
        end: Instant::now() + HTML_TIME,
        warnings: Vec::new(),
    };
    let text = extractor.part(message, 0, 0);
    ExtractedText {
        text,
        warnings: extractor.warnings,
    }
}

struct Extractor {
    parts: usize,
    end: Instant,
    warnings: Vec<String>,
}

impl Extractor {
    /// Returns the text of a part, which may be empty.
    fn part(&mut self, part: &Part, depth: usize, messages: usize) -> String {
        self.parts += 1;
        if depth > MAX_DEPTH || self.parts > MAX_PARTS {
            self.warn("The message has too many parts; some were omitted.");
            return String::new();
        }
        // The whole message may be a file; only parts of it are omitted.
        if depth > 0 && is_attachment(part) {
            return String::new();
        }
        let first = || part.parts.iter().take(1);
        match part.mime_type.to_ascii_lowercase().as_str() {
            "multipart/alternative" => self.alternative(part, depth, messages),
            "multipart/related" | "multipart/signed" => self.all(first(), depth, messages),
            "multipart/encrypted" | "application/pkcs7-mime" | "application/x-pkcs7-mime" => {
                ENCRYPTED.to_owned()
            }
            "message/rfc822" => self.message(part, depth, messages),
            kind if kind.starts_with("multipart/") => self.all(part.parts.iter(), depth, messages),
            kind if kind.starts_with("text/") || kind.is_empty() => self.text(part),
            _ => String::new(),
        }
    }

    /// Senders put the richest version last (RFC 2046), and some leave its text empty.
    fn alternative(&mut self, part: &Part, depth: usize, messages: usize) -> String {
        let versions = part.parts.iter().rev();
        let (html, plain): (Vec<&Part>, Vec<&Part>) = versions.partition(|part| has_html(part));
        let mut texts = html
            .into_iter()
            .chain(plain)
            .map(|version| self.part(version, depth + 1, messages));
        texts.find(|text| !text.is_empty()).unwrap_or_default()
    }

    fn all<'p>(
        &mut self,
        parts: impl Iterator<Item = &'p Part>,
        depth: usize,
        messages: usize,
    ) -> String {
        let mut texts: Vec<String> = parts
            .map(|part| self.part(part, depth + 1, messages))
            .collect();
        texts.retain(|text| !text.is_empty());
        texts.join("\n\n")
    }

    fn message(&mut self, part: &Part, depth: usize, messages: usize) -> String {
        if messages >= MAX_MESSAGES {
            self.warn("A forwarded message within other ones was omitted.");
            return String::new();
        }
        let inner = part.parts.first().unwrap_or(part);
        let mut text = String::new();
        for name in ["From", "To", "Date", "Subject"] {
            let value = line(inner, name);
            if !value.is_empty() {
                text.extend([name, ": ", &value, "\n"]);
            }
        }
        let body = self.all(part.parts.iter().take(1), depth, messages + 1);
        format!("{text}\n{body}").trim().to_owned()
    }

    fn text(&mut self, part: &Part) -> String {
        let Ok(bytes) = decode_body(part.body.data.as_deref().unwrap_or_default()) else {
            self.warn("A part of the message could not be decoded.");
            return UNDECODED.to_owned();
        };
        let content_type = get_header(part, "Content-Type");
        let mut text = decode_text(bytes, content_type.as_deref());
        if has_html(part) {
            let options = Options::new()
                .with_max_input_bytes(MAX_HTML)
                .with_deadline(self.end);
            let page = to_text_with(&text, &options);
            if page.truncated {
                self.warn("The message is too large; the rest of its text was omitted.");
            }
            text = page.text;
        }
        visible(&text).trim().to_owned()
    }

    fn warn(&mut self, warning: &str) {
        if !self.warnings.iter().any(|known| known == warning) {
            self.warnings.push(warning.to_owned());
        }
    }
}

/// Returns whether a part is HTML or contains some.
fn has_html(part: &Part) -> bool {
    part.mime_type.eq_ignore_ascii_case("text/html") || part.parts.iter().any(has_html)
}

/// Removes invisible and control characters, and normalizes line endings.
fn visible(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    tool_json::text::visible(&text).collect()
}

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Error for a body that is not base64.
///
/// # Examples
/// ```
/// use tools_connectors::gmail::decode_body;
///
/// let error = decode_body("%").unwrap_err();
/// assert_eq!(error.to_string(), "the body is not valid base64");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the body is not valid base64")]
pub struct InvalidBody;

/// Decodes the body of a part from base64url, with or without padding. Also accepts the characters
/// of plain base64, newlines and spaces.
///
/// # Errors
/// Returns [`InvalidBody`] if `data` contains other characters or has an impossible length.
///
/// # Examples
/// ```
/// use tools_connectors::gmail::decode_body;
///
/// assert_eq!(decode_body("w6Q_")?, "ä?".as_bytes());
/// assert_eq!(decode_body("w6Q/\r\n")?, "ä?".as_bytes());
/// # Ok::<_, tools_connectors::gmail::InvalidBody>(())
/// ```
pub fn decode_body(data: &str) -> Result<Vec<u8>, InvalidBody> {
    let characters = data.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let mapped = characters.map(|byte| match byte {
        b'+' => b'-',
        b'/' => b'_',
        other => other,
    });
    LENIENT
        .decode(mapped.collect::<Vec<u8>>())
        .map_err(|_| InvalidBody)
}

/// Decodes the bytes of a text part.
///
/// Gmail converts bodies to UTF-8 but keeps the original charset in the header, so bytes that are
/// UTF-8 with non-ASCII characters are UTF-8 regardless of the header.
pub(super) fn decode_text(bytes: Vec<u8>, content_type: Option<&str>) -> String {
    // Large bodies are not copied.
    match String::from_utf8(bytes) {
        Ok(mut text) if !text.is_ascii() || !is_escaped(text.as_bytes(), content_type) => {
            if text.starts_with('\u{feff}') {
                text.drain(..'\u{feff}'.len_utf8());
            }
            text
        }
        Ok(text) => html_text::decode(text.as_bytes(), content_type).text,
        Err(error) => html_text::decode(error.as_bytes(), content_type).text,
    }
}

/// Returns whether ASCII bytes contain escape sequences of a declared ISO-2022 charset.
fn is_escaped(bytes: &[u8], content_type: Option<&str>) -> bool {
    let declared = content_type.unwrap_or_default().to_ascii_lowercase();
    declared.contains("iso-2022-") && bytes.contains(&0x1b)
}

#[cfg(test)]
mod tests;
