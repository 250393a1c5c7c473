//! Blocks of content for the model.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::text;

/// Maximum characters of a media type in text.
const MEDIA_TYPE_CHARS: usize = 64;
/// Maximum characters of the URI of an embedded resource in text.
const URI_CHARS: usize = 2048;

/// A block of content for the model.
///
/// # Examples
/// ```
/// use tool_core::ContentBlock;
///
/// let block = ContentBlock::text("hello");
/// assert_eq!(block.as_text(), Some("hello"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// Media type, such as `image/png`.
        media_type: String,
        /// Base64-encoded bytes.
        data: String,
    },
    /// A sound.
    Audio {
        /// Media type, such as `audio/wav`.
        media_type: String,
        /// Base64-encoded bytes.
        data: String,
    },
    /// A resource that the host can fetch.
    ResourceLink {
        /// URI of the resource.
        uri: String,
        /// Display name.
        name: String,
        /// Media type, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
        /// Title for people, if it is not the name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// What the resource contains.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// Size in bytes, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size: Option<u64>,
    },
    /// A resource with its contents.
    Resource {
        /// URI of the resource.
        uri: String,
        /// Media type, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
        /// Contents of the resource: the member `text` or `blob` in JSON.
        #[serde(flatten)]
        contents: ResourceContents,
    },
}

/// Contents of an embedded resource.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{ContentBlock, ResourceContents};
///
/// let block = ContentBlock::Resource {
///     uri: "file:///notes.md".to_owned(),
///     media_type: None,
///     contents: ResourceContents::Text("Call Ada.".to_owned()),
/// };
/// let stored = serde_json::to_value(&block)?;
/// assert_eq!(stored, json!({"type": "resource", "uri": "file:///notes.md", "text": "Call Ada."}));
/// assert_eq!(block.to_text(), "file:///notes.md:\nCall Ada.");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResourceContents {
    /// Text.
    Text(String),
    /// Base64-encoded bytes.
    Blob(String),
}

impl ContentBlock {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// Returns the text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }

    /// Returns the block as text, for models and readers that accept only text.
    ///
    /// Text is unchanged, a link becomes `name: uri` with what else is known about it in parentheses, and the text of a
    /// resource follows its URI. A placeholder with media type and size replaces images, audio and binary resources.
    ///
    /// # Examples
    /// ```
    /// use tool_core::ContentBlock;
    ///
    /// let image = ContentBlock::Image { media_type: "image/png".to_owned(), data: "aGVsbG8=".to_owned() };
    /// assert_eq!(image.to_text(), "[image/png of 5 bytes]");
    /// ```
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text { text } => Cow::Borrowed(text),
            Self::Image { media_type, data } | Self::Audio { media_type, data } => {
                Cow::Owned(placeholder(Some(media_type), data))
            }
            Self::ResourceLink {
                uri,
                name,
                title,
                description,
                size,
                ..
            } => {
                let size = size.map(|size| format!("{size} bytes"));
                let known = [title, description, &size].map(Option::as_deref);
                let known: Vec<&str> = known.into_iter().flatten().collect();
                Cow::Owned(if known.is_empty() {
                    format!("{name}: {uri}")
                } else {
                    format!("{name}: {uri} ({})", known.join("; "))
                })
            }
            Self::Resource {
                uri,
                media_type,
                contents,
            } => {
                // A data URI contains the whole file.
                let uri = text::short(uri, URI_CHARS);
                Cow::Owned(match contents {
                    ResourceContents::Text(text) => format!("{uri}:\n{text}"),
                    ResourceContents::Blob(data) => {
                        format!("{uri}: {}", placeholder(media_type.as_deref(), data))
                    }
                })
            }
        }
    }

    /// Returns the text that counts against the output limit: the text of a text block or resource.
    pub(crate) fn counted_text(&self) -> Option<&str> {
        match self {
            Self::Text { text }
            | Self::Resource {
                contents: ResourceContents::Text(text),
                ..
            } => Some(text),
            _ => None,
        }
    }

    /// Returns the media type and the base64 of a block that counts against the media limit.
    pub(crate) fn media(&self) -> Option<(Option<&str>, &str)> {
        match self {
            Self::Image { media_type, data } | Self::Audio { media_type, data } => {
                Some((Some(media_type), data))
            }
            Self::Resource {
                media_type,
                contents: ResourceContents::Blob(data),
                ..
            } => Some((media_type.as_deref(), data)),
            _ => None,
        }
    }

    /// Returns the number of bytes that count against a limit.
    pub(crate) fn len(&self) -> usize {
        self.counted_text().map_or(0, str::len) + self.media().map_or(0, |(_, data)| data.len())
    }
}

/// Returns the name of a kind of media.
pub(crate) fn media_kind(media_type: Option<&str>) -> String {
    text::short(media_type.unwrap_or("binary data"), MEDIA_TYPE_CHARS)
}

/// Returns the line that describes media to a reader of text.
fn placeholder(media_type: Option<&str>, data: &str) -> String {
    let kind = media_kind(media_type);
    // Four characters of base64 are three bytes.
    let padding = data.len() - data.trim_end_matches('=').len();
    let bytes = (data.len() / 4 * 3).saturating_sub(padding);
    format!("[{kind} of {} bytes]", text::with_commas(bytes))
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(media_type: Option<&str>, contents: ResourceContents) -> ContentBlock {
        ContentBlock::Resource {
            uri: "test://a".into(),
            media_type: media_type.map(str::to_owned),
            contents,
        }
    }

    fn link(title: Option<&str>, description: Option<&str>, size: Option<u64>) -> ContentBlock {
        ContentBlock::ResourceLink {
            uri: "test://a".into(),
            name: "a.csv".into(),
            media_type: None,
            title: title.map(str::to_owned),
            description: description.map(str::to_owned),
            size,
        }
    }

    #[test]
    fn every_block_has_text_and_survives_json() {
        let (media_type, data) = ("audio/wav".to_owned(), "aGVsbG8gd29ybGQ=".to_owned());
        let blob = || ResourceContents::Blob("YQ==".into());
        for (block, kind, text) in [
            (ContentBlock::text("a\nb"), "text", "a\nb"),
            (
                ContentBlock::Audio { media_type, data },
                "audio",
                "[audio/wav of 11 bytes]",
            ),
            (link(None, None, None), "resource_link", "a.csv: test://a"),
            (
                link(Some("Sales"), Some("By month"), Some(1200)),
                "resource_link",
                "a.csv: test://a (Sales; By month; 1200 bytes)",
            ),
            (
                resource(Some("text/plain"), ResourceContents::Text("b".into())),
                "resource",
                "test://a:\nb",
            ),
            (
                resource(Some("image/png"), blob()),
                "resource",
                "test://a: [image/png of 1 bytes]",
            ),
            (
                resource(None, blob()),
                "resource",
                "test://a: [binary data of 1 bytes]",
            ),
        ] {
            let stored = serde_json::to_value(&block).unwrap();

            assert_eq!(stored["type"], kind);
            assert_eq!(block.to_text(), text);
            assert_eq!(
                serde_json::from_value::<ContentBlock>(stored).unwrap(),
                block
            );
        }
    }
}
