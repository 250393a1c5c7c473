//! The parts of a context that the host sets. Most calls have no such parts.

use std::sync::Arc;

use super::{CallSpan, Extensions, ProgressSink};

/// The parts of a context that the host sets.
#[derive(Clone, Default)]
pub(crate) struct Host {
    /// The registered name, if a view renames the tool.
    pub(crate) registered_as: Option<Arc<str>>,
    pub(crate) progress: Option<Arc<dyn ProgressSink>>,
    pub(crate) extensions: Option<Arc<Extensions>>,
    /// Span of the call, if it has fields for the tool.
    pub(crate) span: Option<Arc<CallSpan>>,
}

impl Host {
    /// Allocates only if a part is set.
    #[inline]
    pub(super) fn kept(self) -> Option<Box<Self>> {
        let is_nothing =
            self.registered_as.is_none() && self.progress.is_none() && self.extensions.is_none();
        let is_nothing = is_nothing && self.span.is_none();
        (!is_nothing).then(|| Box::new(self))
    }
}
