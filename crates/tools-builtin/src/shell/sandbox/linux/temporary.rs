//! Temporary directory of one call.

use std::path::Path;

use tempfile::{Builder, TempDir};

use super::removal;
use crate::shell::environment::Environment;
use crate::shell::sandbox::{Sandbox, SandboxUnavailable};

/// Variables that specify the temporary directory.
const VARIABLES: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// Variables of directories that programs write to, which are otherwise in the home directory.
const HOME_VARIABLES: [(&str, &str); 2] = [
    ("XDG_CACHE_HOME", "cache"),
    ("npm_config_logs_dir", "npm-logs"),
];

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

    /// Sets the temporary directory in `environment`, and directories that replace the inaccessible
    /// ones in the home directory.
    pub(super) fn set_in(&self, environment: Environment, sandbox: &Sandbox) -> Environment {
        let replaced = HOME_VARIABLES
            .into_iter()
            .filter(|(name, _)| sandbox.readable.is_some() && environment.value(name).is_none())
            .map(|(name, directory)| (name, self.path().join(directory)))
            .collect::<Vec<_>>();
        VARIABLES
            .into_iter()
            .map(|name| (name, self.path().to_owned()))
            .chain(replaced)
            .fold(environment, |environment, (name, path)| {
                environment.with(name, path)
            })
    }

    /// Removes the directory and its content.
    pub(super) fn remove(self) {
        if let Err(error) = removal::empty(self.path()) {
            tracing::warn!(%error, "the temporary directory of a call could not be emptied");
        }
    }
}
