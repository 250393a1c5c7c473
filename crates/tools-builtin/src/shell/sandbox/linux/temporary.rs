//! A folder for the temporary files of one call.

use std::path::Path;

use tempfile::{Builder, TempDir};

use super::removal;
use crate::shell::environment::Environment;
use crate::shell::sandbox::SandboxUnavailable;

/// The variables by which programs find their temporary folder.
const VARIABLES: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// A folder that only one call may use.
#[derive(Debug)]
pub(super) struct PrivateFolder(TempDir);

impl PrivateFolder {
    /// Makes a folder in the host's temporary folder.
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

    /// The same environment, in which this is the temporary folder.
    pub(super) fn told_in(&self, environment: Environment) -> Environment {
        VARIABLES
            .into_iter()
            .fold(environment, |environment, name| {
                environment.with(name, self.path())
            })
    }

    /// Removes the folder with what programs left in it.
    pub(super) fn remove(self) {
        if let Err(error) = removal::empty(self.path()) {
            tracing::warn!(%error, "the temporary folder of a call could not be emptied");
        }
    }
}
