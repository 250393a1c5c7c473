//! Strict mode of tools.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::UnknownName;

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
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let all = [Self::Auto, Self::On, Self::Off];
        UnknownName::find(text, "a strict mode", &all, Self::as_str)
    }
}
