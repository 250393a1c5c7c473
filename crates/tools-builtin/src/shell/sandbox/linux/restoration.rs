//! What was restored after a command.

/// Result of a restoration.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Restoration {
    /// Names that were changed and restored.
    pub(super) changed: Vec<String>,
    /// Names in new repositories that were removed or reduced to harmless settings.
    pub(super) removed: Vec<String>,
    /// Names that were changed and could not be restored.
    pub(super) failed: Vec<String>,
    /// Reason why some repositories below the roots were not checked.
    pub(super) unsearched: Option<&'static str>,
}
