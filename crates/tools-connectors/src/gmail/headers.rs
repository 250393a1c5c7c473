//! Header fields.

use mail_parser::{Address, MessageParser};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Part;
use super::part::Message;
use crate::door::one_line;

/// Maximum length of a header value that is parsed, in bytes.
const MAX_VALUE: usize = 64 * 1024;
/// Maximum number of addresses of a field.
const MAX_ADDRESSES: usize = 500;
/// Maximum length of a field for the model, in characters.
const FIELD_CHARS: usize = 1000;

/// Person or list in a header field.
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MailAddress {
    /// Display name, or an empty string.
    #[serde(default)]
    pub(crate) name: String,
    /// Email address.
    #[serde(default)]
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
#[must_use]
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
pub(super) fn parse_addresses(value: &str) -> Vec<MailAddress> {
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
}
