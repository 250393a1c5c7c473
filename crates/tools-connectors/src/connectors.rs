//! Configured services.

use crate::anthropic::AnthropicAdmin;
#[cfg(feature = "google")]
use crate::google::Google;
#[cfg(feature = "linkedin")]
use crate::linkedin::LinkedIn;

/// Services with credentials. A toolset contains the tools of the configured services. With the feature
/// `linkedin`, it also contains the tools of LinkedIn.
///
/// # Examples
/// ```
/// use tool_core::Secret;
/// use tools_connectors::anthropic::AnthropicAdmin;
/// use tools_connectors::{Connectors, toolsets};
///
/// let admin = AnthropicAdmin::new(&Secret::new("sk-ant-admin01-123".to_owned()))?;
/// let connectors = Connectors::new().with_anthropic(admin);
/// let names: Vec<String> = toolsets::standard(&connectors)?
///     .tools()
///     .iter()
///     .map(|tool| tool.definition().name().to_owned())
///     .collect();
/// assert!(names.contains(&"anthropic_usage".to_owned()));
/// # Ok::<_, tools_connectors::ConnectorsError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Connectors {
    #[cfg(feature = "google")]
    pub(crate) google: Option<Google>,
    pub(crate) anthropic: Option<AnthropicAdmin>,
    #[cfg(feature = "linkedin")]
    pub(crate) linkedin: LinkedIn,
}

impl Connectors {
    /// Creates an empty configuration.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the Google account, unless its client has no ID or a blank secret.
    #[cfg(feature = "google")]
    pub fn with_google(mut self, google: Google) -> Self {
        self.google = Some(google).filter(Google::is_configured);
        self
    }

    /// Sets the client of Anthropic's Admin API.
    pub fn with_anthropic(mut self, admin: AnthropicAdmin) -> Self {
        self.anthropic = Some(admin);
        self
    }

    /// Sets the client of LinkedIn. Its tools need no credential, so the toolsets contain them without
    /// this call.
    #[cfg(feature = "linkedin")]
    pub fn with_linkedin(mut self, linkedin: LinkedIn) -> Self {
        self.linkedin = linkedin;
        self
    }
}

/// Error while a toolset is built.
///
/// # Examples
/// See [`toolsets::standard`](crate::toolsets::standard).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectorsError {
    /// The settings of a service are invalid.
    #[error(transparent)]
    Setup(#[from] crate::SetupError),
    /// Two tools have one name.
    #[error(transparent)]
    Toolset(#[from] tool_core::ToolsetError),
}
