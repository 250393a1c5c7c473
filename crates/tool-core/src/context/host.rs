//! The parts of a context that the host sets. Most calls have no such parts.

use std::sync::{Arc, OnceLock};

use super::{CallSpan, Extensions, ProgressSink};
use crate::approval::Approver;
use crate::call_key::CallKey;

/// The parts of a context that the host sets.
#[derive(Clone, Default)]
pub(crate) struct Host {
    pub(crate) progress: Option<Arc<dyn ProgressSink>>,
    pub(crate) extensions: Option<Arc<Extensions>>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// Key of the call, set after the decision if the call has one and the host did not set it.
    pub(crate) call_key: Option<Arc<OnceLock<CallKey>>>,
    /// Span of the call, if it has fields for the tool.
    pub(crate) span: Option<Arc<CallSpan>>,
}

impl Host {
    /// Allocates only if a part is set.
    #[inline]
    pub(super) fn kept(self) -> Option<Box<Self>> {
        let is_nothing = self.progress.is_none() && self.extensions.is_none();
        let is_nothing = is_nothing && self.approver.is_none() && self.span.is_none();
        let is_nothing = is_nothing && self.call_key.is_none();
        (!is_nothing).then(|| Box::new(self))
    }
}
