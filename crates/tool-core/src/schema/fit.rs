//! The result of a fast schema check.

/// Whether arguments match a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Valid, without unknown members.
    Plain,
    /// Valid, possibly with unknown members.
    Valid,
    /// Invalid.
    Not,
}
