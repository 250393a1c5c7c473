//! Whether a provider holds its model to schemas.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Whether the provider is to hold the model to the schema while it writes.
///
/// # Examples
/// ```
/// use provider_adapters::StrictMode;
///
/// assert_eq!("on".parse(), Ok(StrictMode::On));
/// assert_eq!(StrictMode::default(), StrictMode::Auto);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrictMode {
    /// For each tool that loses nothing by it but what its descriptions then say.
    #[default]
    Auto,
    /// For each tool that can be said strictly at all; the others are reported.
    On,
    /// Never.
    Off,
}

/// A text that names no strict mode.
///
/// # Examples
/// ```
/// use provider_adapters::StrictMode;
///
/// let error = "yes".parse::<StrictMode>().unwrap_err();
/// assert_eq!(error.to_string(), "`yes` is not a strict mode; use one of auto, on, off");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a strict mode; use one of auto, on, off")]
pub struct UnknownStrictMode(String);

impl StrictMode {
    /// The stable text of this mode.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

impl FromStr for StrictMode {
    type Err = UnknownStrictMode;

    fn from_str(text: &str) -> Result<Self, UnknownStrictMode> {
        [Self::Auto, Self::On, Self::Off]
            .into_iter()
            .find(|mode| mode.as_str() == text)
            .ok_or_else(|| UnknownStrictMode(text.to_owned()))
    }
}
