//! Resources of a server.

use std::fmt;

use async_trait::async_trait;
use tool_core::ResourceContents;

use super::{ClientContext, ContentError};
use crate::server::ClientIdentity;

/// Document that clients can read.
///
/// # Examples
/// ```
/// use tool_mcp::server::Resource;
///
/// let resource = Resource::new("file:///notes.txt", "Notes").with_media_type("text/plain");
/// assert_eq!(resource.name, "Notes");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    /// URI, or a URI template (RFC 6570) in the list of templates.
    pub uri: String,
    /// Name for users.
    pub name: String,
    /// Description.
    pub description: Option<String>,
    /// Media type, such as `text/plain`.
    pub media_type: Option<String>,
}

impl Resource {
    /// Creates a resource.
    #[must_use]
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            description: None,
            media_type: None,
        }
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the media type.
    #[must_use]
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }
}

/// Content of a resource.
///
/// # Examples
/// ```
/// use tool_core::ResourceContents;
/// use tool_mcp::server::ResourceOutput;
///
/// let output = ResourceOutput::new(ResourceContents::Text("one".to_owned())).with_media_type("text/plain");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResourceOutput {
    /// Text, or bytes as base64.
    pub contents: ResourceContents,
    /// Media type, such as `text/plain`.
    pub media_type: Option<String>,
}

impl ResourceOutput {
    /// Creates content.
    #[must_use]
    pub fn new(contents: ResourceContents) -> Self {
        Self {
            contents,
            media_type: None,
        }
    }

    /// Sets the media type.
    #[must_use]
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }
}

/// Resources of a server.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use tool_core::ResourceContents;
/// use tool_mcp::server::{ClientContext, ClientIdentity, ContentError, Resource, ResourceOutput, Resources};
///
/// struct Notes;
///
/// #[async_trait]
/// impl Resources for Notes {
///     async fn list(&self, _: &ClientIdentity) -> Vec<Resource> {
///         vec![Resource::new("notes://today", "Notes of today")]
///     }
///
///     async fn read(&self, uri: &str, _: &ClientContext) -> Result<ResourceOutput, ContentError> {
///         match uri {
///             "notes://today" => Ok(ResourceOutput::new(ResourceContents::Text("Buy milk.".to_owned()))),
///             _ => Err(ContentError::NotFound),
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait Resources: Send + Sync {
    /// Returns the resources for a client, at most 1,000. Further ones are omitted.
    async fn list(&self, client: &ClientIdentity) -> Vec<Resource>;

    /// Returns the URI templates for a client. The default returns none.
    async fn templates(&self, client: &ClientIdentity) -> Vec<Resource> {
        let _ = client;
        Vec::new()
    }

    /// Returns the content of a resource. `uri` is not validated.
    ///
    /// # Errors
    /// Returns [`ContentError`] if the resource does not exist or cannot be read.
    async fn read(&self, uri: &str, cx: &ClientContext) -> Result<ResourceOutput, ContentError>;

    /// Returns suggestions for a variable of a URI template whose value begins with `value`. At most 100 are sent. The
    /// default returns none.
    async fn complete(&self, template: &str, variable: &str, value: &str) -> Vec<String> {
        let _ = (template, variable, value);
        Vec::new()
    }
}

impl fmt::Debug for dyn Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resources")
    }
}
