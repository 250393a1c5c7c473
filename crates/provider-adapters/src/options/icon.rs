//! Icons of MCP tools.

use serde::{Deserialize, Serialize};

/// Icon that an MCP host may show for a tool.
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
    /// URL with the scheme `https`, `http` or `data`.
    pub src: String,
    /// Media type, required only if the URL does not provide it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Sizes such as `48x48`, or `any`. Empty if the icon is suitable for every size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<String>,
    /// Background that the icon is designed for. `None` if it is suitable for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<IconTheme>,
}

/// Background that an icon is designed for.
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
    /// Light background.
    Light,
    /// Dark background.
    Dark,
}

impl Icon {
    /// Creates an icon from its URL.
    #[must_use]
    pub fn new(src: impl Into<String>) -> Self {
        Self {
            src: src.into(),
            mime_type: None,
            sizes: Vec::new(),
            theme: None,
        }
    }

    /// Sets the media type.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Sets the available sizes.
    #[must_use]
    pub fn with_sizes<S: Into<String>>(mut self, sizes: impl IntoIterator<Item = S>) -> Self {
        self.sizes = sizes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the background that the icon is designed for.
    #[must_use]
    pub fn with_theme(mut self, theme: IconTheme) -> Self {
        self.theme = Some(theme);
        self
    }
}
