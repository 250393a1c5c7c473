//! The resolved tool of a call and its surroundings.

use super::Shared;
use crate::catalog::Entry;
use crate::{CallOptions, ToolContext};

/// The resolved tool of a call and its surroundings, for steps 4 to 8.
#[derive(Clone, Copy)]
pub(super) struct Scope<'c, 'x> {
    pub(super) shared: &'c Shared,
    pub(super) entry: &'c Entry,
    pub(super) cx: &'x ToolContext,
    pub(super) options: Option<&'c CallOptions>,
}

impl<'c, 'x> Scope<'c, 'x> {
    #[inline]
    pub(super) fn new(
        shared: &'c Shared,
        entry: &'c Entry,
        cx: &'x ToolContext,
        options: Option<&'c CallOptions>,
    ) -> Self {
        Self {
            shared,
            entry,
            cx,
            options,
        }
    }
}
