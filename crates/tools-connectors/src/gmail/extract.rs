//! Text of a message.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use html_text::{Options, to_text_with};
use serde::Serialize;

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

/// Format of the text of a message before its conversion.
///
/// # Examples
/// ```
/// use tools_connectors::gmail::BodyFormat;
///
/// assert_eq!(serde_json::to_value(BodyFormat::Html)?, "html");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum BodyFormat {
    /// HTML, converted to text.
    Html,
    /// Plain text.
    Plain,
    /// The message has no text.
    #[default]
    None,
}

/// Text of a message.
///
/// # Examples
/// See [`extract_text`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtractedText {
    /// Text without invisible characters.
    pub text: String,
    /// Format of the parts that `text` was taken from.
    pub format: BodyFormat,
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
/// use tools_connectors::gmail::{BodyFormat, Part, extract_text};
///
/// let message: Part = serde_json::from_value(json!({"mimeType": "multipart/alternative", "parts": [
///     {"mimeType": "text/plain", "body": {"data": "aGk"}},
///     {"mimeType": "text/html", "body": {"data": "PGI-aGVsbG88L2I-"}},
/// ]}))?;
/// let extracted = extract_text(&message);
/// assert_eq!((extracted.text.as_str(), extracted.format), ("hello", BodyFormat::Html));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[must_use]
pub fn extract_text(message: &Part) -> ExtractedText {
    let mut extractor = Extractor {
        parts: 0,
        end: Instant::now() + HTML_TIME,
        warnings: Vec::new(),
    };
    let piece = extractor.part(message, 0, 0).unwrap_or_default();
    ExtractedText {
        text: piece.text.trim().to_owned(),
        format: piece.format,
        warnings: extractor.warnings,
    }
}

#[derive(Debug, Default)]
struct Piece {
    text: String,
    format: BodyFormat,
}

struct Extractor {
    parts: usize,
    end: Instant,
    warnings: Vec<String>,
}

impl Extractor {
    fn part(&mut self, part: &Part, depth: usize, messages: usize) -> Option<Piece> {
        self.parts += 1;
        if depth > MAX_DEPTH || self.parts > MAX_PARTS {
            self.warn("The message has too many parts; some were omitted.");
            return None;
        }
        // The whole message may be a file; only parts of it are left out.
        if depth > 0 && is_attachment(part) {
            return None;
        }
        let kind = part.mime_type.to_ascii_lowercase();
        match kind.as_str() {
            "multipart/alternative" => self.alternative(part, depth, messages),
            "multipart/related" | "multipart/signed" => {
                self.part(part.parts.first()?, depth + 1, messages)
            }
            "multipart/encrypted" | "application/pkcs7-mime" | "application/x-pkcs7-mime" => {
                Some(plain(ENCRYPTED.to_owned()))
            }
            "message/rfc822" => self.message(part, depth, messages),
            "text/html" => self.html(part),
            kind if kind.starts_with("multipart/") => self.all(part, depth, messages),
            kind if kind.starts_with("text/") || kind.is_empty() => self.plain(part),
            _ => None,
        }
    }

    fn alternative(&mut self, part: &Part, depth: usize, messages: usize) -> Option<Piece> {
        let mut chosen: Option<Piece> = None;
        for child in &part.parts {
            let Some(piece) = self.part(child, depth + 1, messages) else {
                continue;
            };
            let is_better = match &chosen {
                None => true,
                // Senders put the richest version last (RFC 2046), and some leave its text empty.
                Some(known) => piece.format == BodyFormat::Html || known.format != BodyFormat::Html,
            };
            if is_better && !piece.text.trim().is_empty() {
                chosen = Some(piece);
            }
        }
        chosen
    }

    fn all(&mut self, part: &Part, depth: usize, messages: usize) -> Option<Piece> {
        let mut joined = Piece::default();
        for child in &part.parts {
            let Some(piece) = self.part(child, depth + 1, messages) else {
                continue;
            };
            if piece.text.trim().is_empty() {
                continue;
            }
            if joined.text.is_empty() {
                piece.text.trim().clone_into(&mut joined.text);
            } else {
                joined.text.push_str("\n\n");
                joined.text.push_str(piece.text.trim());
            }
            if joined.format != BodyFormat::Html {
                joined.format = piece.format;
            }
        }
        (!joined.text.is_empty()).then_some(joined)
    }

    fn message(&mut self, part: &Part, depth: usize, messages: usize) -> Option<Piece> {
        if messages >= MAX_MESSAGES {
            self.warn("A forwarded message within other ones was omitted.");
            return None;
        }
        let inner = part.parts.first().unwrap_or(part);
        let names = ["From", "To", "Date", "Subject"];
        let fields = names.map(|name| (name, line(inner, name)));
        let known = fields.iter().filter(|(_, value)| !value.is_empty());
        let head: Vec<String> = known
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let body = part
            .parts
            .first()
            .and_then(|inner| self.part(inner, depth + 1, messages + 1))
            .unwrap_or_default();
        let text = format!("{}\n\n{}", head.join("\n"), body.text.trim());
        Some(Piece {
            text: text.trim().to_owned(),
            format: match body.format {
                BodyFormat::None => BodyFormat::Plain,
                format => format,
            },
        })
    }

    fn html(&mut self, part: &Part) -> Option<Piece> {
        let source = self.decoded(part)?;
        let Ok(source) = source else {
            return Some(plain(UNDECODED.to_owned()));
        };
        let options = Options::new()
            .with_max_input_bytes(MAX_HTML)
            .with_deadline(self.end);
        let page = to_text_with(&source, &options);
        if page.truncated {
            self.warn("The message is too large; the rest of its text was omitted.");
        }
        let text = visible(&page.text);
        (!text.trim().is_empty()).then_some(Piece {
            text,
            format: BodyFormat::Html,
        })
    }

    fn plain(&mut self, part: &Part) -> Option<Piece> {
        match self.decoded(part)? {
            Ok(text) => Some(plain(visible(&text))),
            Err(()) => Some(plain(UNDECODED.to_owned())),
        }
    }

    /// Returns the text of a part, an error if it cannot be decoded, or `None` if it is empty.
    fn decoded(&mut self, part: &Part) -> Option<Result<String, ()>> {
        let data = part.body.data.as_deref()?;
        let Ok(bytes) = decode_body(data) else {
            self.warn("A part of the message could not be decoded.");
            return Some(Err(()));
        };
        let content_type = get_header(part, "Content-Type");
        Some(Ok(decode_text(bytes, content_type.as_deref())))
    }

    fn warn(&mut self, warning: &str) {
        if !self.warnings.iter().any(|known| known == warning) {
            self.warnings.push(warning.to_owned());
        }
    }
}

fn plain(text: String) -> Piece {
    Piece {
        text,
        format: BodyFormat::Plain,
    }
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
    let is_clean = |c: char| !matches!(c, '+' | '/' | ' ' | '\t' | '\r' | '\n');
    let data: Cow<'_, str> = if data.chars().all(is_clean) {
        Cow::Borrowed(data)
    } else {
        let characters = data.chars().filter(|c| !c.is_ascii_whitespace());
        let mapped = characters.map(|c| match c {
            '+' => '-',
            '/' => '_',
            other => other,
        });
        Cow::Owned(mapped.collect())
    };
    LENIENT.decode(data.as_bytes()).map_err(|_| InvalidBody)
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
