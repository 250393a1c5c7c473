//! Messages as Gmail returns them: parts, header fields and attachments.

use mail_parser::{Address, MessageParser};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::door::one_line;

/// MIME part of a message, in the JSON form of the Gmail API.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tools_connectors::gmail::Part;
///
/// let part: Part = serde_json::from_value(json!({
///     "mimeType": "text/plain",
///     "body": {"size": 5, "data": "aGVsbG8"},
/// }))?;
/// assert_eq!(part.body.data.as_deref(), Some("aGVsbG8"));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct Part {
    /// MIME type, such as `text/html`.
    pub mime_type: String,
    /// File name of an attachment, otherwise empty.
    pub filename: String,
    /// Headers in their original order.
    pub headers: Vec<Header>,
    /// Content, or its attachment ID.
    pub body: Body,
    /// Child parts of a multipart container.
    pub parts: Vec<Part>,
}

/// Header of a part.
///
/// # Examples
/// See [`get_header`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Header {
    /// Name in any case.
    pub name: String,
    /// Value, possibly folded and with encoded words.
    pub value: String,
}

/// Content of a part.
///
/// # Examples
/// See [`Part`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct Body {
    /// ID for a separate request, if the content is not in `data`.
    pub attachment_id: Option<String>,
    /// Size in bytes, as reported by Gmail.
    pub size: u64,
    /// Content as base64url.
    pub data: Option<String>,
}

/// Message in the JSON form of the Gmail API.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) thread_id: String,
    pub(super) label_ids: Vec<String>,
    pub(super) snippet: String,
    /// Milliseconds since 1970, as text.
    pub(super) internal_date: Option<String>,
    pub(super) payload: Part,
}

/// ID of a message in a list.
#[derive(Debug, Deserialize)]
pub(super) struct Reference {
    pub(super) id: String,
}

/// Maximum length of a header value that is parsed, in bytes.
const MAX_VALUE: usize = 64 * 1024;
/// Maximum number of addresses of a field.
const MAX_ADDRESSES: usize = 500;
/// Maximum length of a field for the model, in characters.
const FIELD_CHARS: usize = 1000;

/// Person or list in a header field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MailAddress {
    /// Display name, or an empty string.
    pub(crate) name: String,
    /// Email address.
    pub(crate) address: String,
}

impl std::fmt::Display for MailAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.name.as_str() {
            "" => f.write_str(&self.address),
            name => write!(f, "{name} <{}>", self.address),
        }
    }
}

/// Returns the value of the first header with this name in any case, with folded lines joined.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tools_connectors::gmail::{Part, get_header};
///
/// let part: Part = serde_json::from_value(json!({"headers": [{"name": "SUBJECT", "value": "Tea\r\n at four"}]}))?;
/// assert_eq!(get_header(&part, "Subject").as_deref(), Some("Tea at four"));
/// assert_eq!(get_header(&part, "From"), None);
/// # Ok::<_, serde_json::Error>(())
/// ```
pub fn get_header(part: &Part, name: &str) -> Option<String> {
    let header = part
        .headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case(name))?;
    Some(unfolded(&header.value))
}

impl Message {
    /// Returns whether the message has this ID in its header.
    pub(super) fn has_message_id(&self, message_id: &str) -> bool {
        let id = get_header(&self.payload, "Message-ID").unwrap_or_default();
        id.trim_matches(['<', '>', ' ']) == message_id
    }
}

/// Joins folded lines.
fn unfolded(value: &str) -> String {
    let lines = value.split(['\r', '\n']).map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// Returns a header as one line, with encoded words decoded.
pub(super) fn line(part: &Part, name: &str) -> String {
    get_header(part, name).map_or_else(String::new, |value| decoded(&value))
}

/// Decodes encoded words and returns one line.
pub(super) fn decoded(value: &str) -> String {
    let value = value.get(..MAX_VALUE).unwrap_or(value);
    if !value.contains("=?") {
        return one_line(value, FIELD_CHARS);
    }
    let raw = format!("Subject: {}\r\n\r\n", unfolded(value));
    let message = MessageParser::new().parse_headers(raw.as_bytes());
    let subject = message.as_ref().and_then(|message| message.subject());
    one_line(subject.unwrap_or(value), FIELD_CHARS)
}

/// Returns the addresses of a header.
pub(super) fn addresses(part: &Part, name: &str) -> Vec<MailAddress> {
    get_header(part, name).map_or_else(Vec::new, |value| parse_addresses(&value))
}

/// Parses a list of addresses.
pub(crate) fn parse_addresses(value: &str) -> Vec<MailAddress> {
    if value.len() > MAX_VALUE {
        return Vec::new();
    }
    let raw = format!("To: {}\r\n\r\n", unfolded(value));
    let message = MessageParser::new().parse_headers(raw.as_bytes());
    let Some(found) = message.as_ref().and_then(|message| message.to()) else {
        return Vec::new();
    };
    let people: Vec<_> = match found {
        Address::List(people) => people.iter().collect(),
        Address::Group(groups) => groups.iter().flat_map(|group| &group.addresses).collect(),
    };
    let people = people.into_iter().take(MAX_ADDRESSES);
    people
        .map(|person| MailAddress {
            name: one_line(person.name.as_deref().unwrap_or_default(), FIELD_CHARS),
            address: one_line(person.address.as_deref().unwrap_or_default(), FIELD_CHARS),
        })
        .filter(|person| !person.name.is_empty() || !person.address.is_empty())
        .collect()
}

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
}

