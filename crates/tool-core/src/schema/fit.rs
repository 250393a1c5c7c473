//! The results of schema checks.

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

/// Issue of a value, for the author of the schema.
#[derive(Debug)]
pub(crate) struct Rejection {
    /// JSON pointer into the value.
    pub(crate) pointer: String,
    /// The path through the schema, with references resolved.
    pub(crate) evaluation_path: String,
    /// Description of the issue.
    pub(crate) reason: String,
}
