//! Compiled defaults of one schema.

use std::collections::HashSet;

use tool_json::Tape;

/// Valid defaults of one schema.
#[derive(Debug)]
pub(crate) struct Defaults {
    /// The first node is the root of the arguments.
    pub(super) nodes: Vec<SchemaNode>,
}

/// Object or array in the arguments that may have missing members inside.
#[derive(Debug, Default)]
pub(super) struct SchemaNode {
    pub(super) members: Vec<Member>,
    /// Places of the first items, if they have separate schemas.
    pub(super) leading: Vec<Option<usize>>,
    /// Place of the other items.
    pub(super) items: Option<usize>,
    /// Place of additional properties.
    pub(super) additional: Option<AdditionalProperties>,
}

/// Property with a default, or with defaults inside.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) default: Option<Tape<'static>>,
    pub(super) inside: Option<usize>,
}

/// Additional properties.
#[derive(Debug)]
pub(super) struct AdditionalProperties {
    pub(super) properties: HashSet<String>,
    pub(super) inside: usize,
}

/// Default that its own schema rejects.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InvalidDefault {
    /// Schema path of the property, including followed references.
    pub(crate) path: String,
    /// Reason for the rejection.
    pub(crate) reason: String,
}
