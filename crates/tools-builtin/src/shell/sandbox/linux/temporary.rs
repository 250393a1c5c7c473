//! Temporary directory of one call.

use std::path::Path;

use tempfile::{Builder, TempDir};

use super::removal;
use crate::shell::environment::Environment;
use crate::shell::sandbox::SandboxUnavailable;

/// Variables that specify the temporary directory.
const VARIABLES: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// Temporary directory of one call.
#[derive(Debug)]
pub(super) struct PrivateDirectory(TempDir);

impl PrivateDirectory {
    /// Creates a directory in the host's temporary directory.
    pub(super) fn make() -> Result<Self, SandboxUnavailable> {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt;

        Builder::new()
            .prefix("toolwright-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .map(Self)
            .map_err(SandboxUnavailable::Temporary)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Sets the temporary directory in `environment`.
    pub(super) fn set_in(&self, environment: Environment) -> Environment {
        VARIABLES
            .into_iter()
            .fold(environment, |environment, name| {
                environment.with(name, self.path())
            })
    }

    /// Removes the directory and its content.
    pub(super) fn remove(self) {
        if let Err(error) = removal::empty(self.path()) {
            tracing::warn!(%error, "the temporary directory of a call could not be emptied");
        }
    }
}
