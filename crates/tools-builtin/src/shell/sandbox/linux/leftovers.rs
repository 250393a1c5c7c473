//! What is to be tidied up once nothing of a call runs any more.

use std::sync::Arc;

use super::snapshot::{Restored, Snapshot};
use super::temporary::PrivateFolder;
use crate::shell::remark::Remark;
use crate::shell::sandbox::{Confinement, SandboxUnavailable};

/// What is to be tidied up once nothing of a call runs any more.
#[derive(Debug)]
pub(super) struct Leftovers {
    temporary: PrivateFolder,
    snapshot: Option<Arc<Snapshot>>,
}

impl Leftovers {
    /// Makes the private folder, and keeps what the protected names hold.
    pub(super) fn prepare(confinement: &Confinement) -> Result<Self, SandboxUnavailable> {
        let snapshot = if confinement.sandbox().strict {
            None
        } else {
            Some(confinement.state().snapshot(confinement.workspace())?)
        };
        Ok(Self {
            temporary: PrivateFolder::make()?,
            snapshot,
        })
    }

    pub(super) fn temporary(&self) -> &PrivateFolder {
        &self.temporary
    }

    /// Puts back what was protected, removes the private folder, and says what is worth saying.
    pub(super) fn tidy(self) -> Vec<Remark> {
        self.temporary.remove();
        let restored = self.snapshot.map(|snapshot| snapshot.restore());
        restored.map_or_else(Vec::new, remarks)
    }
}

fn remarks(restored: Restored) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if !restored.changed.is_empty() {
        // A command in the background has no call any more that could tell.
        tracing::warn!(names = ?restored.changed, "a command changed protected names, which were put back");
        remarks.push(Remark::Warning(format!(
            "The command changed what is protected; it was put back as it was: {}.",
            quoted(&restored.changed)
        )));
        remarks.push(Remark::Note("protected_restored", restored.changed.into()));
    }
    if !restored.failed.is_empty() {
        remarks.push(Remark::Warning(format!(
            "The command changed what is protected, and it could not be put back: {}.",
            quoted(&restored.failed)
        )));
        remarks.push(Remark::Note("protected_lost", restored.failed.into()));
    }
    remarks
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
