//! Messages as Gmail returns them.

use serde::{Deserialize, Deserializer};

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
    #[serde(deserialize_with = "null_as_default")]
    pub mime_type: String,
    /// File name of an attachment, otherwise empty.
    #[serde(deserialize_with = "null_as_default")]
    pub filename: String,
    /// Headers in their original order.
    #[serde(deserialize_with = "null_as_default")]
    pub headers: Vec<Header>,
    /// Content, or its attachment ID.
    #[serde(deserialize_with = "null_as_default")]
    pub body: Body,
    /// Child parts of a multipart container.
    #[serde(deserialize_with = "null_as_default")]
    pub parts: Vec<Part>,
}

/// Header of a part.
///
/// # Examples
/// See [`get_header`](super::get_header).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Header {
    /// Name in any case.
    #[serde(deserialize_with = "null_as_default")]
    pub name: String,
    /// Value, possibly folded and with encoded words.
    #[serde(deserialize_with = "null_as_default")]
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
    #[serde(deserialize_with = "null_as_default")]
    pub size: u64,
    /// Content as base64url.
    pub data: Option<String>,
}

/// Message in the JSON form of the Gmail API.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Message {
    #[serde(deserialize_with = "null_as_default")]
    pub(super) id: String,
    #[serde(deserialize_with = "null_as_default")]
    pub(super) thread_id: String,
    #[serde(deserialize_with = "null_as_default")]
    pub(super) label_ids: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    pub(super) snippet: String,
    /// Milliseconds since 1970, as text.
    pub(super) internal_date: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    pub(super) payload: Part,
}

/// ID of a message in a list.
#[derive(Debug, Deserialize)]
pub(super) struct Reference {
    pub(super) id: String,
}

fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
