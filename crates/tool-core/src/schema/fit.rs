//! How arguments fit a schema.

/// How arguments fit a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// They do, and every member is one that the schema lists.
    Plain,
    /// They do.
    Valid,
    /// They do not.
    Not,
}
