//! Reports of a running tool. Most calls have no reports.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::ContentBlock;
use crate::reports::Reports;

/// Reports of a running tool: live reports, and additions to its output.
pub(super) struct Collected {
    /// Shared with copies of the context that have other parts.
    pub(super) reports: Arc<Reports>,
    additions: Mutex<Additions>,
}

/// Additions to the output.
#[derive(Debug, Default)]
pub(super) struct Additions {
    pub(super) warnings: Vec<String>,
    pub(super) files_affected: Vec<String>,
    pub(super) notes: BTreeMap<String, Value>,
    pub(super) attachments: Vec<ContentBlock>,
}

impl Collected {
    pub(super) fn with_reports(reports: Arc<Reports>) -> Self {
        Self {
            reports,
            additions: Mutex::default(),
        }
    }

    pub(super) fn additions(&self) -> MutexGuard<'_, Additions> {
        self.additions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
