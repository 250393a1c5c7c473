//! Cleanup after all processes of a call have exited.

use std::path::PathBuf;
use std::sync::Arc;

use super::new_file::NewFile;
use super::snapshot::{Restoration, Snapshot};
use super::temporary::{PrivateDirectory, SharedDirectory};
use crate::shell::notice::RunNotice;

/// State to clean up after all processes of a call have exited.
#[derive(Debug)]
pub(super) struct Cleanup {
    pub(super) temporary: PrivateDirectory,
    /// Parent of the temporary directory, which can use it for another call.
    pub(super) shared: Option<Arc<SharedDirectory>>,
    pub(super) snapshot: Option<Arc<Snapshot>>,
    /// Paths to which the call may write.
    pub(super) granted: Vec<PathBuf>,
    /// Files created for the call, which are removed when dropped if it has not used them.
    pub(super) created: Vec<NewFile>,
}

impl Cleanup {
    /// Restores the protected names, removes the private directory and unused files, and returns messages
    /// for the result.
    pub(super) fn clean_up(self) -> Vec<RunNotice> {
        drop(self.created);
        match self.shared {
            Some(shared) => shared.take_back(self.temporary),
            None => drop(self.temporary),
        }
        let restored = self
            .snapshot
            .map(|snapshot| snapshot.restore(&self.granted));
        restored.map_or_else(Vec::new, notices)
    }
}

/// Describes the changed names for the model and the metadata.
fn notices(restored: Restoration) -> Vec<RunNotice> {
    if !restored.changed.is_empty() {
        // A background command has no open call that could report this.
        tracing::warn!(names = ?restored.changed, "a command changed protected names; they were restored");
    }
    let mut notices = Vec::new();
    for (names, sentence, key) in [
        (
            restored.changed,
            "The command changed protected files, which were restored",
            "protected_restored",
        ),
        (
            restored.removed,
            "The command created a repository whose hooks or settings can run programs, which were removed",
            "protected_removed",
        ),
        (
            restored.failed,
            "The command changed protected files, which could not be restored",
            "protected_lost",
        ),
    ] {
        if !names.is_empty() {
            let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let quoted = quoted.join(", ");
            notices.push(RunNotice::Warning(format!("{sentence}: {quoted}.")));
            notices.push(RunNotice::Note(key, names.into()));
        }
    }
    notices
}
