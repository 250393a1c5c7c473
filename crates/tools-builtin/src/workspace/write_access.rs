//! Decision about writes: read-only roots, private files and protected names.

use std::path::Path;

use tool_core::{ErrorCode, ToolError};

use super::secret_names::{is_secret, refused};
use super::{Root, Workspace};

impl Workspace {
    /// Rejects a change at `real` beneath `root` that is read-only or protected. `new_directories` is
    /// the number of directories to create.
    pub(super) fn check_change(
        &self,
        parameter: &str,
        root: &Root,
        real: &Path,
        new_directories: usize,
    ) -> Result<(), ToolError> {
        // Not the root of the path as written: through another root, the same file must not become writable.
        let ruling = self.innermost(&root.names.real.join(real));
        if ruling.unwrap_or(root).is_read_only() {
            return Err(self.read_only(parameter));
        }
        if is_secret(real) {
            return Err(refused(parameter));
        }
        let root_name = root.names.real.file_name();
        // New parents count too: `.git/hooks` must not appear as a side effect of creating a file in it.
        let mut changed = real.ancestors().take(new_directories + 1);
        if changed.any(|changed| self.protected().covers(root_name, changed)) {
            let sentence = "is protected, so nothing was changed";
            return Err(ToolError::about(ErrorCode::Protected, parameter, sentence)
                .suggest("Do not change it; tell the user which change is needed."));
        }
        if self.changes_bare_repository(root, real, new_directories) {
            let sentence =
                "is part of a directory that Git treats as a repository, so nothing was changed";
            return Err(ToolError::about(ErrorCode::Protected, parameter, sentence)
                .suggest("Use another directory or name."));
        }
        Ok(())
    }

    fn read_only(&self, parameter: &str) -> ToolError {
        let sentence = "is in a read-only directory, so nothing was changed";
        let error = ToolError::about(ErrorCode::Protected, parameter, sentence);
        match self.roots().find(|root| !root.is_read_only()) {
            Some(root) if root.number == 0 => {
                error.suggest("Use a path relative to the workspace root.")
            }
            Some(root) => error.suggest(format!("Use a path inside `{}`.", root.prefix)),
            None => error.suggest("The workspace is read-only; tell the user what to change."),
        }
    }
}
