//! Reports of a running tool. Most calls have no reports.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::ContentBlock;
use crate::reports::Reports;

/// Reports of a running tool: live reports, and additions to its output.
pub(super) struct Spoken {
    /// Shared with copies of the context that have other parts.
    pub(super) reports: Arc<Reports>,
    said: Mutex<Said>,
}

/// Additions to the output.
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
