//! What a tool said while it ran, which is nothing for most calls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::ContentBlock;
use crate::reports::Reports;

/// What a tool said: reports while it runs, and what is told beside its output.
pub(super) struct Spoken {
    /// Shared with copies that have other parts.
    pub(super) reports: Arc<Reports>,
    said: Mutex<Said>,
}

/// What is told beside the output.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) warnings: Vec<String>,
    pub(super) files_affected: Vec<String>,
    pub(super) notes: BTreeMap<String, Value>,
    pub(super) attachments: Vec<ContentBlock>,
}

impl Spoken {
    pub(super) fn with_reports(reports: Arc<Reports>) -> Self {
        Self {
            reports,
            said: Mutex::default(),
        }
    }

    pub(super) fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
