//! Strict mode of tools.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Selection of the tools whose schemas the provider enforces during generation.
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
    /// All tools whose strict form loses nothing, except for rules moved to descriptions.
    #[default]
    Auto,
    /// All tools that have a strict form. The others are reported as losses.
    On,
    /// No tools.
    Off,
}

/// Error returned when a string is not a strict mode.
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
    /// Returns the stable name of this mode.
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
