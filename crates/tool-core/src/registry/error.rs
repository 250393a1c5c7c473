//! Errors of sources.

/// Reason for a refresh that changed nothing, or for a source that could not be opened.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_core::registry::SourceError;
///
/// let registry = Registry::new();
/// let _mail = registry.source("mail")?;
/// assert_eq!(registry.source("mail").err(), Some(SourceError::NameTaken("mail".into())));
/// # Ok::<_, SourceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Another source or group has this name.
    #[error("a source named `{0}` is already open; close it first, or use another name")]
    NameTaken(String),
    /// A later refresh of this source was finished first.
    #[error("a later refresh has already updated the tools of `{0}`")]
    Stale(String),
    /// This source was closed.
    #[error("the source `{0}` is closed")]
    Closed(String),
    /// The registry is a view or a snapshot.
    #[error("views and snapshots have no sources; open the source in the registry below")]
    ReadOnly,
}