/// Returns whether a part is an attachment.
pub(super) fn is_attachment(part: &Part) -> bool {
    let disposition = get_header(part, "Content-Disposition").unwrap_or_default();
    let kind = disposition.trim().to_ascii_lowercase();
    !part.filename.trim().is_empty() || kind.starts_with("attachment")
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
        mime_type: one_line(&part.mime_type, 100),
        size: part.body.size,
    }
}

/// Returns the name without directories and control characters, at most 255 bytes.
fn file_name(part: &Part) -> String {
    let name = decoded(part.filename.trim());
    // An application that saves the attachment under this name must not write elsewhere.
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.trim_matches(['.', ' ']);
    let end = name.floor_char_boundary(MAX_NAME);
    match name.get(..end).unwrap_or_default() {
        "" => "unnamed".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn finds_first_header_in_any_case() {
        let part: Part = serde_json::from_value(json!({"headers": [
            {"name": "subject", "value": "one"}, {"name": "Subject", "value": "two"},
        ]}))
        .unwrap();

        assert_eq!(get_header(&part, "SUBJECT").as_deref(), Some("one"));
    }

    #[test]
    fn decodes_encoded_words() {
        for (value, text) in [
            ("plain", "plain"),
            ("=?UTF-8?Q?caf=C3=A9?=", "café"),
            ("=?utf-8?B?w6Q=?=\r\n =?utf-8?B?w7Y=?=", "äö"),
            ("=?iso-2022-jp?B?GyRCJDMkcxsoQg==?=", "こん"),
            ("a\u{202e}b\nc", "ab c"),
            ("100 =? not encoded", "100 =? not encoded"),
            ("Grüße", "Grüße"),
        ] {
            let once = decoded(value);

            assert_eq!(once, text, "{value}");
            assert_eq!(decoded(&once), once);
        }
    }

    #[test]
    fn parses_addresses() {
        let person = |name: &str, address: &str| MailAddress {
            name: name.to_owned(),
            address: address.to_owned(),
        };
        for (value, people) in [
            ("ada@example.com", vec![person("", "ada@example.com")]),
            (
                "\"Lovelace, Ada\" <ada@example.com>, =?UTF-8?Q?J=C3=B6rg?= <j@example.org>",
                vec![
                    person("Lovelace, Ada", "ada@example.com"),
                    person("Jörg", "j@example.org"),
                ],
            ),
            (
                "Team: a@example.com, b@example.com;",
                vec![person("", "a@example.com"), person("", "b@example.com")],
            ),
            ("", vec![]),
        ] {
            assert_eq!(parse_addresses(value), people, "{value}");
        }
    }

    proptest! {
        #[test]
        fn headers_never_panic(value in "\\PC{0,60}|(=\\?[a-z0-9-]{0,9}\\?[QBqb]\\?[ -~]{0,20}\\?= ?){0,4}") {
            let line = decoded(&value);

            prop_assert!(!line.contains(char::is_control));
            let _ = parse_addresses(&value);
        }
    }

    #[test]
    fn lists_attachments_with_safe_names() {
        let disposition = |value: &str| json!([{"name": "Content-Disposition", "value": value}]);
        let message: Part = serde_json::from_value(json!({"mimeType": "multipart/mixed", "parts": [
            {"mimeType": "text/plain", "body": {"data": "eA"}},
            {"mimeType": "application/pdf", "filename": "../a/b.pdf", "body": {"attachmentId": "id-1", "size": 9}},
            {"mimeType": "text/plain", "filename": "résumé.txt", "headers": disposition("attachment")},
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
        assert_eq!(found[0].size, 9);
    }
}
