//! The tools that a registry or snapshot shows.

use std::sync::Arc;

use super::narrowed::Narrowed;
use crate::catalog::Tools;

/// The tools that a registry shows.
#[derive(Clone)]
pub(super) enum Visible {
    /// All tools of the base.
    Base,
    Narrowed(Arc<Narrowed>),
    Pinned(Arc<Tools>),
}

impl Visible {
    /// Returns the shown tools of `base`.
    pub(super) fn tools(&self, base: Arc<Tools>) -> Arc<Tools> {
        match self {
            Self::Base => base,
            Self::Narrowed(narrowed) => narrowed.tools(base),
            Self::Pinned(tools) => Arc::clone(tools),
        }
    }
}
