//! What the host of a call gives to it, which is nothing for most calls.

use std::sync::Arc;

use super::{Extensions, ProgressSink};

/// What the host of a call gives to it.
#[derive(Clone, Default)]
pub(crate) struct Host {
    /// Where a view gives the tool another name.
    pub(crate) registered_as: Option<Arc<str>>,
    pub(crate) progress: Option<Arc<dyn ProgressSink>>,
    pub(crate) extensions: Option<Arc<Extensions>>,
}

impl Host {
    /// Takes room only where there is something to keep.
    #[inline]
    pub(super) fn kept(self) -> Option<Box<Self>> {
        let is_nothing =
            self.registered_as.is_none() && self.progress.is_none() && self.extensions.is_none();
        (!is_nothing).then(|| Box::new(self))
    }
}
