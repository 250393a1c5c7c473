//! A picture that stands for a tool.

use serde::{Deserialize, Serialize};

/// A picture that a host of MCP may show for a tool.
///
/// # Examples
/// ```
/// use provider_adapters::{Icon, IconTheme};
/// use serde_json::json;
///
/// let icon = Icon::new("https://example.com/clock.svg")
///     .with_mime_type("image/svg+xml")
///     .with_sizes(["any"])
///     .with_theme(IconTheme::Dark);
/// assert_eq!(
///     serde_json::to_value(icon)?,
///     json!({"src": "https://example.com/clock.svg", "mimeType": "image/svg+xml", "sizes": ["any"], "theme": "dark"})
/// );
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Icon {
    /// Its address: `https`, `http` or `data`.
    pub src: String,
    /// Its media type, where the address does not lead to one that tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The sizes in which it is there, such as `48x48`, or `any`; none for one that fits every size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<String>,
    /// The background that it is made for; none for one that fits both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<IconTheme>,
}

/// The background that an icon is made for.
///
/// # Examples
/// ```
/// use provider_adapters::IconTheme;
/// use serde_json::json;
///
/// assert_eq!(serde_json::to_value(IconTheme::Light)?, json!("light"));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IconTheme {
    /// A light one.
    Light,
    /// A dark one.
    Dark,
}

impl Icon {
    /// Creates an icon at an address.
    #[must_use]
    pub fn new(src: impl Into<String>) -> Self {
        Self {
            src: src.into(),
            mime_type: None,
            sizes: Vec::new(),
            theme: None,
        }
    }

    /// Says its media type.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Says in which sizes it is there.
    #[must_use]
    pub fn with_sizes<S: Into<String>>(mut self, sizes: impl IntoIterator<Item = S>) -> Self {
        self.sizes = sizes.into_iter().map(Into::into).collect();
        self
    }

    /// Says for which background it is made.
    #[must_use]
    pub fn with_theme(mut self, theme: IconTheme) -> Self {
        self.theme = Some(theme);
        self
    }
}
