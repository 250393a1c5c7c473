//! What a call says while it runs, without known secrets.

use std::sync::Arc;

use super::redact::scrub_block;
use crate::{ContentBlock, Progress, ProgressSink, Redactor};

/// Hands on what a call says, when known secrets are taken out of it.
pub(super) struct Scrubbed {
    pub(super) redactor: Arc<Redactor>,
    pub(super) further: Arc<dyn ProgressSink>,
}

impl ProgressSink for Scrubbed {
    fn progress(&self, call_id: &str, tool_name: &str, progress: &Progress) {
        let mut progress = progress.clone();
        self.redactor.scrub_text(&mut progress.message);
        self.further.progress(call_id, tool_name, &progress);
    }

    fn partial(&self, call_id: &str, tool_name: &str, piece: &ContentBlock) {
        let mut piece = piece.clone();
        scrub_block(&self.redactor, &mut piece);
        self.further.partial(call_id, tool_name, &piece);
    }
}
