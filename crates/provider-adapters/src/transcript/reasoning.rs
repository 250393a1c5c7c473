//! Reasoning of a model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Data of the marker of a paused message.
const PAUSE: &str = "paused";

/// Block of a model's reasoning.
///
/// # Examples
/// ```
/// use provider_adapters::Reasoning;
///
/// let reasoning = Reasoning::new("The path is missing.");
/// assert_eq!(reasoning.provider_data, None);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reasoning {
    /// Text, if the provider sends it.
    #[serde(default)]
    pub text: String,
    /// Data that must be sent back to the provider unchanged, such as a signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_data: Option<Value>,
}

impl Reasoning {
    /// Creates a block without provider data.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            provider_data: None,
        }
    }

    /// Sets the data that must be sent back to the provider.
    #[must_use]
    pub fn with_provider_data(mut self, data: Option<Value>) -> Self {
        self.provider_data = data;
        self
    }

    /// Creates the marker of a message that the provider paused and continues in its next response
    /// ([`Finish::Paused`](crate::Finish::Paused)). It is not sent to providers.
    ///
    /// # Examples
    /// ```
    /// use provider_adapters::Reasoning;
    ///
    /// assert!(Reasoning::pause().is_pause());
    /// assert!(!Reasoning::new("The path is missing.").is_pause());
    /// ```
    #[must_use]
    pub fn pause() -> Self {
        Self::new("").with_provider_data(Some(PAUSE.into()))
    }

    /// Returns `true` for the marker of a paused message.
    #[must_use]
    pub fn is_pause(&self) -> bool {
        self.provider_data
            .as_ref()
            .is_some_and(|data| data == PAUSE)
    }
}
